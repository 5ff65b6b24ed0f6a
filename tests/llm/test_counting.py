"""A route that only counts, and the ranges that come of it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.llm.counting import Counting
from prbgen.llm.forecast import AGAIN, CORRECTED, LONG, SHORT, Forecast, Range, forecast, total
from prbgen.llm.ledger import Ledger, Result, Sent
from prbgen.llm.ledger.habits import Habit
from prbgen.llm.model import Call, Message
from prbgen.llm.tokens import tokenizer_of
from prbgen.model_settings import ModelSettings

MODEL = ModelSettings.model_validate(
    {"name": "hosted_vllm/m", "input_cost_per_token": 1e-6, "output_cost_per_token": 4e-6, "max_tokens": 400}
)
RECORDED = range(8)


def key(number: int) -> str:
    return f"{number:016x}" * 2


def call(prompt: str = "Tea or coffee?", *, model: ModelSettings = MODEL, assumed: str = "Tea.", **more: Any) -> Call:
    return Call(model, (Message("user", prompt),), assumed=assumed, **{"stage": "answer"} | more)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    path: Path = tmp_path_factory.mktemp("run") / "ledger.sqlite"

    async def fill(opened: Ledger) -> None:
        for number in RECORDED:
            attempt = await opened.begin(Sent(key(number), "answer", "s/0", "hosted_vllm/m", False, ""))
            await opened.finish(attempt, Result("stop", f"reply {number}"))
        await opened.settle()

    with Ledger(path) as opened:
        asyncio.run(fill(opened))
        yield opened


def asked(counting: Counting, *calls: tuple[int, Call]) -> list[str]:
    """Ask for calls by the number of their key, as one item does."""

    async def main() -> list[str]:
        return [(await counting.send(each, key(number)))[0] for number, each in calls]

    replies = asyncio.run(main())
    counting.settle()
    return replies


def of(counting: Counting, habit: Habit | None = None, **more: Any) -> Forecast:
    ((name, tally),) = counting.tallies.items()
    return forecast(*name, tally, habit, **more)


def test_what_is_on_record_is_given_back_and_costs_nothing(ledger: Ledger) -> None:
    counting = Counting(ledger)
    assert asked(counting, (0, call()), (100, call())) == ["reply 0", "Tea."]
    assert counting.recorded == 1
    assert of(counting).calls.low == 1


def test_the_same_call_counts_once() -> None:
    counting = Counting(None)
    asked(counting, (1, call()))
    asked(counting, (1, call()), (2, call()))
    assert of(counting).calls == Range(2, math.ceil(2 * (1 + CORRECTED)), 4)


def test_prompts_and_assumed_replies_are_counted_by_the_models_tokenizer() -> None:
    counting = Counting(None)
    asked(counting, (1, call("Which film for a rainy evening?", assumed="A comedy with many words.")))
    tokens = tokenizer_of(MODEL.name)
    prompt, reply = tokens.prompt(call("Which film for a rainy evening?")), tokens.count("A comedy with many words.")
    result = of(counting)
    assert result.prompt_tokens.low == math.floor(prompt * tokens.low)
    assert result.basis.short == round(SHORT * reply * tokens.low, 1)
    assert result.basis.long == round(LONG * reply * tokens.high, 1)


def test_habits_on_record_replace_what_is_assumed() -> None:
    counting = Counting(None)
    asked(counting, (1, call()))
    basis = of(counting, Habit(measured=9, short=100, long=150, replies=10, corrected=0.5)).basis
    assert (basis.short, basis.long, basis.corrected, basis.again) == (100, 150, 0.5, AGAIN)
    assert (basis.replies_measured, basis.replies_judged, basis.attempts_judged) == (9, 10, 0)
    # Replies without a usage are judged, but not measured.
    basis = of(counting, Habit(measured=0, short=0, long=0, replies=10, corrected=0)).basis
    assert (basis.replies_measured, basis.corrected) == (0, 0)
    assert basis.short > 0


def test_the_share_of_further_attempts_is_that_of_the_recorded_calls(ledger: Ledger) -> None:
    counting = Counting(ledger)
    asked(counting, (0, call(attempts=3)), (1, call(attempts=3)), (2, call(attempt=2, attempts=3)), (50, call()))
    asked(counting, (3, call(attempts=3)), (4, call(attempts=3)))
    basis = of(counting).basis
    # Five could be followed, and one that did follow is seen.
    assert (basis.again, basis.attempts_judged, basis.attempts) == (0.2, 5, 3)


def test_at_most_is_every_attempt_with_its_correction_at_the_greatest_length() -> None:
    counting = Counting(None)
    asked(counting, (1, call(attempts=3)), (2, call(attempts=3)))
    result = of(counting)
    assert (result.calls.at_most, result.reply_tokens.at_most) == (12, 12 * 400)
    assert result.prompt_tokens.at_most is not None
    assert result.prompt_tokens.at_most > 6 * 2 * 400  # corrections show the reply


def test_at_most_counts_in_that_the_recorded_side_of_a_pair_is_written_again_with_the_other(ledger: Ledger) -> None:
    counting = Counting(ledger)
    asked(counting, (0, call(attempts=3)), (77, call(attempts=3)))
    assert of(counting).calls.at_most == 2 + 2 * 2 * 2


def test_a_correction_of_a_recorded_reply_is_not_corrected_again(ledger: Ledger) -> None:
    counting = Counting(ledger)
    asked(counting, (0, call()), (77, call(corrective=True)))
    assert of(counting).calls == Range(1, 1, 1)


def test_later_prompts_may_hold_the_longest_reply_of_an_earlier_stage() -> None:
    alone, both = Counting(None), Counting(None)
    asked(alone, (1, call()))
    asked(both, (2, call(stage="rubric")), (1, call()))
    most = {name[0]: tally.most_prompt_tokens for name, tally in both.tallies.items()}
    assert most["answer"] == alone.tallies["answer", "hosted_vllm/m"].most_prompt_tokens + 2 * 400


def test_what_is_unknown_is_null_and_so_is_a_total_with_it() -> None:
    counting = Counting(None)
    asked(counting, (1, call(model=ModelSettings(name="scripted/x"))))
    unknown = of(counting)
    assert unknown.cost_usd == Range(None, None, None)
    assert (unknown.reply_tokens.at_most, unknown.prompt_tokens.at_most, unknown.calls.at_most) == (None, None, 2)
    assert total([Range(1, 2, 3), unknown.reply_tokens]).at_most is None
    assert total([Range(1, 2, 3), unknown.cost_usd]).low is None
    assert total([]) == Range(0, 0, 0)


def test_what_is_free_stays_free_though_nobody_knows_how_much_of_it_there_may_be() -> None:
    counting = Counting(None)
    asked(counting, (1, call(model=ModelSettings(name="local/smollm2-135m"))))
    result = of(counting)
    assert result.cost_usd == Range(0, 0, 0)
    assert result.reply_tokens.at_most is None


def test_a_batch_costs_half() -> None:
    counting = Counting(None)
    asked(counting, (1, call("Which film? " * 1000)))
    whole, half = of(counting).cost_usd, of(counting, batch=True).cost_usd
    for name in ("low", "high", "at_most"):
        assert getattr(half, name) == pytest.approx(getattr(whole, name) / 2, abs=1e-6)


ASK = st.builds(
    lambda number, prompt, assumed, attempts, back, corrective, stage: (
        number,
        call(
            prompt,
            assumed=assumed,
            attempts=attempts,
            attempt=max(1, attempts - back),
            corrective=corrective,
            stage=stage,
        ),
    ),
    st.integers(0, 30),
    st.text(max_size=30),
    st.text(max_size=30),
    st.integers(1, 4),
    st.integers(0, 3),
    st.booleans(),
    st.sampled_from(["rubric", "answer"]),
)
HABIT = st.none() | st.builds(
    lambda measured, short, more, replies, corrected: Habit(measured, short, short + more, replies, corrected),
    st.integers(0, 50),
    st.floats(0, 900),
    st.floats(0, 900),
    st.integers(0, 50),
    st.floats(0, 1),
)


@given(st.lists(st.lists(ASK, max_size=6), max_size=4), HABIT, st.booleans())
def test_low_is_never_above_high_nor_high_above_at_most(
    ledger: Ledger, items: list[list[tuple[int, Call]]], habit: Habit | None, batch: bool
) -> None:
    counting = Counting(ledger)
    for each in items:
        asked(counting, *each)
    distinct = {number for each in items for number, _ in each}
    results = [forecast(*name, tally, habit, batch=batch) for name, tally in counting.tallies.items()]
    assert sum(result.calls.low or 0 for result in results) == len(distinct - set(RECORDED))
    assert counting.recorded == len(distinct & set(RECORDED))
    for result in results:
        for found in (result.calls, result.prompt_tokens, result.reply_tokens, result.cost_usd):
            assert found.low is not None
            assert found.high is not None
            assert found.at_most is not None
            assert 0 <= found.low <= found.high <= found.at_most
