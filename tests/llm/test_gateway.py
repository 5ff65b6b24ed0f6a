"""Asking: what is sent, what is on record, and when nothing more may be sent."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from prbgen.errors import InterruptError, ModelError, PrbgenError
from prbgen.llm.gateway import Gateway, Reply, Request
from prbgen.llm.ledger import Ledger, spent
from prbgen.llm.model import Message
from prbgen.llm.online import Online
from prbgen.llm.reply import Problem, ReplyType
from prbgen.llm.route import UnansweredError
from prbgen.llm.templates import Prompts
from prbgen.model_settings import ModelSettings
from prbgen.recipe import LimitSettings


class Number(ReplyType):
    number: int


class Desk:
    """A gateway over a script, for as many asks as a test wants."""

    def __init__(self, folder: Path, rules: list[dict[str, Any]], concurrency: int = 4) -> None:
        self.folder = folder
        self.script = folder / "model.jsonl"
        self.script.write_text("".join(json.dumps(rule) + "\n" for rule in [{"record": "calls.jsonl"}, *rules]))
        self.limits = LimitSettings(concurrency=concurrency)
        self.stop: asyncio.Event

    def run(self, work: Callable[[Gateway], Awaitable[Any]], ledger: Ledger | None = None) -> Any:
        async def main() -> Any:
            self.stop = asyncio.Event()
            with ledger or Ledger(self.folder / "ledger.sqlite") as opened:
                gateway = Gateway(opened, Prompts(), Online(opened, self.limits, stop=self.stop))
                try:
                    return await work(gateway)
                finally:
                    await gateway.close()

        return asyncio.run(main())

    def request(self, text: str, reply_type: Any = str, **more: Any) -> Request[Any]:
        model = ModelSettings(name=f"scripted/{self.script}")
        return Request("answer", "q", model, (Message("user", text),), reply_type, "assumed", **more)

    def sent(self) -> int:
        file = self.folder / "calls.jsonl"
        return len(file.read_text().splitlines()) if file.exists() else 0


async def all_of(gateway: Gateway, requests: list[Request[Any]]) -> list[Any]:
    outcomes: list[Any] = await asyncio.gather(*map(gateway.ask, requests), return_exceptions=True)
    return outcomes


def test_a_malformed_reply_is_asked_for_once_more_and_both_calls_are_on_record(tmp_path: Path) -> None:
    desk = Desk(
        tmp_path,
        [
            {"match": "could not be read as JSON", "reply": {"number": 7}},
            {"reply": "seven", "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}},
        ],
    )
    reply: Reply[Number] = desk.run(lambda gateway: gateway.ask(desk.request("?", Number)))
    assert (reply.value.number, len(reply.calls)) == (7, 2)
    with Ledger(tmp_path / "ledger.sqlite", read_only=True) as ledger:
        (total,) = spent(ledger)
    assert (total.attempts, total.replies, total.corrective) == (2, 2, 1)


def test_the_same_question_at_once_is_one_call(tmp_path: Path) -> None:
    desk = Desk(tmp_path, [{"reply": "fine", "delay": 0.05}])
    replies = desk.run(lambda gateway: all_of(gateway, [desk.request("?")] * 5))
    assert {reply.value for reply in replies} == {"fine"}
    assert desk.sent() == 1


def test_transient_faults_are_tried_again_and_every_attempt_counts(tmp_path: Path) -> None:
    fault = {"kind": "rate_limit", "message": "slow down", "retry_after": 0.01}
    desk = Desk(tmp_path, [{"fault": fault, "times": 2}, {"reply": "fine"}])
    assert desk.run(lambda gateway: gateway.ask(desk.request("?"))).value == "fine"
    with Ledger(tmp_path / "ledger.sqlite", read_only=True) as ledger:
        (total,) = spent(ledger)
    assert (total.attempts, total.faults, total.replies) == (3, 2, 1)


def test_a_reply_that_has_to_be_exact_is_neither_mended_nor_asked_for_again(tmp_path: Path) -> None:
    desk = Desk(tmp_path, [{"match": "fine", "reply": {"number": 7}}, {"reply": 'I say: {"number": 7} ' + "x" * 500}])
    assert desk.run(lambda gateway: gateway.ask(desk.request("fine", Number, on_problem="refuse"))).value.number == 7
    for sent in (2, 2):
        with pytest.raises(UnansweredError) as caught:
            desk.run(lambda gateway: gateway.ask(desk.request("?", Number, on_problem="refuse")))
        assert (caught.value.unusable, caught.value.fault) == ("malformed", None)
        assert caught.value.reason.startswith(
            'the reply is not the JSON that was asked for: \'I say: {"number": 7} xxx'
        )
        assert len(caught.value.reason) < 140
        assert desk.sent() == sent


def test_why_no_reply_came_is_told(tmp_path: Path) -> None:
    desk = Desk(tmp_path, [{"fault": {"kind": "too_long", "message": "8,192 at most"}}])
    with pytest.raises(UnansweredError, match="too long") as caught:
        desk.run(lambda gateway: gateway.ask(desk.request("?")))
    assert (caught.value.unusable, caught.value.fault) == (None, "too_long")


@pytest.mark.parametrize("finish", ["length", "filtered"])
def test_a_reply_of_the_right_shape_is_kept_if_its_correction_is_cut_off_or_filtered(
    tmp_path: Path, finish: str
) -> None:
    desk = Desk(tmp_path, [{"match": "has 9 words", "reply": "x", "finish": finish}, {"reply": "nine"}])
    problem = Problem("answer", {"fault": "has 9 words"})
    reply = desk.run(lambda gateway: gateway.ask(desk.request("?", check=lambda _: problem)))
    assert (reply.value, reply.problem) == ("nine", problem)


def test_a_correction_that_the_network_swallows_is_no_reason_to_make_do(tmp_path: Path) -> None:
    fault = {"kind": "bad_request", "message": "gone"}
    desk = Desk(tmp_path, [{"match": "has 9 words", "fault": fault}, {"reply": "nine"}])
    problem = Problem("answer", {"fault": "has 9 words"})
    with pytest.raises(UnansweredError, match="gone"):
        desk.run(lambda gateway: gateway.ask(desk.request("?", check=lambda _: problem)))


@pytest.mark.parametrize("kind", ["auth", "unknown_model", "quota"])
def test_after_a_fatal_fault_no_waiting_call_is_sent(tmp_path: Path, kind: str) -> None:
    desk = Desk(tmp_path, [{"fault": {"kind": kind, "message": "no"}, "delay": 0.02}], concurrency=4)
    outcomes = desk.run(lambda gateway: all_of(gateway, [desk.request(f"{n}") for n in range(50)]))
    assert desk.sent() == 4
    assert {type(outcome) for outcome in outcomes} == {ModelError}


def test_nothing_is_sent_when_the_ledger_cannot_be_written(tmp_path: Path) -> None:
    desk = Desk(tmp_path, [{"reply": "fine", "delay": 0.02}], concurrency=4)
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger._write.execute("PRAGMA query_only = 1")
    outcomes = desk.run(lambda gateway: all_of(gateway, [desk.request(f"{n}") for n in range(50)]), ledger)
    assert desk.sent() == 0
    assert {type(outcome) for outcome in outcomes} == {PrbgenError}
    assert "stopped before spending more" in str(outcomes[-1])


def test_after_a_stop_no_waiting_call_is_sent_and_no_pause_is_sat_out(tmp_path: Path) -> None:
    fault = {"kind": "rate_limit", "message": "later", "retry_after": 600}
    desk = Desk(tmp_path, [{"match": "^0", "fault": fault}, {"reply": "fine", "delay": 0.1}], concurrency=4)

    async def work(gateway: Gateway) -> list[Any]:
        asks = asyncio.ensure_future(all_of(gateway, [desk.request(f"{n}") for n in range(50)]))
        await asyncio.sleep(0.05)
        desk.stop.set()
        return await asks

    started = time.monotonic()
    outcomes = desk.run(work)
    assert time.monotonic() - started < 10
    assert desk.sent() <= 5
    assert {type(outcome) for outcome in outcomes} == {InterruptError, Reply}


def test_calls_that_were_cancelled_do_not_outlive_the_gateway(tmp_path: Path) -> None:
    desk = Desk(tmp_path, [{"reply": "fine", "delay": 5}])

    async def work(gateway: Gateway) -> None:
        ask = asyncio.ensure_future(gateway.ask(desk.request("?")))
        await asyncio.sleep(0.05)
        ask.cancel()
        await asyncio.wait([ask])
        await gateway.close()
        assert len(asyncio.all_tasks()) == 1

    started = time.monotonic()
    desk.run(work)
    assert time.monotonic() - started < 4


def test_a_key_made_of_digits_does_not_spoil_the_record_of_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIN_TOKEN", "12345678")
    usage = {"prompt_tokens": 12345678, "completion_tokens": 1, "total_tokens": 12345679, "id": "by 12345678"}
    desk = Desk(tmp_path, [{"reply": "fine", "usage": usage}])
    desk.run(lambda gateway: gateway.ask(desk.request("?")))
    with Ledger(tmp_path / "ledger.sqlite", read_only=True) as ledger:
        assert spent(ledger)[0].prompt_tokens == 12345678
