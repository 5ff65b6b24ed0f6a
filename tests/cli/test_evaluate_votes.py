"""`prbgen evaluate` on people's votes: PRISM and Chatbot Arena, by the same command as pairs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prbgen.cli import main
from prbgen.evaluation.report.texts import read_texts
from prbgen.evaluation.summary import Summary
from tests.data_cards.tiny import TEMPLATE, save_classifier
from tests.sources.lamp_rows import write
from tests.sources.votes.vote_rows import arena, battle, prism, utterances

MAKERS: dict[str, Callable[[], Path]] = {
    "PRISM": lambda: write(Path("prism/utterances.jsonl"), prism() + utterances(1000, "user0", (5, 5))).parent,
    "Arena": lambda: write(Path("arena/data/train-0.parquet"), [*arena(), battle(1000, "few", "tie")]).parents[1],
}


@pytest.fixture(scope="module")
def reward_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_classifier(tmp_path_factory.mktemp("reward") / "model", labels=1, template=TEMPLATE)


def evaluated(data: Path, *words: str | Path) -> tuple[int, dict[str, Any], list[dict[str, Any]]]:
    """Exit code, summary and items of an evaluation in ./out."""
    code = main(["evaluate", str(data), *map(str, words), "--out", "out"])
    items = [json.loads(line) for line in Path("out/items.jsonl").read_text().splitlines()]
    return code, json.loads(Path("out/summary.json").read_text()), items


@pytest.mark.parametrize("condition", ["none", "profile", "shuffled"])
@pytest.mark.parametrize("benchmark", MAKERS)
def test_every_vote_is_scored_and_what_was_left_out_is_told(
    benchmark: str, condition: str, reward_model: Path, in_tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = MAKERS[benchmark]()
    words = ("--scorer", f"scalar:{reward_model}", "--condition", condition, "--max-tokens", "4096")
    code, summary, items = evaluated(data, *words)
    assert (code, summary["n"], summary["unscored"], summary["condition"]) == (0, 15, 0, condition)
    assert list(summary["by_subset"]) == [benchmark]
    assert len({item["user_key"] for item in items}) == 3
    assert len({item["pair_id"] for item in items}) == 15
    errors = " ".join(capsys.readouterr().err.split())
    assert f"{data.name}: 15 pairs of 3 users; votes left out: 1 that are ties" in errors
    # A report shows the texts of results, and these hold none: they are read again.
    texts, missing = read_texts(Summary.model_validate(summary), {items[0]["pair_id"]}, str(data))
    assert missing is None
    assert "<answer" in texts[items[0]["pair_id"]].chosen


@pytest.mark.parametrize("benchmark", MAKERS)
def test_a_model_sees_the_askers_other_votes_or_a_strangers(benchmark: str, in_tmp_path: Path) -> None:
    data = MAKERS[benchmark]()
    seen: dict[str, str] = {}
    for condition in ("none", "profile", "shuffled"):
        judge = write(Path(f"{condition}.jsonl"), [{"record": f"{condition}.calls"}, {"reply": '{"verdict": "A"}'}])
        words = ["--scorer", f"judge:scripted/{judge}", "--condition", condition, "--out", condition, "--limit", "1"]
        assert main(["evaluate", str(data), *words]) == 0
        seen[condition] = json.loads(Path(f"{condition}.calls").read_text().splitlines()[0])["text"]
    # The first user's questions are numbered from 0, the others' from 100 and 200.
    assert "The answer I preferred" not in seen["none"]
    assert all(f"number {other}?" in seen["profile"] for other in range(5))
    assert seen["profile"].count("The answer I preferred: <answer") == 4
    assert seen["profile"].count("of 0>") == 2
    assert seen["shuffled"].count("The answer I preferred: <answer") == 4
    assert not any(f"number {other}?" in seen["shuffled"] for other in range(1, 5))


def test_a_planner_infers_a_rubric_from_the_votes(in_tmp_path: Path) -> None:
    aspects = '{"aspects": [{"aspect": "INFERRED", "reason": "from the votes"}]}'
    planner = write(Path("planner.jsonl"), [{"record": "planner.calls"}, {"reply": aspects}])
    judge = write(Path("judge.jsonl"), [{"record": "judge.calls"}, {"reply": '{"verdict": "A"}'}])
    words = ("--scorer", f"judge:scripted/{judge}", "--condition", "planner", "--planner", f"scripted/{planner}")
    code, summary, _ = evaluated(MAKERS["PRISM"](), *words)
    assert (code, summary["n"], summary["unscored"]) == (0, 15, 0)
    assert "The answer I preferred" in Path("planner.calls").read_text()
    shown = Path("judge.calls").read_text()
    assert "INFERRED" in shown
    assert "The answer I preferred" not in shown


@pytest.mark.parametrize("benchmark", MAKERS)
def test_votes_have_no_gold_rubric(
    benchmark: str, reward_model: Path, in_tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--scorer", f"scalar:{reward_model}", "--condition", "oracle"]
    assert main(["evaluate", str(MAKERS[benchmark]()), *words]) == 2
    assert "--condition oracle needs the column rubric_aspects" in capsys.readouterr().err


def test_too_few_votes_are_one_clear_line(
    reward_model: Path, in_tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write(Path("utterances.jsonl"), prism(2, 4))
    assert main(["evaluate", str(data), "--scorer", f"scalar:{reward_model}", "--condition", "none"]) == 2
    assert "utterances.jsonl: no user has 5 votes that can be used" in capsys.readouterr().err
