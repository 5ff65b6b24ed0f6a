"""What judging would ask for is what it then asks for."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from prbgen.downstream.best_of_n.estimate_judging import JudgingEstimate, estimate_judging
from prbgen.downstream.best_of_n.judge_settings import JudgeSettings
from prbgen.errors import InputError
from prbgen.llm.templates import Prompts
from tests.downstream.best_of_n.judging_bench import Bench, bench, covering, question

PRICES = {"input_cost_per_token": 0.001, "output_cost_per_token": 0.01}


def estimated(made: Bench, settings: JudgeSettings) -> JudgingEstimate:
    return asyncio.run(estimate_judging(settings, made.answers, made.judged, Prompts()))


def test_calls_are_those_that_will_be_made_and_nothing_is_sent_or_written(tmp_path: Path) -> None:
    made = Bench(
        tmp_path,
        [question(0), question(1), question(2, rubric_aspects=[])],
        [["same", "same", "other"], ["one", None, "two"], ["unjudgeable"]],
    )
    settings = made.settings(made.scripted({"reply": covering(2, 1)}), options=PRICES)
    told = estimated(made, settings)
    assert (told.questions, told.candidates, told.answers, told.recorded) == (3, 6, 4, 0)
    assert not made.calls
    assert not made.judged.folder.exists()
    assert told.forecast
    assert (told.forecast.stage, told.forecast.model) == ("coverage", "scripted/judge.jsonl")
    assert told.forecast.calls.low == 4
    # Each may be corrected once.
    assert told.forecast.calls.at_most == 8
    made.judge(settings)
    assert len(made.calls) == 4
    again = estimated(made, settings)
    assert (again.recorded, again.forecast) == (4, None)


def test_money_and_tokens_follow_from_the_prompts_and_lie_between_low_and_at_most(tmp_path: Path) -> None:
    made = bench(tmp_path, questions=5)
    settings = made.settings(made.scripted({"reply": covering(2, 1)}), options=PRICES)
    told = estimated(made, settings).forecast
    assert told
    prompt, reply, usd = told.prompt_tokens, told.reply_tokens, told.cost_usd
    assert usd.low == pytest.approx((prompt.low or 0) * 0.001 + (reply.low or 0) * 0.01, rel=0.01)
    assert 0 < (usd.low or 0) < (usd.high or 0) < (usd.at_most or 0)
    assert reply.at_most == 2 * 15 * 1000
    assert estimated(made, made.settings(made.scripted({"reply": ""}))).forecast.cost_usd.low is None  # type: ignore[union-attr]


def test_only_what_is_new_is_counted(tmp_path: Path) -> None:
    made = bench(tmp_path, questions=3, n=2)
    settings = made.settings(made.scripted({"reply": covering(2, 1)}))
    made.judge(settings)
    told = estimated(bench(tmp_path, questions=3, n=3), settings)
    assert told.recorded == 6
    assert told.forecast
    assert told.forecast.calls.low == 3
    # Six replies of one length are on record.
    assert told.forecast.basis.replies_measured == 6


def test_a_reply_on_record_that_cannot_be_used_is_not_counted_again(tmp_path: Path) -> None:
    made = bench(tmp_path, questions=2, n=1)
    settings = made.settings(made.scripted({"match": "to 1", "reply": "?"}, {"reply": covering(2, 1)}))
    made.judge(settings)
    assert (estimated(made, settings).recorded, estimated(made, settings).forecast) == (3, None)


def test_data_that_does_not_fit_is_found_before_anything_is_sent(tmp_path: Path) -> None:
    made = bench(tmp_path)
    made.data.write_text(made.data.read_text().splitlines(keepends=True)[0])
    with pytest.raises(InputError, match="has no question"):
        estimated(made, made.settings(made.scripted({"reply": ""})))
