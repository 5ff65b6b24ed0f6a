"""`prbgen evaluate` as a whole: from a place with pairs to a folder of results."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pytest

from prbgen.cli import main
from prbgen.evaluation.settings import CONDITIONS
from prbgen.publication.results import read_results
from tests.data_cards import rows as published_rows
from tests.data_cards.conftest import command, publish, script
from tests.data_cards.tiny import TEMPLATE, save_classifier, save_language_model
from tests.evaluation.asking_rows import ASPECT, EVIDENCE, NARRATIVE, REASON, pair_row, plain_row
from tests.processes import ROOT

__all__ = ["command", "publish", "script"]

VERDICT = '{"verdict": "A"}'


@pytest.fixture(scope="session")
def reward_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_classifier(tmp_path_factory.mktemp("reward") / "model", labels=1, template=TEMPLATE)


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def pairs(in_tmp_path: Path) -> Path:
    """Twelve pairs of twelve users in one category."""
    return write(in_tmp_path / "pairs.jsonl", *(pair_row(number) for number in range(12)))


def evaluated(*words: str | Path) -> tuple[int, dict[str, Any], list[dict[str, Any]]]:
    """Exit code, summary and items of an evaluation in ./out."""
    code = main(["evaluate", *map(str, words), "--out", "out"])
    items = [json.loads(line) for line in Path("out/items.jsonl").read_text().splitlines()]
    return code, json.loads(Path("out/summary.json").read_text()), items


@pytest.mark.parametrize("condition", ["none", "profile", "oracle"])
def test_verdicts_and_scores_are_those_of_the_published_script(
    condition: str,
    reward_model: Path,
    publish: Callable[..., Path],
    command: Callable[..., tuple[int, str, str]],
) -> None:
    first, *rest = published_rows.six()
    dataset = publish([first.model_copy(update={"profile": first.profile[:1]}), *rest])
    # Only one post fits.
    limits = ("--max-tokens", "250") if condition == "profile" else ()
    words = ("--scorer", f"scalar:{reward_model}", "--condition", condition, *limits)
    _, out, _ = command(str(dataset), *words)
    theirs = json.loads(out)
    code, summary, items = evaluated(dataset, *words)
    assert code == (1 if summary["unscored"] else 0)
    by_pair = {item["pair_id"]: item for item in theirs["items"]}
    assert len(items) == len(by_pair) == 6
    for item in items:
        other = by_pair[item["pair_id"]]
        for name in ("outcome", "reason", "truncated", "subset", "user_key", "id"):
            assert item[name] == other[name]
        if item["outcome"] != "unscored":
            assert item["score_chosen"] == pytest.approx(other["score_chosen"], abs=1e-3)
            assert item["score_rejected"] == pytest.approx(other["score_rejected"], abs=1e-3)
    figures = ("n", "wins", "losses", "ties", "unscored", "coverage", "bounds", "truncated", "accuracy_half", "split")
    for name in (*figures, "condition", "scorer", "note", "posts"):
        assert summary[name] == theirs[name]
    for mine, script_s in ((summary, theirs), *((summary["by_subset"][key], theirs["by_subset"][key]) for key in ART)):
        assert (mine["accuracy"]["value"], mine["accuracy"]["ci95"]) == tuple(script_s["accuracy"].values())
    if condition == "profile":
        assert {item["truncated"] for item in items} == {True, False}


ART = ("Art_and_Entertainment", published_rows.LIFE)


def test_a_published_card_and_pandas_take_these_results(pairs: Path, reward_model: Path) -> None:
    _, summary, items = evaluated(pairs, "--scorer", f"scalar:{reward_model}", "--condition", "none")
    result = read_results(Path("out"), {item["pair_id"] for item in items})
    assert (result.accuracy, result.scored) == (summary["accuracy"]["value"], 12)
    table = pandas.read_json("out/items.jsonl", lines=True)
    assert (table["outcome"] == "win").mean() == summary["accuracy"]["value"]
    assert (table["score_chosen"] > table["score_rejected"]).sum() == summary["wins"]


def test_what_has_been_scored_is_not_scored_again_and_files_are_the_same_to_the_byte(
    pairs: Path, reward_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (pairs, "--scorer", f"scalar:{reward_model}", "--condition", "profile")
    evaluated(*words)
    before = {name: Path("out", name).read_bytes() for name in ("items.jsonl", "summary.json")}
    evaluated(*words)
    assert {name: Path("out", name).read_bytes() for name in before} == before
    main(["evaluate", *map(str, words), "--out", "again"])
    assert Path("again/items.jsonl").read_bytes() == before["items.jsonl"]
    ours, again = (json.loads(Path(folder, "summary.json").read_text()) for folder in ("out", "again"))
    # How long it took is all that differs.
    assert {**ours, "scoring_seconds": 0} == {**again, "scoring_seconds": 0}


def test_a_limit_can_grow_and_counts_in_the_order_of_the_data(pairs: Path, reward_model: Path) -> None:
    words = (pairs, "--scorer", f"scalar:{reward_model}", "--condition", "shuffled")
    _, summary, first = evaluated(*words, "--limit", "5")
    assert summary["n"] == 5
    _, summary, all_of_them = evaluated(*words)
    assert summary["n"] == 12
    assert all_of_them[:5] == first
    assert [item["pair_id"] for item in all_of_them] == [f"p{number}" for number in range(12)]


def scripted(path: Path, *rules: dict[str, Any]) -> str:
    write(path, {"record": f"{path.stem}.calls"}, *rules)
    return f"scripted/{path}"


def calls(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_scoring_standard_reaches_a_model_under_oracle_alone(pairs: Path) -> None:
    planner = scripted(
        Path("inferring.jsonl"), {"reply": '{"aspects": [{"aspect": "INFERRED", "reason": "from the posts"}]}'}
    )
    for condition in CONDITIONS:
        judge = scripted(Path(f"{condition}.jsonl"), {"reply": VERDICT})
        asked = ["--planner", planner] if condition == "planner" else []
        words = ["--scorer", f"judge:{judge}", "--condition", condition, "--out", condition, *asked]
        assert main(["evaluate", str(pairs), *words]) == 0
        shown = " ".join(call["text"] for call in calls(Path(f"{condition}.calls")))
        assert not any(each in shown for each in (NARRATIVE, EVIDENCE, REASON))
        assert (ASPECT in shown) == (condition == "oracle")
        assert ("INFERRED" in shown) == (condition == "planner")
        assert ("Post 0 of user" in shown) == (condition in ("profile", "shuffled"))
    planned = Path("inferring.calls").read_text()
    assert not any(each in planned for each in (NARRATIVE, EVIDENCE, REASON, ASPECT))


def test_a_planner_is_asked_once_a_question_whatever_is_evaluated(pairs: Path) -> None:
    planner = scripted(
        Path("planner.jsonl"), {"reply": '{"aspects": [{"aspect": "brevity", "reason": "terse posts"}]}'}
    )
    for name in ("one", "two"):
        judge = scripted(Path(f"{name}.jsonl"), {"reply": VERDICT})
        words = ["--scorer", f"judge:{judge}", "--condition", "planner", "--planner", planner, "--out", f"all/{name}"]
        assert main(["evaluate", str(pairs), *words]) == 0
    assert len(calls(Path("planner.calls"))) == 12
    assert Path("all/planner.sqlite").exists()


def test_orders_that_disagree_are_ties_and_an_unparsed_verdict_is_unscored_with_bounds(pairs: Path) -> None:
    rules: tuple[dict[str, Any], ...] = (
        {"match": "number 0", "reply": "I prefer A."},
        {"match": r"Answer A:\s+Do this", "reply": VERDICT},
        {"match": "number [1-5]\\b", "reply": '{"verdict": "B"}'},
        {"reply": VERDICT},
    )
    judge = scripted(Path("judge.jsonl"), *rules)
    code, summary, items = evaluated(pairs, "--scorer", f"judge:{judge}", "--condition", "none")
    assert code == 1
    assert (summary["wins"], summary["ties"], summary["unscored"]) == (5, 6, 1)
    assert summary["accuracy"]["value"] == 5 / 11
    assert summary["bounds"] == [5 / 12, 6 / 12]
    assert summary["order_consistency"] == 5 / 11
    assert items[0]["outcome"] == "unscored"
    assert "I prefer A." in items[0]["reason"]


def test_the_released_protocol_asks_in_one_order_and_still_leaves_unparsed_verdicts_out(pairs: Path) -> None:
    judge = scripted(Path("judge.jsonl"), {"match": "number 0", "reply": "A"}, {"reply": VERDICT})
    code, summary, items = evaluated(
        pairs, "--scorer", f"judge:{judge}", "--condition", "none", "--protocol", "released"
    )
    assert code == 1
    assert len(calls(Path("judge.calls"))) == 12
    assert {(item["verdict_ab"] is None) + (item["verdict_ba"] is None) for item in items[1:]} == {1}
    assert (summary["ties"], summary["unscored"], summary["order_consistency"]) == (0, 1, None)


def test_what_data_calls_itself_cannot_steer_a_terminal(
    in_tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    rows = [pair_row(number, subset=f"\x1b[31m[bold]\u202e{number % 2}") for number in range(4)]
    judge = scripted(Path("judge.jsonl"), {"reply": VERDICT})
    path = write(in_tmp_path / "hostile.jsonl", *rows)
    assert main(["evaluate", str(path), "--scorer", f"judge:{judge}", "--condition", "none", "--out", "out"]) == 0
    shown = capsys.readouterr().out
    assert "[bold]" in shown
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_a_judge_that_never_follows_the_format_is_given_up_early_with_examples(
    in_tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    many = write(in_tmp_path / "many.jsonl", *(pair_row(number) for number in range(200)))
    judge = scripted(Path("judge.jsonl"), {"reply": "Answer A is better."})
    words = ["--scorer", f"judge:{judge}", "--condition", "none", "--concurrency", "2", "--out", "out"]
    assert main(["evaluate", str(many), *words]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "none of 10 pairs could be scored" in said
    assert "Answer A is better." in said
    assert len(calls(Path("judge.calls"))) < 30


def test_plain_pairs_such_as_rewardbench_s_can_be_evaluated(in_tmp_path: Path, reward_model: Path) -> None:
    plain = write(in_tmp_path / "plain.jsonl", *(plain_row(number) for number in range(4)))
    code, summary, _ = evaluated(plain, "--scorer", f"scalar:{reward_model}", "--condition", "none")
    assert (code, summary["n"], list(summary["by_subset"])) == (0, 4, ["chat"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--scorer", "best:model", "--condition", "none"], "should be KIND:MODEL"),
        (["--scorer", "scalar:", "--condition", "none"], "should be KIND:MODEL"),
        (["--scorer", "scalar:nowhere/at-all", "--condition", "planner"], "name the model that infers rubrics"),
        (["--scorer", "scalar:x", "--condition", "none", "--planner", "openai/x"], "--planner goes with"),
        (["--scorer", "scalar:x", "--condition", "none", "--limit", "0"], "is no number from 1"),
        (["--scorer", "judge:x/y", "--condition", "none", "--timeout", "-1"], "--timeout: "),
        (["--scorer", "judge:x/y", "--condition", "none", "--api-base", "here"], "api_base is no address"),
        (["--scorer", "scalar:x", "--condition", "profile"], "profile"),
        (["--scorer", "scalar:x", "--condition", "oracle"], "rubric_aspects"),
    ],
)
def test_wrong_settings_are_one_clear_line(
    words: list[str], said: str, in_tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = write(in_tmp_path / "plain.jsonl", *(plain_row(number) for number in range(4)))
    assert main(["evaluate", str(plain), *words]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert said in lines[0]
    assert not list(in_tmp_path.rglob("summary.json"))


@pytest.mark.parametrize(
    "words",
    [
        ["--scorer", "http://me:s3cret@127.0.0.1:9/score"],
        ["--scorer", "http:http://127.0.0.1:9/score?key=s3cret"],
        ["--scorer", "https://me:s3cret@127.0.0.1:9/score"],
        ["--scorer", "pooling:m", "--api-base", "http://me:s3cret@127.0.0.1:9"],
        ["--scorer", "judge:openai/m", "--api-base", "http://me:s3cret@127.0.0.1:9"],
        ["--scorer", "judge:openai/m", "--option", "api_key=s3cret"],
    ],
)
def test_a_key_on_the_command_line_is_refused_and_neither_shown_nor_written(
    words: list[str], pairs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", str(pairs), *words, "--condition", "none"]) == 2
    shown = capsys.readouterr()
    assert "s3cret" not in shown.out + shown.err
    assert not [path for path in Path().rglob("*") if "s3cret" in path.name]
    assert not [path for path in Path().rglob("*") if path.is_file() and b"s3cret" in path.read_bytes()]


def test_a_model_without_a_score_head_is_refused(pairs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = save_language_model(Path("language-model"))
    assert main(["evaluate", str(pairs), "--scorer", f"scalar:{model}", "--condition", "none"]) == 2
    assert "lacks the weights that score an answer" in capsys.readouterr().err


def test_a_folder_of_other_results_or_of_other_things_is_left_alone(
    pairs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judge = scripted(Path("judge.jsonl"), {"reply": VERDICT})
    words = ["evaluate", str(pairs), "--scorer", f"judge:{judge}", "--out", "out", "--condition"]
    assert main([*words, "none"]) == 0
    before = Path("out/summary.json").read_bytes()
    capsys.readouterr()
    assert main([*words, "profile"]) == 2
    assert "condition 'none', not 'profile'" in capsys.readouterr().err
    assert Path("out/summary.json").read_bytes() == before
    Path("mine").mkdir()
    Path("mine/thesis.tex").write_text("mine")
    assert main([*words[:-3], "--condition", "none", "--out", "mine"]) == 2
    assert [file.name for file in Path("mine").iterdir()] == ["thesis.tex"]


def test_a_command_that_was_refused_does_not_bind_its_folder(
    publish: Callable[..., Path], in_tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = publish(published_rows.six(), validated=False)
    judge = scripted(Path("judge.jsonl"), {"reply": VERDICT})
    words = ["evaluate", str(dataset), "--scorer", f"judge:{judge}", "--condition", "none", "--out", "out"]
    assert main(words) == 2
    assert "--split test_unvalidated" in capsys.readouterr().err
    assert main([*words, "--split", "test_unvalidated"]) == 0


def _start(*words: str) -> subprocess.Popen[str]:
    line = [sys.executable, "-m", "prbgen", "evaluate", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def _await_calls(record: Path, least: int, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    while not record.exists() or record.read_bytes().count(b"\n") < least:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_kill_9_loses_nothing_and_pays_twice_only_for_what_was_in_flight(in_tmp_path: Path) -> None:
    many = write(in_tmp_path / "many.jsonl", *(pair_row(number) for number in range(30)))
    judge = scripted(Path("judge.jsonl"), {"reply": VERDICT, "delay": 0.05})
    words = (str(many), "--scorer", f"judge:{judge}", "--condition", "none", "--concurrency", "2", "--out", "out")
    for kill in range(2):
        process = _start(*words)
        _await_calls(Path("judge.calls"), 15 * (kill + 1), process)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert not Path("out/summary.json").exists()
    assert main(["evaluate", *words]) == 0
    sent = [(call["digest"], call["text"]) for call in calls(Path("judge.calls"))]
    assert len(set(sent)) == 60
    assert len(sent) <= 60 + 2 * 2
    assert not [file for file in Path("out").iterdir() if file.suffix == ".partial"]


def test_ctrl_c_finishes_what_is_in_flight_and_the_same_command_goes_on(in_tmp_path: Path) -> None:
    many = write(in_tmp_path / "many.jsonl", *(pair_row(number) for number in range(30)))
    judge = scripted(Path("judge.jsonl"), {"reply": VERDICT, "delay": 0.05})
    words = (str(many), "--scorer", f"judge:{judge}", "--condition", "none", "--concurrency", "2", "--out", "out")
    process = _start(*words)
    _await_calls(Path("judge.calls"), 12, process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "of 30 pairs are scored" in said
    assert "the same command goes on" in said
    assert "Traceback" not in said
    assert main(["evaluate", *words]) == 0
    assert len(calls(Path("judge.calls"))) == 60
