"""An estimate counts what a run then asks for."""

from __future__ import annotations

import asyncio
import json
import tracemalloc
from collections import Counter
from typing import Any

import pytest

from prbgen.generation.estimate import Estimate, estimate
from prbgen.llm.forecast import AGAIN
from prbgen.llm.ledger import Ledger, spent
from prbgen.llm.templates import Prompts
from prbgen.recipe import load_recipe

QUOTES = ("My oven broke last spring.", "a toddler who hates onions")
RUBRIC = [
    {
        "stage": "rubric",
        "match": "copied from the description",
        "reply": {"aspects": [{"aspect": f"Heed {n}", "evidence": q, "reason": "So."} for n, q in enumerate(QUOTES)]},
    },
    {"stage": "rubric", "reply": {"aspects": [{"aspect": f"Heed {n}", "reason": "So."} for n in range(2)]}},
    {"stage": "counter", "reply": {"opposites": [{"number": n, "aspect": f"No {n}", "reason": "So."} for n in (1, 2)]}},
]


def estimated(project: Any, *, ledger: bool = False, **more: Any) -> Estimate:
    recipe = load_recipe(project.write())
    prompts = Prompts(project.folder / "prompts")
    if not ledger:
        return asyncio.run(estimate(recipe, prompts, None, **more))
    with Ledger(project.run.ledger, read_only=True) as opened:
        return asyncio.run(estimate(recipe, prompts, opened, **more))


def low(result: Estimate) -> dict[str, float | None]:
    return {each.stage: each.calls.low for each in result.stages}


@pytest.mark.parametrize("kind", ["gold", "extracted", "inferred"])
@pytest.mark.parametrize("strategy", ["avoid", "counter", "swap", "generic"])
def test_the_least_is_what_a_run_asks_for_if_all_is_right_at_once(
    project: Any, new_row: Any, kind: str, strategy: str
) -> None:
    # No two people want the same, or a swap would change nothing.
    wishes = [[{"aspect": f"Is {what} {n}", "evidence": None, "reason": None} for what in "ab"] for n in range(3)]
    project.rows = [new_row(n, profile=[], rubric_aspects=wishes[n]) for n in range(3)]
    project.rows += [new_row(3, question=" "), new_row(4, rubric_aspects=None), new_row(5, narrative=None)]
    project.rows.append(new_row(6, rubric_aspects=None, narrative=None))
    project.rules += RUBRIC
    project.tables = {"rubric": {"kind": kind}, "pair": {"strategy": strategy}}
    before = estimated(project)
    pairs, rejects = project.generate()
    assert low(before) == Counter(call["stage"] for call in project.calls())
    assert before.questions == len(pairs)
    assert before.rejected == Counter(reject.stage for reject in rejects)
    for each in before.stages:
        for ranged in (each.calls, each.prompt_tokens, each.reply_tokens):
            assert 0 < (ranged.low or 0) < (ranged.high or 0)


def test_nothing_is_sent_or_written(project: Any) -> None:
    estimated(project)
    assert not project.calls()
    assert not project.run.folder.exists()


def test_a_judge_is_counted_for_each_answer_and_each_attempt(project: Any) -> None:
    coverage = {"aspects": [{"number": n, "found": "x", "score": 2} for n in (1, 2)]}
    none = {"aspects": [{"number": n, "found": "", "score": 0} for n in (1, 2)]}
    quality = {"remarks": "x", "factuality": 5, "relevance": 5, "helpfulness": 5}
    rules = [
        {"stage": "quality", "reply": quality},
        {"stage": "coverage", "match": "gladly", "reply": coverage},
        {"stage": "coverage", "reply": none},
    ]
    (project.folder / "judge.jsonl").write_text("".join(json.dumps(rule) + "\n" for rule in rules))
    project.rules = [
        {"stage": "answer", "match": "cover each of these", "reply": "{digest} gladly, {digest} and then {digest}."},
        {"stage": "answer", "reply": "{digest} mostly, {digest} or even {digest}."},
    ]
    project.tables["models"] = {"judge": "scripted/judge.jsonl"}
    before = estimated(project)
    pairs, rejects = project.generate()
    assert (len(pairs), rejects, before.questions, before.rejected) == (3, [], 3, {})
    with Ledger(project.run.ledger, read_only=True) as ledger:
        used = {each.stage: each.attempts for each in spent(ledger)}
    assert low(before) == used == {"answer": 6, "quality": 6, "coverage": 6}
    # Of an answer three attempts; of a judgement three, each with its correction.
    assert {each.stage: each.calls.at_most for each in before.stages} == {"answer": 18, "quality": 36, "coverage": 36}
    assert estimated(project, ledger=True).total.calls.low == 0


def test_replies_on_record_are_not_counted_again(project: Any, new_row: Any) -> None:
    project.rows = [new_row(number) for number in range(5)]
    project.tables["source"] = {"limit": 2}
    project.generate()
    project.tables["source"] = {}
    result = estimated(project, ledger=True)
    assert (result.recorded, low(result), result.questions) == (4, {"answer": 6}, 5)
    project.generate()
    done = estimated(project, ledger=True)
    assert (done.recorded, done.stages, done.total.calls.at_most, done.total.cost_usd.low) == (10, (), 0, 0)


def test_another_strategy_costs_the_rejected_answers_alone(project: Any) -> None:
    project.generate()
    project.tables["pair"] = {"strategy": "generic"}
    result = estimated(project, ledger=True)
    assert (result.recorded, low(result)) == (3, {"answer": 3})


def test_a_changed_prompt_costs_all_that_depends_on_it(project: Any) -> None:
    project.generate()
    own = project.folder / "prompts" / "answer.j2"
    own.parent.mkdir()
    own.write_text("{% block user %}{{ question }} {{ keep }} {{ aspects }}{% endblock %}")
    result = estimated(project, ledger=True)
    assert (result.recorded, low(result)) == (0, {"answer": 6})


def test_recorded_lengths_and_rates_replace_the_assumed_ones(project: Any, new_row: Any) -> None:
    project.rows = [new_row(number) for number in range(8)]
    project.tables["source"] = {"limit": 4}
    usage = {"prompt_tokens": 50, "completion_tokens": 7, "total_tokens": 57}
    project.rules = [
        # Of day 0, whatever is asked first is too long; then all is well.
        {"stage": "answer", "match": "day 0\\?", "reply": "word " * 150, "times": 2, "usage": usage},
        {"stage": "answer", "reply": "{digest}, then {digest}, then {digest}.", "usage": usage},
    ]
    pairs, _ = project.generate()
    assert sorted(pair.provenance.attempt for pair in pairs) == [1, 1, 1, 2]
    project.tables["source"] = {}
    result = estimated(project, ledger=True)
    (stage,) = result.stages
    assert (stage.basis.short, stage.basis.long, stage.basis.replies_measured) == (7, 7, 10)
    assert (stage.basis.corrected, stage.basis.replies_judged) == (None, 10)
    # Eight first calls and two of a second attempt could be followed; two were.
    assert (stage.basis.again, stage.basis.attempts_judged, stage.basis.attempts) == (2 / 10, 10, 3)
    assert (stage.calls.low, stage.reply_tokens.low) == (8, 56)
    fresh = estimated(project)
    assert fresh.stages[0].basis.replies_measured == 0
    assert fresh.stages[0].basis.again == AGAIN


def test_at_most_is_what_a_run_asks_for_if_nothing_is_ever_right(project: Any) -> None:
    project.rules = [{"stage": "answer", "reply": "{digest} " + "word " * 150}]
    before = estimated(project)
    pairs, rejects = project.generate()
    assert (len(pairs), len(rejects)) == (0, 3)
    with Ledger(project.run.ledger, read_only=True) as ledger:
        (used,) = spent(ledger)
    assert before.total.calls.at_most == used.attempts == len(project.calls()) == 18
    after = estimated(project, ledger=True)
    assert (after.rejected, after.total.calls.at_most) == ({"check": 3}, 0)


def test_without_checks_as_a_gate_an_answer_is_never_written_again(project: Any) -> None:
    project.tables["checks"] = {"mode": "report"}
    assert estimated(project).total.calls.at_most == 12


def test_two_rows_that_ask_for_the_same_cost_one_call(project: Any, new_row: Any) -> None:
    project.rows = [new_row(0), new_row(0) | {"id": "1_1_0"}]
    before = estimated(project)
    project.generate()
    assert before.total.calls.low == len(project.calls()) == 2


def test_counts_do_not_depend_on_how_the_source_is_cut(project: Any, new_row: Any) -> None:
    project.rows = [new_row(number) for number in range(4)]
    whole = estimated(project).total
    project.tables["source"] = {"ids": ["1_1_0", "1_3_0"]}
    some = estimated(project).total
    project.tables["source"] = {"ids": ["1_0_0", "1_2_0"]}
    others = estimated(project).total
    assert (whole.calls.low, whole.calls.at_most) == (8, 24)
    assert (some.calls.low or 0) + (others.calls.low or 0) == 8


def test_memory_does_not_grow_with_what_an_item_holds(project: Any, new_row: Any) -> None:
    def peak(count: int) -> int:
        project.rows = [new_row(n, profile=[], narrative=f"{n} words " * 4000) for n in range(count)]
        recipe = load_recipe(project.write())
        project.rows = []
        tracemalloc.start()
        asyncio.run(estimate(recipe, Prompts(), None))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(5)
    # A row holds some 36 kB, so 200 more would take 7 MB if they were kept.
    assert peak(220) - peak(20) < 1_000_000
