"""Sending: within the limits and the budget, tried again, and stopped when going on would waste money."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from prbgen.errors import FellShortError, InputError, InterruptError, ModelError, PrbgenError
from prbgen.llm.budget import Budget, refuse_unknown
from prbgen.llm.gateway import Gateway, Reply, Request
from prbgen.llm.ledger import Ledger, committed, spent
from prbgen.llm.model import Message
from prbgen.llm.online import Online
from prbgen.llm.prices import AtMost
from prbgen.llm.route import UnansweredError
from prbgen.llm.templates import Prompts
from prbgen.llm.traffic import Traffic
from prbgen.model_settings import ModelSettings
from prbgen.recipe import LimitSettings
from tests.provider import Provider, serving

PRICED = {"input_cost_per_token": 0.001, "output_cost_per_token": 0.002, "max_tokens": 5}
USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}  # 0.02 USD


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


class Session:
    """One run's ledger; each `ask` is a process's worth of work on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.traffic = Traffic()
        self.stop: asyncio.Event

    def scripted(self, *rules: dict[str, Any], **settings: Any) -> ModelSettings:
        script = self.folder / "model.jsonl"
        script.write_text("".join(json.dumps(rule) + "\n" for rule in rules))
        return ModelSettings(name=f"scripted/{script}", **settings)

    def ask(self, model: ModelSettings, calls: int, limits: LimitSettings, *, after: float | None = None) -> list[Any]:
        async def main() -> list[Any]:
            self.stop = asyncio.Event()
            with Ledger(self.folder / "ledger.sqlite") as ledger:
                budget = Budget(limits, *committed(ledger))
                route = Online(ledger, limits, stop=self.stop, budget=budget, traffic=self.traffic)
                gateway = Gateway(ledger, Prompts(), route, self.traffic)
                if after is not None:
                    asyncio.get_running_loop().call_later(after, self.stop.set)
                try:
                    asks = [gateway.ask(request(model, number)) for number in range(calls)]
                    return await asyncio.gather(*asks, return_exceptions=True)
                finally:
                    await gateway.close()

        return asyncio.run(main())

    def committed(self) -> tuple[int, float]:
        with Ledger(self.folder / "ledger.sqlite") as ledger:
            return committed(ledger)


def request(model: ModelSettings, number: int) -> Request[str]:
    return Request("answer", f"q{number}", model, (Message("user", f"Say {number}."),), str, "assumed")


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


def kinds(outcomes: list[Any]) -> set[type]:
    return {type(outcome) for outcome in outcomes}


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_budget_is_never_crossed_and_a_higher_one_goes_on(session: Session, concurrency: int) -> None:
    model = session.scripted({"reply": "fine", "usage": USAGE, "delay": 0.01}, **PRICED)
    outcomes = session.ask(model, 40, LimitSettings(concurrency=concurrency, budget_usd=0.3))
    assert kinds(outcomes) == {Reply, FellShortError}
    assert "budget_usd = 0.3" in str(outcomes[-1])
    tokens, usd = session.committed()
    assert 0.2 < usd <= 0.3
    paid = session.traffic.sent
    assert (paid, tokens) == (round(usd / 0.02), paid * 15)
    outcomes = session.ask(model, 40, LimitSettings(concurrency=concurrency, budget_usd=0.9))
    assert kinds(outcomes) == {Reply}
    assert session.traffic.sent == 40
    tokens, usd = session.committed()
    assert tokens == 600
    assert usd == pytest.approx(0.8)


def test_a_budget_of_tokens_needs_no_price(session: Session) -> None:
    model = session.scripted({"reply": "fine", "usage": USAGE}, max_tokens=5)
    outcomes = session.ask(model, 100, LimitSettings(concurrency=4, budget_tokens=400))
    assert kinds(outcomes) == {Reply, FellShortError}
    assert 200 < session.committed()[0] <= 400


def test_a_budget_below_one_call_is_refused_before_anything_is_sent(session: Session) -> None:
    model = session.scripted({"reply": "fine"}, **PRICED)
    outcomes = session.ask(model, 3, LimitSettings(budget_usd=0.001))
    assert kinds(outcomes) == {InputError}
    assert "is below one call, which may take" in str(outcomes[0])
    assert session.traffic.sent == 0


def test_what_may_have_been_billed_counts_at_its_most(session: Session) -> None:
    fault = {"kind": "timeout", "message": "no reply"}
    model = session.scripted({"fault": fault, "times": 1}, {"reply": "fine", "usage": USAGE}, **PRICED)
    session.ask(model, 1, LimitSettings(budget_usd=5))
    _, usd = session.committed()
    assert usd > 0.02 + 0.05  # the time-out counts at most: each byte of the prompt, and the longest reply


@pytest.mark.parametrize(
    ("settings", "limits", "says"),
    [
        ({"max_tokens": 5}, {"budget_usd": 1}, "has no known price, so budget_usd cannot be kept"),
        ({"input_cost_per_token": 0, "output_cost_per_token": 0}, {"budget_usd": 1}, "may reply at any length"),
        ({}, {"budget_tokens": 9}, "may reply at any length"),
    ],
)
def test_a_budget_that_cannot_be_kept_is_refused_beforehand(
    settings: dict[str, Any], limits: dict[str, Any], says: str
) -> None:
    model = ModelSettings(name="hosted_vllm/unheard-of", **settings)
    with pytest.raises(InputError, match=says):
        refuse_unknown(LimitSettings(**limits), {"answer": model})
    refuse_unknown(LimitSettings(), {"answer": model})


@given(st.lists(st.tuples(st.integers(1, 50), st.floats(0, 1)), max_size=30), st.integers(1, 100), st.integers(1, 8))
def test_no_order_of_calls_crosses_a_budget(calls: list[tuple[int, float]], limit: int, at_once: int) -> None:
    async def main() -> None:
        budget = Budget(LimitSettings(budget_tokens=limit), 0, 0)
        taken = in_flight = 0
        places = asyncio.Semaphore(at_once)

        async def call(most: int, share: float) -> None:
            nonlocal taken, in_flight
            async with places, budget.hold(AtMost(most, None)) as held:
                in_flight += most
                assert taken + in_flight <= limit
                await asyncio.sleep(0)
                in_flight -= most
                held.tokens = round(most * share)
                taken += held.tokens

        results = await asyncio.gather(*(call(*each) for each in calls), return_exceptions=True)
        assert all(result is None or isinstance(result, PrbgenError) for result in results)
        assert not any(isinstance(result, AssertionError) for result in results)
        assert taken <= limit

    asyncio.run(main())


def test_waiting_for_a_turn_does_not_count_as_waiting_for_a_reply(session: Session) -> None:
    model = session.scripted({"reply": "fine", "delay": 0.15})
    assert kinds(session.ask(model, 8, LimitSettings(concurrency=1, timeout=0.4))) == {Reply}
    assert session.traffic.sent == 8


def test_a_call_that_always_fails_ends_alone(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prbgen.llm.retry._BACK_OFF", lambda _: 0.01)
    fault = {"kind": "server", "message": "boom"}
    model = session.scripted({"match": "Say 3", "fault": fault}, {"reply": "fine", "delay": 0.02})
    outcomes = session.ask(model, 30, LimitSettings(concurrency=4))
    assert isinstance(outcomes.pop(3), UnansweredError)
    assert kinds(outcomes) == {Reply}


def test_a_server_that_is_not_there_stops_the_run_within_seconds_and_is_named(session: Session) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    started = time.monotonic()
    outcomes = session.ask(ModelSettings(name="openai/m", api_base=nobody), 50, LimitSettings())
    assert time.monotonic() - started < 30
    assert kinds(outcomes) == {ModelError}
    assert f"openai/m cannot be reached at {nobody} (is the server up, and the network?)" in str(outcomes[0])


def test_one_refusal_is_news_to_all_and_no_storm_follows(session: Session) -> None:
    opened = time.monotonic() + 3

    async def refuse(_request: web.Request, _prompt: str, _arrival: int) -> web.Response | None:
        if time.monotonic() > opened:
            return None
        return web.json_response({"error": {"message": "slow down"}}, status=429, headers={"Retry-After": "1"})

    with serving(Provider(fault=refuse)) as provider:
        model = ModelSettings(name="openai/m", api_base=provider.url)
        outcomes = session.ask(model, 200, LimitSettings(concurrency=16))
    assert kinds(outcomes) == {Reply}
    assert provider.answered.total() == 200
    # Without a gate each of the 200 would have knocked at once, and again after each second.
    assert provider.arrived.total() - 200 < 60


def test_an_outage_pauses_the_model_with_a_countdown_and_it_goes_on_by_itself(session: Session) -> None:
    down: tuple[float, float] | None = None
    holds: list[Any] = []

    async def outage(_request: web.Request, _prompt: str, _arrival: int) -> web.Response | None:
        nonlocal down
        now = time.monotonic()
        down = down or (now + 0.5, now + 3)
        holds.extend(session.traffic.holds())
        if down[0] < now < down[1]:
            return web.json_response({"error": {"message": "gone"}}, status=500)
        return None

    async def main() -> list[Any]:
        with Ledger(session.folder / "ledger.sqlite") as ledger:
            route = Online(ledger, LimitSettings(concurrency=8), traffic=session.traffic)
            gateway = Gateway(ledger, Prompts(), route)
            asks = asyncio.gather(*(gateway.ask(request(model, number)) for number in range(300)))
            while not asks.done():
                holds.extend(session.traffic.holds())
                await asyncio.sleep(0.05)
            await gateway.close()
            return await asks

    with serving(Provider(fault=outage, latency=0.05)) as provider:
        model = ModelSettings(name="openai/m", api_base=provider.url)
        assert kinds(asyncio.run(main())) == {Reply}
    assert {(hold.model, hold.reason) for hold in holds} == {("m", "server: gone")}
    assert 0 < max(hold.seconds for hold in holds) <= 10


def test_a_stop_while_calls_wait_at_the_gate_ends_at_once(session: Session) -> None:
    fault = {"kind": "rate_limit", "message": "later", "retry_after": 600}
    model = session.scripted({"fault": fault})
    started = time.monotonic()
    outcomes = session.ask(model, 50, LimitSettings(concurrency=4), after=0.2)
    assert time.monotonic() - started < 10
    assert kinds(outcomes) == {InterruptError}


def test_every_attempt_is_on_record_with_what_the_provider_said_of_it(session: Session) -> None:
    fault = {"kind": "rate_limit", "message": "slow down", "retry_after": 0.01}
    usage = USAGE | {"prompt_tokens_details": {"cached_tokens": 4}}
    model = session.scripted({"fault": fault, "times": 2}, {"reply": "fine", "usage": usage}, **PRICED)
    session.ask(model, 1, LimitSettings())
    session.ask(model, 1, LimitSettings())
    with Ledger(session.folder / "ledger.sqlite") as ledger:
        (total,) = spent(ledger)
    assert (total.attempts, total.faults, total.replies, total.cached_tokens) == (3, 2, 1, 4)
    assert total.cost_usd == pytest.approx(0.02)
    assert (session.traffic.sent, session.traffic.recorded) == (3, 1)


def test_the_recipes_price_overrides_what_the_library_worked_out(session: Session) -> None:
    model = session.scripted({"reply": "fine", "usage": USAGE, "cost_usd": 5.0}, **PRICED)
    session.ask(model, 1, LimitSettings(budget_usd=1))
    assert session.committed()[1] == pytest.approx(0.02)


@pytest.mark.parametrize("count", [-5, "12", 1.5, None, True, 2**60])
def test_usage_that_counts_no_tokens_is_unknown_and_counts_at_its_most(session: Session, count: Any) -> None:
    usage = {"prompt_tokens": count, "completion_tokens": 5, "total_tokens": count}
    model = session.scripted({"reply": "fine", "usage": usage}, **PRICED)
    session.ask(model, 1, LimitSettings(budget_usd=1))
    with Ledger(session.folder / "ledger.sqlite") as ledger:
        ((stored, cost),) = ledger.query("SELECT usage, cost_usd FROM attempts")
    assert (stored, cost) == ("{}", None)
    assert 0.02 < session.committed()[1] < 1


@pytest.mark.parametrize(
    "usage", [{"total_tokens": 320}, {"prompt_tokens": 300, "completion_tokens": 20, "total_tokens": 1}]
)
def test_usage_that_does_not_add_up_is_unknown_and_counts_at_its_most(session: Session, usage: dict[str, int]) -> None:
    model = session.scripted({"reply": "fine", "usage": usage}, **PRICED)
    session.ask(model, 1, LimitSettings(budget_usd=1))
    with Ledger(session.folder / "ledger.sqlite") as ledger:
        assert ledger.query("SELECT usage, cost_usd FROM attempts") == [("{}", None)]
    assert 0.02 < session.committed()[1] < 1
