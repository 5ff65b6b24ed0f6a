"""What an estimate says about itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from prbgen.generation.estimate import Estimate, Totals
from prbgen.generation.remarks import assumptions, remarks
from prbgen.llm.forecast import Basis, Forecast, Range
from prbgen.recipe import LimitSettings

BASIS = Basis(
    short=60, long=140.4, replies_measured=0, corrected=0.2, replies_judged=0, again=0.1, attempts=3,
    attempts_judged=0, tokenizer="o200k_base", own=True, shared=0,
)  # fmt: skip
STAGE = Forecast("answer", "openai/m", Range(4, 6, 24), Range(90, 200, 900), Range(10, 20, 99), Range(1, 2, 5), BASIS)


def of(*stages: Forecast) -> Estimate:
    first = stages[0]
    return Estimate(2, {}, 0, stages, Totals(first.calls, first.prompt_tokens, first.reply_tokens, first.cost_usd))


def said(stage: Forecast = STAGE, committed: tuple[int, float] = (0, 0.0), **limits: Any) -> str:
    return "\n".join(remarks(of(stage), LimitSettings(**limits), committed))


def test_assumptions_are_called_so_and_records_are_counted() -> None:
    assert assumptions(of(STAGE)) == [
        "answer, openai/m: 60 to 140 tokens a reply, assumed (0.6 to 1.4 of a usual one); high: 20.0% of replies"
        " corrected, assumed, and 10.0% of attempts followed by another one, assumed"
    ]
    recorded = replace(BASIS, replies_measured=1200, replies_judged=1300, attempts=1)
    assert assumptions(of(replace(STAGE, basis=recorded))) == [
        "answer, openai/m: 60 to 140 tokens a reply, the middle of 1,200 on record; high: 20.0% of replies corrected,"
        " as of 1,300 on record"
    ]


def test_a_budget_is_compared_with_what_is_left_of_it() -> None:
    assert "budget" not in said(budget_usd=2.0, budget_tokens=220)
    assert "budget_usd = 2 has 1.5000 USD left: the run may stop before it is done" in said(
        committed=(25, 0.5), budget_usd=2
    )
    assert "budget_usd = 0.9 has 0.9000 USD left: the run will stop" in said(budget_usd=0.9)
    assert "budget_tokens = 125 has 100 tokens left: the run may stop" in said(committed=(25, 0.5), budget_tokens=125)
    assert "budget_tokens = 99 has 99 tokens left: the run will stop" in said(budget_tokens=99)


def test_what_is_unknown_is_said_and_how_to_make_it_known() -> None:
    unpriced = replace(STAGE, cost_usd=Range(None, None, None), reply_tokens=Range(1, 2, None))
    text = said(unpriced, budget_usd=1)
    assert "the price of openai/m is unknown, and so is the total: set input_" in text
    assert "how long a reply of openai/m may get is unknown, and so is what it takes at most: set max_tokens" in text
    assert "budget_usd cannot be kept without a price" in text


def test_a_foreign_tokenizer_and_shared_prompts_are_mentioned() -> None:
    text = said(replace(STAGE, basis=replace(BASIS, own=False, tokenizer="cl100k_base", shared=45)))
    assert "tokens of openai/m are counted by cl100k_base, which is not its own" in text
    assert "50% of prompt tokens are the same for both answers of a pair" in text
    assert "cache" not in said()
