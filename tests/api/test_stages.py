"""The stages as functions do what the commands do: the same files, the same figures, and errors that can be caught."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import prbgen
from prbgen.cli import main
from tests.evaluation.asking_rows import pair_row
from tests.evaluation.results_samples import MODELS, Sample, write_results

ASPECTS = [{"aspect": "Is short", "evidence": "short", "reason": "Time."}]


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def recipe(in_tmp_path: Path) -> Path:
    """Four questions and a scripted model; one question has a rubric that is none."""
    rows: list[dict[str, Any]] = [
        {"id": f"q{at}", "question": f"Which film, {at}?", "profile": [], "category": None, "narrative": None}
        | {"rubric_aspects": ASPECTS}
        for at in range(4)
    ]
    write(in_tmp_path / "project" / "films_test.jsonl", *rows, {"id": "faulty"})
    write(in_tmp_path / "project" / "model.jsonl", {"record": "calls.jsonl"}, {"reply": "A play, {digest}."})
    path = in_tmp_path / "project" / "recipe.toml"
    path.write_text('[source]\npath = "films_test.jsonl"\n[models]\nanswer = "scripted/model.jsonl"\n')
    return path


@pytest.fixture
def pairs(in_tmp_path: Path) -> Path:
    return write(in_tmp_path / "pairs.jsonl", *(pair_row(number) for number in range(6)))


def judge(path: Path, **rule: Any) -> str:
    write(path, {"record": f"{path.stem}.calls"}, {"reply": '{"verdict": "A"}'} | rule)
    return f"judge:scripted/{path}"


def printed(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, Any]:
    capsys.readouterr()
    code = main([*map(str, words), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_generate_makes_the_pairs_of_the_command_byte_by_byte(recipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, document = printed(capsys, "generate", recipe, "--run", "by-command")
    made = prbgen.generate(recipe, run="by-function")
    assert (code, made.fell_short, made.pairs, made.rejects) == (1, True, 4, 1)
    assert json.loads(json.dumps(made.document())) == document | {
        "run": "by-function",
        "dataset": "by-function/dataset",
    }
    for name in ("pairs.jsonl", "rejects.jsonl", "recipe.toml"):
        assert Path("by-function", name).read_bytes() == Path("by-command", name).read_bytes()
    assert made.dataset is not None
    assert made.dataset.joinpath("README.md").is_file()
    assert [pair.id for pair in made.read_pairs()] == ["q0", "q1", "q2", "q3"]
    assert [reject.stage for reject in made.read_rejects()] == ["source"]


def test_a_call_goes_on_where_a_command_stopped_and_the_other_way_round(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert printed(capsys, "generate", recipe, "--limit", "2")[1]["calls"] == {"sent": 4, "recorded": 0}
    made = prbgen.generate(recipe, limit=3)
    assert made.run == recipe.parent / "runs" / "recipe"
    assert (made.calls.sent, made.calls.recorded) == (2, 4)
    _, document = printed(capsys, "generate", recipe)
    assert document["calls"] == {"sent": 2, "recorded": 6}
    assert document["pairs_in_run"] == 4


def test_estimate_is_that_of_the_command_and_writes_nothing(recipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, document = printed(capsys, "estimate", recipe)
    before = set(recipe.parent.rglob("*"))
    counted = prbgen.estimate(recipe)
    assert json.loads(json.dumps(counted.document())) == document
    assert set(recipe.parent.rglob("*")) == before
    assert (counted.questions, counted.total.calls.low, counted.run) == (4, 8, None)
    prbgen.generate(recipe)
    assert prbgen.estimate(recipe).recorded == 8


def test_a_recipe_can_be_made_in_python(recipe: Path) -> None:
    own = prbgen.load_recipe(recipe)
    made = prbgen.generate(own, run="run", ids=["q1"])
    assert [pair.id for pair in made.read_pairs()] == ["q1"]


def test_evaluate_gives_the_summary_of_the_command(pairs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scorer = judge(Path("judge.jsonl"))
    code, document = printed(capsys, "evaluate", pairs, "--scorer", scorer, "--condition", "profile", "--out", "one")
    found = prbgen.evaluate(pairs, scorer=scorer, condition="profile", out="other")
    assert (code, found.unscored, found.folder) == (0, 0, Path("other"))
    took = {"scoring_seconds": 0}
    assert found.model_dump(mode="json") | took == document | took
    assert Path("one/items.jsonl").read_bytes() == Path("other/items.jsonl").read_bytes()
    assert json.loads(Path("other/summary.json").read_text()) == found.model_dump(mode="json")
    assert [item.pair_id for item in found.read_items()] == [f"p{at}" for at in range(6)]


def test_evaluate_puts_its_results_where_the_command_does_and_asks_nothing_again(pairs: Path) -> None:
    scorer = judge(Path("judge.jsonl"))
    words = ["--scorer", scorer, "--condition", "none", "--posts", "3", "--limit", "4", "--option", "max_tokens=90"]
    assert main(["evaluate", str(pairs), *words]) == 0
    asked = Path("judge.calls").read_text()
    found = prbgen.evaluate(str(pairs), scorer=scorer, posts=3, limit=4, option={"max_tokens": 90})
    assert found.n == 4
    assert Path("judge.calls").read_text() == asked
    assert [folder.name for folder in Path("results", "pairs.jsonl").iterdir()] == [found.folder.name]


def test_pairs_that_could_not_be_scored_are_data_and_no_error(pairs: Path) -> None:
    found = prbgen.evaluate(pairs, scorer=judge(Path("judge.jsonl"), reply="No idea."), limit=3, out="out")
    assert (found.n, found.unscored, found.accuracy.value) == (3, 3, None)


def test_in_a_notebook_a_loop_is_running_already(recipe: Path) -> None:
    async def notebook() -> prbgen.EvaluationSummary:
        assert prbgen.estimate(recipe).questions == 4
        made = prbgen.generate(recipe, limit=2)
        assert made.dataset is not None
        return prbgen.evaluate(made.dataset, scorer=judge(Path("judge.jsonl")), split="test_unvalidated")

    assert asyncio.run(notebook()).n == 2


def test_a_thread_may_call_it_too(pairs: Path) -> None:
    found: list[prbgen.Summary] = []
    scorer = judge(Path("judge.jsonl"))
    thread = threading.Thread(target=lambda: found.append(prbgen.evaluate(pairs, scorer=scorer, out="out")))
    thread.start()
    thread.join(60)
    assert [each.n for each in found] == [6]


def directly(call: Callable[[], Any]) -> Any:
    return call()


def in_a_notebook(call: Callable[[], Any]) -> Any:
    async def cell() -> Any:
        return call()

    return asyncio.run(cell())


@pytest.mark.parametrize("somewhere", [directly, in_a_notebook])
def test_ctrl_c_keeps_what_is_there_and_the_same_call_goes_on(pairs: Path, somewhere: Callable[..., Any]) -> None:
    scorer = judge(Path("judge.jsonl"), delay=0.3)
    record = Path("judge.calls")

    def interrupt() -> None:
        while not (record.is_file() and record.read_text().count("\n")):
            ended.wait(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    ended = threading.Event()
    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(prbgen.InterruptError):
        somewhere(lambda: prbgen.evaluate(pairs, scorer=scorer, out="out", concurrency=1))
    asked = record.read_text().count("\n")
    assert 0 < asked < 12
    assert somewhere(lambda: prbgen.evaluate(pairs, scorer=scorer, out="out")).n == 6
    assert record.read_text().count("\n") == 12


def test_it_is_silent_but_for_a_logger_unless_a_display_is_given(
    recipe: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "prbgen")
    prbgen.generate(recipe)
    assert capfd.readouterr() == ("", "")
    said = [record.getMessage() for record in caplog.records if record.name == "prbgen"]
    assert any("[models] judge" in each for each in said)

    class Kept(prbgen.Display):
        def __init__(self) -> None:
            self.told: list[str] = []

        def remark(self, text: str) -> None:
            self.told.append(text)

        @contextmanager
        def progress(self, line: Callable[[], str]) -> Iterator[None]:
            yield
            self.told.append(line())

    kept = Kept()
    prbgen.generate(recipe, display=kept)
    assert said[-1] in kept.told
    assert "4 pairs, 1 rejected; 0 calls sent, 8 replies taken from the ledger" in kept.told


def test_wrong_input_is_an_error_that_says_what_to_do(recipe: Path, pairs: Path) -> None:
    wrong: list[tuple[Callable[[], object], str]] = [
        (lambda: prbgen.generate("nowhere.toml"), "nowhere.toml"),
        (lambda: prbgen.generate(prbgen.load_recipe(recipe)), "--run"),
        (lambda: prbgen.evaluate(pairs, scorer="oracle"), "--scorer oracle"),
        (lambda: prbgen.evaluate(pairs, scorer="judge:x", condition="all"), "--condition all"),  # type: ignore[arg-type]
        (lambda: prbgen.evaluate(pairs, scorer="judge:x", protocol="new"), "--protocol new"),  # type: ignore[arg-type]
        (lambda: prbgen.evaluate(pairs, scorer="judge:x", posts=0), "--posts: 0"),
        (lambda: prbgen.evaluate(pairs, scorer="judge:x", limit=-1), "--limit: -1"),
        (lambda: prbgen.evaluate(pairs, scorer="rate:x", samples=-2), "--samples: -2"),
        (lambda: prbgen.evaluate(pairs, scorer="judge:x", device="cpu"), "--device says nothing"),
        (lambda: prbgen.evaluate(pairs, scorer="judge:x", rpm=-1), "--rpm"),
        (lambda: prbgen.evaluate(pairs, scorer="scalar:x", dtype="int8"), "--dtype int8"),  # type: ignore[arg-type]
        (lambda: prbgen.generate(recipe, batch=True, replay="x"), "only one"),
        (lambda: prbgen.validate("nowhere"), "nowhere: not a run"),
        (lambda: prbgen.publish("nowhere", to="x"), "nowhere: not a run"),
        (lambda: prbgen.compare("nowhere", pairs), "nowhere"),
        (lambda: prbgen.report([]), "results: name at least one"),
        (lambda: prbgen.correlate([], "x"), "benchmark: name at least one"),
        (lambda: prbgen.audit([]), "data: name at least one"),
        (lambda: prbgen.correlate("nowhere", "nowhere"), "nowhere"),
        (lambda: prbgen.correlate("x", "y", k=0), "--k: 0"),
        (lambda: prbgen.study(), "STUDY.toml"),
        (lambda: prbgen.audit("nowhere"), "nowhere"),
        (lambda: prbgen.generate(None), "recipe: should be a path, and is of type NoneType"),  # type: ignore[arg-type]
        (lambda: prbgen.evaluate([{}], scorer="judge:x"), "data: should be a path"),  # type: ignore[arg-type]
        (lambda: prbgen.correlate({"scalar:a": 0.1}, "x"), "benchmark: should be a path, and is of type dict"),
        (lambda: prbgen.report([1]), "results: should be a path"),  # type: ignore[list-item]
        (lambda: prbgen.generate(recipe, ray=True), "ray: should be an address"),  # type: ignore[arg-type]
        (lambda: prbgen.evaluate(pairs, scorer="judge:x", option="a=1"), "option: should be a dict"),  # type: ignore[arg-type]
    ]
    for call, said in wrong:
        with pytest.raises(prbgen.InputError) as raised:
            call()
        assert said in str(raised.value)
    for slip, meant in {"batch_token": "batch_tokens", "condtion": "condition", "options": "option"}.items():
        with pytest.raises(TypeError, match=f"no keyword '{slip}'; did you mean '{meant}'"):
            prbgen.evaluate(pairs, scorer="judge:x", **{slip: 3})  # type: ignore[arg-type]


def test_compare_audit_report_and_correlate_give_what_the_commands_print(
    in_tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_results(in_tmp_path / "results", Sample(MODELS[:3], ("none", "profile"), pairs=30))
    scores = in_tmp_path / "scores.json"
    scores.write_text(json.dumps({model.scorer: model.skill for model in MODELS[:3]}))
    _, document = printed(capsys, "report", "results")
    found = prbgen.report("results")
    assert json.loads(json.dumps(found.document())) == document
    assert found.scored
    assert [file.name for file in found.files] == ["report.html", "report.md", "report.tex"]
    _, document = printed(capsys, "correlate", "--benchmark", "results", "--downstream", scores)
    related = prbgen.correlate(benchmark=["results"], downstream=scores)
    assert related.document() == document
    assert all(-1 <= (each.spearman.value or 0) <= 1 for each in related.comparisons)
    _, document = printed(capsys, "compare", "results", "results")
    assert prbgen.compare("results", Path("results")).model_dump(mode="json") == document
    rows = [pair_row(at, chosen=f"Do this, {at}, now.", user_key=f"u{at % 9}") for at in range(30)]
    data = write(in_tmp_path / "pairs.jsonl", *rows)
    _, document = printed(capsys, "audit", data, "--out", "by-command")
    audited = prbgen.audit(data, out="by-function")
    assert json.loads(json.dumps(audited.document())) == document
    assert audited.folder == Path("by-function")
    for name in ("audit.json", "audit.html"):
        assert Path("by-function", name).read_bytes() == Path("by-command", name).read_bytes()
