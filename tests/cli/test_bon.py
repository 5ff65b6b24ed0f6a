"""Best-of-N, policies' answers and correlations as a whole: from pairs to what a benchmark predicts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prbgen.cli import main
from tests.evaluation.asking_rows import EVIDENCE, NARRATIVE, REASON, pair_row


def script(path: Path, *rules: dict[str, Any]) -> str:
    lines = ({"record": f"{path.stem}-calls.jsonl"}, *rules)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return f"scripted/{path}"


def calls(path: Path) -> list[dict[str, Any]]:
    file = path.with_name(f"{path.stem}-calls.jsonl")
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


@pytest.fixture
def here(in_tmp_path: Path) -> Path:
    """Eight pairs of eight users."""
    rows = [pair_row(number, subset="Art_and_Entertainment", narrative=NARRATIVE) for number in range(8)]
    (in_tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return in_tmp_path


@pytest.fixture
def models(here: Path) -> dict[str, str]:
    """A policy whose samples are told apart by their number, a judge that likes high numbers, and three raters."""
    covered = {number: {"aspects": [{"number": 1, "found": "so", "score": min(number, 2)}]} for number in range(4)}
    return {
        "policy": script(here / "policy.jsonl", {"reply": "Sample {sample}, {digest}."}),
        "judge": script(
            here / "judge.jsonl", *({"match": f"Sample {number},", "reply": covered[number]} for number in range(4))
        ),
        # The more it agrees with the judge, the better it should do.
        "good": script(here / "good.jsonl", *rated({0: 1, 1: 5, 2: 8, 3: 9}, right="[0-7]")),
        "flat": script(here / "flat.jsonl", *rated({0: 5, 1: 5, 2: 5, 3: 5}, right="[0-3]")),
        "bad": script(here / "bad.jsonl", *rated({0: 9, 1: 6, 2: 2, 3: 1}, right="8")),
    }


def rated(marks: dict[int, int], right: str) -> list[dict[str, Any]]:
    """Marks of samples by their number, and verdicts on pairs that are `right` for those of these numbers."""
    samples = [{"match": f"Sample {number},", "reply": {"score": mark}} for number, mark in marks.items()]
    chosen = {"match": rf"Do this, {right}\.", "reply": {"score": 9}}
    return [*samples, chosen, {"match": "Do this", "reply": {"score": 1}}, {"match": "Do that", "reply": {"score": 5}}]


def printed(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> Any:
    capsys.readouterr()
    assert main([*words, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_the_whole_way_from_pairs_to_what_the_benchmark_predicts(
    here: Path, models: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    sampling = printed(capsys, "bon", "sample", "pairs.jsonl", "--policy", models["policy"], "--n", "4")
    assert (sampling["questions"], sampling["candidates"], sampling["missing"]) == (8, 32, 0)
    judging = printed(capsys, "bon", "judge", "pairs.jsonl", "--judge", models["judge"])
    assert judging["quality"]["value"] == pytest.approx((0 + 0.5 + 1 + 1) / 4)
    raters = [f"rate:{models[name]}" for name in ("good", "flat", "bad")]
    for scorer in raters:
        facts = printed(capsys, "bon", "score", "pairs.jsonl", "--scorer", scorer, "--condition", "none")
        assert (facts["scored"], facts["unscored"]) == (32, 0)
        assert main(["evaluate", "pairs.jsonl", "--scorer", scorer, "--condition", "none"]) == 0
    curves = printed(capsys, "bon", "curve", "pairs.jsonl")
    by_model = {curve["scorer"]: curve for curve in curves["models"].values()}
    assert curves["ks"] == [1, 2, 4]
    at_n = {scorer: by_model[scorer]["points"][-1] for scorer in raters}
    assert [at_n[scorer]["quality"]["value"] for scorer in raters] == pytest.approx([1, 0.625, 0])
    assert [at_n[scorer]["recovered"]["value"] for scorer in raters] == pytest.approx([1, 0, -0.625 / 0.375])

    found = printed(capsys, "correlate", "--benchmark", "results/pairs.jsonl", "--downstream", "results/pairs.jsonl")
    assert found["spearman"]["value"] == pytest.approx(1)
    assert found["spearman"]["p"] == pytest.approx(1 / 6)
    assert found["n_models"] == 3
    assert not found["conclusive"]
    assert {each["model"] for each in found["models"]} == set(raters)
    assert Path("correlation/correlation.svg").is_file()


def test_a_larger_n_asks_for_the_rest_alone_and_makes_scores_and_judgements_stale(
    here: Path, models: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    sample = ["bon", "sample", "pairs.jsonl", "--policy", models["policy"], "--n"]
    judge = ["bon", "judge", "pairs.jsonl", "--judge", models["judge"]]
    score = ["bon", "score", "pairs.jsonl", "--scorer", f"rate:{models['good']}", "--condition", "none"]
    for words in ([*sample, "2"], judge, score, ["bon", "curve", "pairs.jsonl"], [*sample, "4"]):
        assert main(words) == 0
    assert main(["bon", "curve", "pairs.jsonl"]) == 2
    assert "run `prbgen bon score` again" in capsys.readouterr().err
    for words in (judge, score, ["bon", "curve", "pairs.jsonl"]):
        assert main(words) == 0
    assert len(calls(here / "judge.jsonl")) == len(calls(here / "good.jsonl")) == 32


def test_neither_policy_nor_reward_model_sees_what_the_answers_are_judged_by(
    here: Path, models: dict[str, str]
) -> None:
    assert main(["bon", "sample", "pairs.jsonl", "--policy", models["policy"], "--n", "2"]) == 0
    assert main(["bon", "score", "pairs.jsonl", "--scorer", f"rate:{models['good']}", "--condition", "profile"]) == 0
    seen = calls(here / "policy.jsonl") + calls(here / "good.jsonl")
    assert seen
    for call in seen:
        assert not any(secret in call["text"] for secret in (NARRATIVE, EVIDENCE, REASON, "ASPECT-GOLD"))
        assert "Post 0 of user" in call["text"]


def test_a_policys_answers_are_judged_and_correlated_by_the_model_it_was_trained_with(
    here: Path, models: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    words: dict[str, float] = {}
    for name, quality in (("good", 2), ("flat", 1), ("bad", 0)):
        policy = script(here / f"{name}-policy.jsonl", {"reply": f"Sample {quality}, said."})
        answer = ["ppo", "answer", "pairs.jsonl", "--policy", policy, "--judge", models["judge"]]
        answer += ["--reward-model", f"rate:{name}", "--out", f"ppo/{name}"]
        document = printed(capsys, *answer)
        assert document["quality"]["value"] == quality / 2
        words[f"rate:{name}"] = 0.5 + quality / 10
    Path("benchmark.json").write_text(json.dumps(words))
    found = printed(capsys, "correlate", "--benchmark", "benchmark.json", "--downstream", "ppo")
    assert found["kendall"]["value"] == pytest.approx(1)
    assert found["downstream"]["kind"] == "policies"


@pytest.mark.parametrize("flag", [["--timeout", "0"], ["--budget-usd", "-1"], ["--judge-api-base", "nowhere"]])
def test_what_the_judge_cannot_have_is_refused_before_an_answer_is_written(
    here: Path, models: dict[str, str], flag: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    answer = ["ppo", "answer", "pairs.jsonl", "--policy", "hf:nowhere", "--judge", models["judge"], *flag]
    assert main(answer) == 2
    assert capsys.readouterr().err.startswith(f"prbgen: {flag[0].removesuffix('-api-base')}")


def test_candidates_are_found_below_results_or_named(
    here: Path, models: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    curve = ["bon", "curve", "pairs.jsonl"]
    assert main(curve) == 2
    assert "`prbgen bon sample pairs.jsonl --policy MODEL` writes them" in capsys.readouterr().err
    sample = ["bon", "sample", "pairs.jsonl", "--policy", models["policy"], "--n", "2"]
    assert main(sample) == main([*sample, "--condition", "none"]) == 0
    capsys.readouterr()
    assert main(curve) == 2
    assert "name one with --candidates" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--scorer", "rate:x", "--opponents", "2"], "--opponents says nothing to a rate scorer"),
        (["--scorer", "scalar:x", "--budget-usd", "2"], "--budget-usd says nothing to a scalar scorer"),
        (["--scorer", "judge:x", "--opponents", "3"], "--opponents 3: should be an even number from 2"),
        (["--scorer", "judge"], "should be KIND:MODEL"),
    ],
)
def test_flags_of_score_that_say_nothing_are_refused(
    here: Path, models: dict[str, str], words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bon", "sample", "pairs.jsonl", "--policy", models["policy"], "--n", "2"]) == 0
    assert main(["bon", "score", "pairs.jsonl", "--condition", "none", *words]) == 2
    assert said in capsys.readouterr().err
