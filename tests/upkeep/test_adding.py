"""A strategy, a check, a source, a scorer, a metric: each is one file and one line in prbgen/registry.py.

Each is added here as a contributor adds it, in a file of its own and by one entry, and used by the commands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prbgen import registry
from prbgen.cli import main
from prbgen.registry import ScorerKind

ROOT = Path(__file__).parents[2]

FILES = {
    "added_strategy": '''
from prbgen.generation.strategies.base import Brief


class Half:
    """Half of the aspects, to be left out."""

    prompts = ()
    without = False

    def __init__(self, tools):
        pass

    async def brief(self, question, rubric):
        return Brief(rubric.aspects[: len(rubric.aspects) // 2], keep=False)
''',
    "added_checks": """
from prbgen.generation.check.base import Finding


def exclaims(answer, given):
    return Finding("fail" if "!" in answer else "pass", answer.count("!"))


def begins(one, other, given):
    return Finding("pass" if one[:1] == other[:1] else "fail")
""",
    "added_source": '''
from prbgen.schema import PreferencePair


class Slips:
    """One pair a line: who asks, question, chosen, rejected."""

    def __init__(self, path):
        self.name = path

    def read_with_places(self):
        for number, line in enumerate(open(self.name), 1):
            user, question, chosen, rejected = line.rstrip().split("|")
            yield f"{self.name}:line {number}", PreferencePair(
                id=str(number), pair_id=None, question=question, chosen=chosen, rejected=rejected, profile=None,
                rubric_aspects=None, narrative=None, category=None, subset="", split="", user_key=user,
            )


def open_slips(wanted):
    return Slips(wanted.data) if wanted.data.endswith(".slips") else None
''',
    "added_scorer": """
from prbgen.evaluation.scorers.scorer import Found
from prbgen.evaluation.summary import ModelFacts


class Length:
    facts = ModelFacts(kind="length", name="words")
    fingerprint = "length 1"
    versions = {}
    cost = None

    async def score(self, asked, stop):
        for each in asked:
            yield Found(each.place, each.most, tuple(float(len(answer.split())) for answer in each.answers))

    async def close(self):
        pass


async def open_length(opening):
    opening.say(f"counts {opening.settings.model}")
    return Length()
""",
    "added_metric": '''
import numpy as np


def decided(pairs, bootstrap):
    """The share of scored pairs that are no tie."""
    scored = pairs.scored.astype(np.int64)
    return bootstrap.share(scored * (pairs.margin != 0), scored, pairs.user.codes)
''',
    "added_coefficient": """
import numpy as np


def same_best(both):
    return np.asarray((both.benchmark.scores.argmax(axis=1) == both.downstream.scores.argmax(axis=1)) * 1.0)
""",
}


@pytest.fixture(autouse=True)
def added(in_tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = in_tmp_path / "files"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setitem(registry.STRATEGIES, "half", "added_strategy:Half")
    monkeypatch.setitem(registry.ANSWER_CHECKS, "exclaims", "added_checks:exclaims")
    monkeypatch.setitem(registry.PAIR_CHECKS, "begins", "added_checks:begins")
    monkeypatch.setitem(registry.SOURCES, "slips", "added_source:open_slips")
    monkeypatch.setitem(registry.SCORERS, "length", ScorerKind("added_scorer:open_length", ("max_tokens",)))
    monkeypatch.setitem(registry.METRICS, "decided", "added_metric:decided")
    monkeypatch.setitem(registry.COEFFICIENTS, "same_best", ("same best", "added_coefficient:same_best"))
    yield
    registry.load.cache_clear()


def generate(strategy: str) -> int:
    Path("model.jsonl").write_text('{"reply": "{digest} might suit."}\n')
    source, models = '[source]\npath = "samples"\nlimit = 2\n', '[models]\nanswer = "scripted/model.jsonl"\n'
    Path("recipe.toml").write_text(f'{source}[pair]\nstrategy = "{strategy}"\n{models}[checks]\nmode = "report"\n')
    return main(["generate", "recipe.toml", "--run", "made"])


def test_a_strategy_and_checks_are_used_by_generate() -> None:
    assert generate("half") == 0
    pairs = [json.loads(line) for line in Path("made/pairs.jsonl").read_text().splitlines()]
    assert {pair["strategy"] for pair in pairs} == {"half"}
    for pair in pairs:
        aspects = pair["rubric_aspects"]
        assert pair["provenance"]["rejected_aspects"] == aspects[: len(aspects) // 2]
        found = [(check["name"], check["side"]) for check in pair["checks"]]
        assert {("exclaims", "chosen"), ("exclaims", "rejected"), ("begins", None)} <= set(found)


def test_a_strategy_that_is_not_there_is_refused_by_naming_those_that_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert generate("whole") == 2
    assert "[pair] strategy: should be one of avoid, counter, swap, generic, half" in capsys.readouterr().err


def evaluate(*flags: str) -> tuple[int, Path]:
    Path("pairs.slips").write_text("ann|Why?|Because of that.|Because.\nbob|When?|Now.|Then.\n")
    return main(
        ["evaluate", "pairs.slips", "--scorer", "length:words", "--condition", "none", "--out", "out", *flags]
    ), Path("out")


def test_a_source_a_scorer_and_a_metric_are_used_by_evaluate_and_report(capsys: pytest.CaptureFixture[str]) -> None:
    code, out = evaluate("--max-tokens", "9")
    assert code == 0
    summary: dict[str, Any] = json.loads((out / "summary.json").read_text())
    assert (summary["n"], summary["wins"], summary["ties"], summary["users"]) == (2, 1, 1, 2)
    assert summary["model"]["kind"] == "length"
    assert summary["further"]["decided"]["value"] == 0.5
    printed = capsys.readouterr()
    assert "decided 0.500 [0.000, 1.000]" in printed.out
    assert "counts words" in printed.err
    assert main(["report", "out", "--out", "page"]) == 0
    for file in ("report.html", "report.md"):
        assert re.search(r"Decided", Path("page", file).read_text())


def test_a_metric_that_gives_something_else_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("files", "bare_metric.py").write_text("def bare(pairs, bootstrap):\n    return 0.5\n")
    monkeypatch.setitem(registry.METRICS, "bare", "bare_metric:bare")
    assert evaluate()[0] == 2
    assert "the metric bare (bare_metric:bare) should give a Share, and gives 0.5" in capsys.readouterr().err


def test_a_kind_of_scorer_refuses_what_says_nothing_to_it_and_one_that_is_not_there_names_those_that_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert evaluate("--samples", "2")[0] == 2
    assert "--samples says nothing to a length scorer: it goes with rate" in capsys.readouterr().err
    assert main(["evaluate", "pairs.slips", "--scorer", "width:words", "--condition", "none"]) == 2
    assert "KIND is one of scalar, judge, rate, http, pooling, length" in capsys.readouterr().err


def test_a_coefficient_is_used_by_correlate(capsys: pytest.CaptureFixture[str]) -> None:
    Path("one.json").write_text('{"a": 1, "b": 2, "c": 3}')
    Path("other.json").write_text('{"a": 1, "b": 3, "c": 4}')
    assert main(["correlate", "--benchmark", "one.json", "--downstream", "other.json", "--out", "found"]) == 0
    assert re.search(r"same best +1\.000", capsys.readouterr().out)
    assert json.loads(Path("found/correlation.json").read_text())["further"]["same_best"]["value"] == 1


def test_each_line_of_the_registry_leads_to_something() -> None:
    tables = (registry.STRATEGIES, registry.ANSWER_CHECKS, registry.PAIR_CHECKS, registry.SOURCES, registry.METRICS)
    where = [each for table in tables for each in table.values()]
    where += [kind.opens for kind in registry.SCORERS.values()] + [each for _, each in registry.COEFFICIENTS.values()]
    assert all(callable(registry.load(each)) for each in where)
