"""Runs by batches, from the first pass to the last, over HTTP with the providers' own SDKs."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from prbgen.errors import FellShortError, InputError, InterruptError, ModelError
from prbgen.llm.batch.provider import Size
from prbgen.llm.batch.watch import Waits
from prbgen.llm.gateway import Gateway
from prbgen.llm.ledger import Ledger, spent
from prbgen.llm.reply import ReplyType
from prbgen.llm.route import UnansweredError
from prbgen.recipe import LimitSettings
from tests.llm.batch.desk import PROVIDERS, Desk, until
from tests.llm.batch.providers_stand_in import ProvidersStandIn, prompt_of

pytestmark = pytest.mark.parametrize("provider", PROVIDERS)
ITEMS = [f"question {n}" for n in range(12)]
REPLIES = [f"reply to {item}" for item in ITEMS]
BAD = {"status": 400, "error": {"type": "invalid_request_error", "message": "too odd"}}
BROKEN = {"status": 500, "error": {"type": "api_error", "message": "something broke"}}


class Number(ReplyType):
    number: int


@pytest.fixture
def desk(tmp_path: Path, server: ProvidersStandIn, provider: str) -> Desk:
    return Desk(tmp_path, server.url, provider)


def test_every_call_is_answered_by_one_batch(desk: Desk, server: ProvidersStandIn) -> None:
    assert desk.run(ITEMS) == REPLIES
    assert len(server.batches) == 1
    assert desk.passes == 2
    assert not list((desk.folder / "batches").iterdir())


def test_stages_that_depend_on_each_other_advance_in_waves(desk: Desk, server: ProvidersStandIn) -> None:
    def answer(body: dict[str, Any]) -> Any:
        prompt = prompt_of(body)
        if "could not be read as JSON" in prompt:
            return {"text": '{"number": 3}'}
        if prompt.startswith("count "):
            return {"text": "three" if prompt.endswith("0") else '{"number": 3}'}
        return {"text": f"answer to {prompt}"}

    async def work(gateway: Gateway, item: str) -> str:
        rubric = await gateway.ask(desk.request(f"count {item}", Number))
        return str((await gateway.ask(desk.request(f"{item} {rubric.value.number}"))).value)

    server.answer = answer
    assert desk.run(["a0", "a1", "a2"], work) == [f"answer to a{n} 3" for n in range(3)]
    # Counts; the correction of the first beside two answers; the last answer.
    assert [len(batch.requests) for batch in server.batches] == [3, 3, 1]
    assert desk.rows("sum(corrective)", "") == [(1,)]


def test_results_may_be_in_any_order_doubled_and_of_nobody(desk: Desk, server: ProvidersStandIn) -> None:
    server.shuffled = server.doubled = server.strangers = True
    assert desk.run(ITEMS) == REPLIES
    assert desk.rows() == [("stop", len(ITEMS))]
    assert desk.committed()[0] == 15 * len(ITEMS)


def test_text_comes_through_whole_but_for_keys_and_what_cannot_be_stored(desk: Desk, server: ProvidersStandIn) -> None:
    server.answer = lambda _: {"text": "one\u2028two\x85three sk-test-openai sk-test-anthropic\x00 é 漢"}
    assert desk.run(["?"]) == ["one\u2028two\x85three [redacted] [redacted]\ufffd é 漢"]


def test_a_refused_call_is_not_repeated_and_costs_nothing(desk: Desk, server: ProvidersStandIn) -> None:
    server.answer = lambda body: BAD if prompt_of(body) == ITEMS[3] else {"text": f"reply to {prompt_of(body)}"}
    results = desk.run(ITEMS)
    assert isinstance(results.pop(3), UnansweredError)
    assert results == REPLIES[:3] + REPLIES[4:]
    assert set(server.asked().values()) == {1}
    assert desk.rows() == [("bad_request", 1), ("stop", 11)]
    assert desk.committed()[0] == 15 * 11
    # Another process asks for it again.
    server.answer = lambda _: {"text": "fine"}
    assert desk.run(ITEMS)[3] == "fine"


@pytest.mark.parametrize("faults", [2, 9])
def test_faults_that_may_pass_are_repeated_three_times(desk: Desk, server: ProvidersStandIn, faults: int) -> None:
    asked: Counter[int] = Counter()

    def answer(body: dict[str, Any]) -> Any:
        if prompt_of(body) != ITEMS[3]:
            return {"text": f"reply to {prompt_of(body)}"}
        asked[len(server.batches)] += 1
        return BROKEN if len(server.batches) <= faults else {"text": "at last"}

    server.answer = answer
    result = desk.run(ITEMS)[3]
    if faults == 2:
        assert result == "at last"
    else:
        assert isinstance(result, UnansweredError)
        assert (result.reason, result.attempts) == ("no reply (server): something broke", 4)
    assert max(server.asked().values()) == min(faults, 3) + 1
    assert sum(server.asked().values()) == len(ITEMS) + min(faults, 3)


@pytest.mark.parametrize("how", ["expired", "cancelled"])
def test_of_a_batch_that_was_not_finished_only_what_is_missing_is_posted_again(
    desk: Desk, server: ProvidersStandIn, how: str
) -> None:
    word = "canceled" if (desk.provider, how) == ("anthropic", "cancelled") else how

    def answer(body: dict[str, Any]) -> Any:
        late = len(server.batches) == 1 and int(prompt_of(body).split()[1]) % 2
        return word if late else {"text": f"reply to {prompt_of(body)}"}

    server.answer = answer
    server.whole = how
    assert desk.run(ITEMS) == REPLIES
    assert [len(batch.requests) for batch in server.batches] == [12, 6]
    assert desk.rows() == [("overload", 6), ("stop", 12)]
    assert desk.committed()[0] == 15 * 12


def test_calls_without_a_result_are_posted_again(desk: Desk, server: ProvidersStandIn) -> None:
    server.left_out = 5
    assert desk.run(ITEMS) == REPLIES
    assert [len(batch.requests) for batch in server.batches] == [12, 5]


def test_results_that_are_no_longer_kept_count_as_billed(desk: Desk, server: ProvidersStandIn) -> None:
    server.gone = True
    assert desk.run(ITEMS, limits=LimitSettings(budget_tokens=10_000)) == REPLIES
    assert desk.rows() == [("lost", 12), ("stop", 12)]
    assert desk.committed()[0] > 12 * (15 + 100)


def test_faults_during_polls_are_waited_out_and_shown(desk: Desk, server: ProvidersStandIn) -> None:
    # The SDKs try three times by themselves.
    server.failing[f"look_{desk.provider}"] = 3
    server.looks = 2
    shown: set[tuple[str, int, int, str | None]] = set()

    async def look() -> None:
        while not server.batches or server.batches[0].looks < 2:
            shown.update((line.provider, line.done, line.total, line.trouble) for line in desk.traffic.batches)
            await asyncio.sleep(0.005)

    assert desk.run(ITEMS, beside=look) == REPLIES
    troubles = {line[3] for line in shown}
    assert {line[:3] for line in shown} == {(desk.provider, 0, 12)}
    assert None in troubles
    assert any(trouble and "something broke" in trouble for trouble in troubles)
    assert len(server.batches) == 1


def test_a_results_stream_that_breaks_off_is_read_again(desk: Desk, server: ProvidersStandIn) -> None:
    server.cut_off = "content" if desk.provider == "openai" else "results"
    assert desk.run(ITEMS) == REPLIES
    assert (len(server.batches), desk.rows()) == (1, [("stop", 12)])


def test_a_submission_whose_answer_is_lost_is_not_sent_again(desk: Desk, server: ProvidersStandIn) -> None:
    server.cut_off = f"create_{desk.provider}"
    assert desk.run(ITEMS) == REPLIES
    assert set(server.asked().values()) == {1}


def test_a_submission_that_fails_is_sent_again(desk: Desk, server: ProvidersStandIn) -> None:
    server.failing[f"create_{desk.provider}"] = 2
    assert desk.run(ITEMS) == REPLIES
    assert set(server.asked().values()) == {1}
    assert desk.rows() == [("stop", 12)]


@pytest.mark.parametrize(
    ("status", "error", "words"),
    [
        (401, {"type": "authentication_error", "message": "wrong key sk-test-openai"}, r"\(auth\).*\[redacted\]"),
        (429, {"type": "insufficient_quota", "code": "insufficient_quota", "message": "no money"}, r"\(quota\)"),
        (400, {"type": "invalid_request_error", "message": "odd file"}, r"\(bad request\).*odd file"),
    ],
)
def test_a_submission_that_is_refused_stops_the_run_in_one_line(
    desk: Desk, server: ProvidersStandIn, status: int, error: dict[str, str], words: str
) -> None:
    server.status[f"create_{desk.provider}"] = status, error
    with pytest.raises(ModelError, match=words) as caught:
        desk.run(ITEMS)
    assert "\n" not in str(caught.value)
    assert desk.committed() == (0, 0)
    server.status.clear()
    assert desk.run(ITEMS) == REPLIES


def test_a_key_that_is_refused_while_polling_stops_the_run_and_nothing_is_lost(
    desk: Desk, server: ProvidersStandIn
) -> None:
    step = f"look_{desk.provider}"
    server.status[step] = 401, {"type": "authentication_error", "message": "revoked"}
    with pytest.raises(ModelError, match="revoked"):
        desk.run(ITEMS)
    server.status[step] = 404, {"type": "not_found_error", "message": "no such batch"}
    with pytest.raises(ModelError, match=r"does not know batch .* use the key of the account"):
        desk.run(ITEMS)
    server.status.clear()
    assert desk.run(ITEMS) == REPLIES
    assert len(server.batches) == 1


def test_a_fault_of_the_account_inside_results_stops_the_run_after_they_are_kept(
    desk: Desk, server: ProvidersStandIn
) -> None:
    error = {"type": "billing_error", "code": "insufficient_quota", "message": "no money"}
    server.answer = lambda body: (
        {"status": 429, "error": error} if prompt_of(body) == ITEMS[3] else {"text": f"reply to {prompt_of(body)}"}
    )
    with pytest.raises(ModelError, match=r"cannot be used \(quota\): no money"):
        desk.run(ITEMS)
    assert desk.rows() == [("quota", 1), ("stop", 11)]


def test_without_a_key_nothing_is_sent(
    desk: Desk, server: ProvidersStandIn, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(f"{provider.upper()}_API_KEY")
    desk.model = desk.model.model_copy(update={"api_base": None})
    with pytest.raises(ModelError, match=r"no key: set it in the environment or \.env"):
        desk.run(ITEMS)
    assert desk.committed() == (0, 0)


def test_a_server_that_was_never_there_is_not_waited_for(desk: Desk, server: ProvidersStandIn) -> None:
    desk.model = desk.model.model_copy(update={"api_base": "http://127.0.0.1:9/v1"})
    with pytest.raises(ModelError, match=r"cannot be reached at http://127\.0\.0\.1:9/v1"):
        desk.run(["?"])


@pytest.mark.parametrize("most", [Size(5, 10**9), Size(100, 1200)])
def test_what_is_more_than_a_batch_may_hold_is_split(desk: Desk, server: ProvidersStandIn, most: Size) -> None:
    assert desk.run(ITEMS, most=most) == REPLIES
    assert len(server.batches) >= 3
    assert max(len(batch.requests) for batch in server.batches) <= most.requests
    assert all(len(file) <= most.bytes for file in server.files.values())
    assert set(server.asked().values()) == {1}


def test_finish_reasons_are_those_of_the_online_route(desk: Desk, server: ProvidersStandIn, provider: str) -> None:
    cut, filtered = ("length", "content_filter") if provider == "openai" else ("max_tokens", "refusal")
    finishes = {"a": cut, "b": filtered, "c": "stop" if provider == "openai" else "end_turn"}
    server.answer = lambda body: {"text": "x", "finish": finishes[prompt_of(body)]}
    assert desk.run(list("abc"))[2] == "x"
    assert desk.rows("item, outcome", "ORDER BY item") == [("a", "length"), ("b", "filtered"), ("c", "stop")]


def test_usage_is_kept_as_it_came_and_priced_as_a_batch(desk: Desk, server: ProvidersStandIn, provider: str) -> None:
    usage: dict[str, Any] = {
        "prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100,
        "prompt_tokens_details": {"cached_tokens": 400},
    }  # fmt: skip
    # gpt-4o-mini, whose batches have no other price for what was cached: 0.075 and 0.3 USD a million.
    cost = (1000 * 0.075 + 100 * 0.3) / 1e6
    if provider == "anthropic":
        usage = {"input_tokens": 500, "cache_read_input_tokens": 400, "cache_creation_input_tokens": 100}
        usage |= {"output_tokens": 100, "service_tier": "batch"}
        # claude-haiku-4-5: 0.5, 0.05, 0.625 and 2.5 USD a million.
        cost = (500 * 0.5 + 400 * 0.05 + 100 * 0.625 + 100 * 2.5) / 1e6
    server.answer = lambda _: {"text": "x", "usage": usage}
    desk.run(["?"])
    with Ledger(desk.folder / "ledger.sqlite", read_only=True) as ledger:
        (sum_,) = spent(ledger)
        ((kept,),) = ledger.query("SELECT usage FROM attempts")
    assert (sum_.prompt_tokens, sum_.completion_tokens, sum_.cached_tokens) == (1000, 100, 400)
    assert sum_.cost_usd == pytest.approx(cost)
    assert desk.traffic.usd == pytest.approx(cost)
    assert all(f'"{name}"' in kept for name in usage)


def test_a_reply_without_usage_has_no_known_cost(desk: Desk, server: ProvidersStandIn) -> None:
    server.answer = lambda _: {"text": "x", "usage": None}
    assert desk.run(["?"]) == ["x"]
    assert desk.rows("usage, cost_usd", "") == [("{}", None)]


def test_within_a_budget_calls_go_out_as_it_allows(desk: Desk, server: ProvidersStandIn) -> None:
    # A call may take some 180 tokens, and really takes 15.
    assert desk.run(ITEMS, limits=LimitSettings(budget_tokens=700)) == REPLIES
    assert 1 < len(server.batches) < len(ITEMS)
    assert set(server.asked().values()) == {1}


def test_a_budget_that_is_used_up_ends_the_run_and_a_higher_one_goes_on(desk: Desk, server: ProvidersStandIn) -> None:
    with pytest.raises(FellShortError, match="budget_tokens = 250"):
        desk.run(ITEMS, limits=LimitSettings(budget_tokens=250))
    done = desk.rows()[0][1]
    assert 0 < done < len(ITEMS)
    assert desk.committed()[0] == 15 * done <= 250
    assert desk.run(ITEMS, limits=LimitSettings(budget_tokens=10_000)) == REPLIES
    assert set(server.asked().values()) == {1}


def test_a_budget_below_one_call_is_refused(desk: Desk, server: ProvidersStandIn) -> None:
    with pytest.raises(InputError, match="below one call"):
        desk.run(ITEMS, limits=LimitSettings(budget_usd=1e-7))
    assert not server.batches


def test_after_a_stop_the_same_command_collects_what_goes_on(desk: Desk, server: ProvidersStandIn) -> None:
    server.looks = 10**6
    stop = asyncio.Event()

    async def interrupt() -> None:
        await until(lambda: desk.traffic.batches)
        stop.set()

    with pytest.raises(InterruptError, match="batches that go on at their provider: 1; the same command"):
        desk.run(ITEMS, stop=stop, waits=Waits(60, 60), beside=interrupt)
    assert desk.rows() == [("sent", 12)]
    server.looks = 0
    assert desk.run(ITEMS) == REPLIES
    assert len(server.batches) == 1


def test_models_of_other_providers_are_refused(desk: Desk, server: ProvidersStandIn, provider: str) -> None:
    desk.model = desk.model.model_copy(update={"name": f"hosted_vllm/{provider}/x"})
    with pytest.raises(InputError, match=r"only openai/\.\.\. and anthropic/\.\.\. models can"):
        desk.run(["?"])


def test_two_items_that_ask_the_same_share_a_call(desk: Desk, server: ProvidersStandIn) -> None:
    async def later(gateway: Gateway, item: str) -> Any:
        # The gateway itself joins calls only while they are under way.
        await asyncio.sleep(0.05 * int(item))
        return await desk.ask(gateway, "the same")

    assert desk.run(["0", "1", "2"], later) == ["reply to the same"] * 3
    assert set(server.asked().values()) == {1}


def test_a_batch_that_nobody_asks_about_any_more_is_left_alone(desk: Desk, server: ProvidersStandIn) -> None:
    server.looks = 10**6
    stop = asyncio.Event()

    async def interrupt() -> None:
        await until(lambda: desk.traffic.batches)
        stop.set()

    with pytest.raises(InterruptError):
        desk.run(ITEMS, stop=stop, beside=interrupt)
    server.looks = 0
    other = {"openai": "openai/gpt-4.1-mini", "anthropic": "anthropic/claude-sonnet-4-5"}[desk.provider]
    desk.model = desk.model.model_copy(update={"name": other})
    assert desk.run(ITEMS) == REPLIES
    assert desk.rows("outcome, count(*)", "GROUP BY outcome") == [("sent", 12), ("stop", 12)]
