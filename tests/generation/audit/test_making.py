"""How the pairs of a run came about."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prbgen.generation.audit.making import History, MadeBy

USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
FAIR = "Pick {digest} tonight, with {digest} on the side and {digest} to drink."


def coverage(score: int) -> dict[str, Any]:
    return {"aspects": [{"number": number, "found": "x", "score": score} for number in (1, 2)]}


@pytest.fixture
def judged(project: Any) -> Any:
    """Three questions whose chosen answers cover all, and rejected ones nothing; a call costs a tenth of a dollar."""
    rules: list[dict[str, Any]] = [
        {"stage": "quality", "reply": {"remarks": "x", "factuality": 5, "relevance": 5, "helpfulness": 4}},
        {"stage": "coverage", "match": "gladly", "reply": coverage(2)},
        {"stage": "coverage", "reply": coverage(0)},
    ]
    rules = [rule | {"usage": USAGE, "cost_usd": 0.1} for rule in rules]
    (project.folder / "judge.jsonl").write_text("".join(json.dumps(rule) + "\n" for rule in rules))
    project.rules = [
        {"match": "cover each of these points", "reply": f"{FAIR[:-1]} gladly.", "usage": USAGE, "cost_usd": 0.1},
        {"reply": FAIR, "usage": USAGE, "cost_usd": 0.1},
    ]
    project.tables["models"] = {"judge": "scripted/judge.jsonl"}
    return project


def test_attempts_coverage_and_cost_are_those_on_record(judged: Any) -> None:
    judged.generate()
    making = History(judged.run).making()
    assert (making.attempts, making.passed, making.coverage_gap) == (3, 3, 1.0)
    assert set(making.pass_rates.values()) <= {1.0, None}
    assert making.pass_rates["coverage (chosen)"] == making.pass_rates["near_copy"] == 1.0
    # Two answers, each judged twice.
    assert making.cost.usd_a_pair == pytest.approx(0.6)
    assert making.cost.reason is None


def test_an_unknown_price_is_no_cost(judged: Any) -> None:
    for rule in judged.rules:
        del rule["cost_usd"]
    judged.generate()
    cost = History(judged.run).making().cost
    assert cost.usd_a_pair is None
    assert cost.reason == "the cost of a pair is not known: the price of some calls is not"


def test_strategies_are_told_apart_also_one_that_brought_no_pair(judged: Any) -> None:
    judged.generate()
    judged.tables["pair"] = {"strategy": "generic", "attempts": 2}
    judged.rules = [{"reply": "As an AI, {digest}.", "usage": USAGE, "cost_usd": 0.1}]
    judged.generate()
    history = History(judged.run)
    avoid = history.making(MadeBy("avoid", "scripted/model.jsonl"))
    generic = history.making(MadeBy("generic", "scripted/model.jsonl"))
    assert (avoid.attempts, avoid.passed, avoid.coverage_gap) == (3, 3, 1.0)
    assert (generic.attempts, generic.passed, generic.coverage_gap) == (6, 0, None)
    assert avoid.cost.usd_a_pair is None
    assert avoid.cost.reason == "the cost of a pair is not known: strategies or generators share the calls of the run"
    whole = history.making()
    assert (whole.attempts, whole.passed) == (9, 3)
    assert whole.cost.usd_a_pair == pytest.approx(0.1 * len(judged.calls() + ["judge"] * 12) / 3)
