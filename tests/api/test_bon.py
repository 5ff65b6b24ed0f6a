"""Best-of-N in Python does what the command does: the same files, the same figures."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import prbgen
from prbgen.cli import main
from tests.evaluation.asking_rows import NARRATIVE, pair_row

FOLDER = Path("results/pairs.jsonl/bon-scripted-policy.jsonl-profile")
COVERED = {"aspects": [{"number": 1, "found": "so", "score": 1}]}


def script(name: str, reply: Any) -> str:
    text = "".join(json.dumps(line) + "\n" for line in ({"record": f"{name}.calls"}, {"reply": reply}))
    Path(f"{name}.jsonl").write_text(text)
    return f"scripted/{name}.jsonl"


@pytest.fixture
def data(in_tmp_path: Path) -> Path:
    """Four pairs of four users."""
    rows = [pair_row(number, subset="chat", narrative=NARRATIVE) for number in range(4)]
    (in_tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Path("pairs.jsonl")


@pytest.fixture
def models(data: Path) -> dict[str, str]:
    return {
        "policy": script("policy", "Sample {sample}, {digest}."),
        "rate": f"rate:{script('rate', {'score': 7})}",
        "judge": script("judge", COVERED),
    }


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    capsys.readouterr()
    assert main(["bon", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_each_function_gives_what_the_command_prints_and_finds_what_the_command_left(
    data: Path, models: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["pairs.jsonl", "--policy", models["policy"], "--n", "2", "--out", "by-command"]
    sampled = prbgen.bon.sample(data, policy=models["policy"], n=2)
    assert sampled.model_dump(mode="json") == printed(capsys, "sample", *words)
    assert (sampled.folder, sampled.shortened) == (FOLDER, 0)
    assert [len(row.candidates) for row in sampled.read_candidates()] == [2, 2, 2, 2]
    assert (FOLDER / "candidates.jsonl").read_bytes() == Path("by-command/candidates.jsonl").read_bytes()

    scored = prbgen.bon.score(data, scorer=models["rate"], condition="profile")
    words = ["pairs.jsonl", "--scorer", models["rate"], "--condition", "profile", "--candidates", "by-command"]
    took = {"scoring_seconds": 0}
    assert scored.model_dump(mode="json") | took == printed(capsys, "score", *words) | took
    assert [row.scores for row in scored.read_scores()] == [(7.0, 7.0)] * 4

    estimated = prbgen.bon.estimate(data, judge=models["judge"])
    assert (estimated.answers, estimated.recorded, Path("judge.calls").exists()) == (8, 0, False)
    judged = prbgen.bon.judge(data, judge=models["judge"])
    words = ["pairs.jsonl", "--judge", models["judge"], "--candidates", "by-command"]
    assert judged.model_dump(mode="json") == printed(capsys, "judge", *words)
    assert [[each.quality for each in row.judgements] for row in judged.read_judgements()] == [[0.5, 0.5]] * 4

    drawn = prbgen.bon.curve(data, candidates=FOLDER)
    assert drawn.model_dump(mode="json") == printed(capsys, "curve", "pairs.jsonl", "--candidates", str(FOLDER))
    assert (drawn.folder, drawn.unfinished) == (judged.folder, ())
    [curve] = drawn.models.values()
    assert curve.points[-1].quality.value == 0.5


def test_in_a_notebook_a_loop_is_running_already(data: Path, models: dict[str, str]) -> None:
    async def notebook() -> float | None:
        prbgen.bon.sample(data, policy=models["policy"], n=1, limit=2)
        prbgen.bon.score(data, scorer=models["rate"])
        assert prbgen.bon.estimate(data, judge=models["judge"]).answers == 2
        prbgen.bon.judge(data, judge=models["judge"])
        [curve] = prbgen.bon.curve(data).models.values()
        return curve.points[0].quality.value

    assert asyncio.run(notebook()) == 0.5


def test_wrong_input_is_an_error_that_says_what_to_do(data: Path, models: dict[str, str]) -> None:
    policy, judge = models["policy"], models["judge"]
    wrong: list[tuple[Callable[[], object], str]] = [
        (lambda: prbgen.bon.curve(data), "`prbgen bon sample pairs.jsonl --policy MODEL` writes them"),
        (lambda: prbgen.bon.curve(data, candidates="nowhere"), "nowhere: no candidates in it"),
        (lambda: prbgen.bon.curve(data, candidates=1), "candidates: should be a path"),  # type: ignore[arg-type]
        (lambda: prbgen.bon.sample("nowhere", policy=policy), "nowhere"),
        (lambda: prbgen.bon.sample([], policy=policy), "data: should be a path"),  # type: ignore[arg-type]
        (lambda: prbgen.bon.sample(data, policy=policy, n=0), "--n: 0"),
        (lambda: prbgen.bon.sample(data, policy=policy, posts=0), "--posts: 0"),
        (lambda: prbgen.bon.sample(data, policy=policy, limit=-1), "--limit: -1"),
        (lambda: prbgen.bon.sample(data, policy=policy, condition="oracle"), "--condition oracle"),
        (lambda: prbgen.bon.sample(data, policy="hf:x", rpm=3), "--rpm says nothing to hf:x"),
        (lambda: prbgen.bon.sample(data, policy=policy, rpm=-3), "--rpm"),
        (lambda: prbgen.bon.sample(data, policy=policy, policy_option="k=1"), "policy_option: should be a dict"),  # type: ignore[arg-type]
        (lambda: prbgen.bon.estimate(data, judge=judge, judge_option=[1]), "judge_option: should be a dict"),  # type: ignore[arg-type]
    ]
    for call, said in wrong:
        with pytest.raises(prbgen.InputError) as raised:
            call()
        assert said in str(raised.value)
    prbgen.bon.sample(data, policy=policy, n=1)
    for more, said in (({"condition": "all"}, "--condition all"), ({"opponents": 2}, "--opponents says nothing")):
        with pytest.raises(prbgen.InputError, match=said):
            prbgen.bon.score(data, scorer="rate:x", **more)
    with pytest.raises(prbgen.InputError, match="--opponents 3: should be an even number from 2"):
        prbgen.bon.score(data, scorer="judge:x", opponents=3)


def test_a_slip_of_the_pen_is_told_and_never_passed_over(data: Path, models: dict[str, str]) -> None:
    calls: dict[str, Callable[[], object]] = {
        "limits'; did you mean 'limit": lambda: prbgen.bon.sample(data, policy="x", limits={}),  # type: ignore[call-arg]
        "temprature'; did you mean 'temperature": lambda: prbgen.bon.sample(data, policy="x", temprature=0),  # type: ignore[call-arg]
        "judge_options'; did you mean 'judge_option": lambda: prbgen.bon.judge(data, judge="x", judge_options={}),  # type: ignore[call-arg]
        "oponents'; did you mean 'opponents": lambda: prbgen.bon.score(data, scorer="judge:x", oponents=2),  # type: ignore[call-arg]
    }
    for said, call in calls.items():
        with pytest.raises(TypeError, match=said):
            call()
