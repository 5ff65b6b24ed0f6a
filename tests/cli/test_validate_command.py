"""`prbgen validate`: from pulled rounds to verdicts and a staged dataset with a validated split."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prbgen.cli import main
from prbgen.run import Run, read_records
from prbgen.schema import Pair, Verdict
from tests.annotation.conftest import RECIPE
from tests.annotation.plan.rated_pairs import write
from tests.validation.panel import careless, rate_both, rate_further, rated_run


def report_of(run: Run) -> dict[str, Any]:
    return dict(json.loads((run.annotation / "agreement.json").read_text()))


def verdicts_of(run: Run) -> list[Verdict]:
    return list(read_records(run.annotation / "verdicts.jsonl", Verdict))


def validate(run: Run, *words: Any) -> int:
    return main(["validate", str(run.folder), *map(str, words)])


def line(capsys: pytest.CaptureFixture[str]) -> str:
    told = capsys.readouterr()
    assert told.out == ""
    [found] = told.err.splitlines()
    return found


def test_every_pair_gets_a_verdict_and_validated_ones_keep_their_split(validated: Run) -> None:
    pairs = list(read_records(validated.pairs, Pair))
    verdicts = verdicts_of(validated)
    assert [each.pair_id for each in verdicts] == [pair.pair_id for pair in pairs]
    good = [each for each in verdicts if each.validated]
    assert len(good) == 72
    assert all(each.raters_quality == each.raters_rubric == 3 and not each.reasons for each in good)
    splits = {path.stem for path in validated.dataset.rglob("data/*/*.parquet")}
    assert "test" in splits
    report = report_of(validated)
    assert sum(count for count, _ in report["subsets"].values()) == report["verdicts"]["validated"] == len(good)
    assert sum(count for _, count in report["subsets"].values()) == len(pairs)


def test_a_rater_who_does_not_read_is_left_out_by_gold_alone(validated: Run) -> None:
    report = report_of(validated)
    out = {each["rater"] for each in report["raters"] if each["left_out"]}
    assert len(out) == 1
    for each in report["raters"]:
        assert bool(each["left_out"]) == (each["gold_right"] < 0.7 * each["gold_done"])
    for each in report["agreement"]:
        assert (each["counted"]["raters"], each["everybody"]["raters"]) == (3, 4)
    adherence = next(each for each in report["agreement"] if each["question"] == "adherence" and not each["subset"])
    assert adherence["counted"]["alpha"]["value"] > adherence["everybody"]["alpha"]["value"]


def test_what_people_say_of_all_pairs_stands_beside_the_validated_ones(validated: Run) -> None:
    report = report_of(validated)
    assert report["rated"]["pairs"] == 80
    assert report["validated"]["pairs"] == report["verdicts"]["validated"]
    assert report["rated"]["equivalence"]["equivalent"] is True
    assert report["rated"]["direction"]["value"] == 72 / 80
    assert report["validated"]["direction"]["value"] == 1
    assert report["rated"]["adherence_gap"]["value"] > 2
    gates = {each["name"]: each["state"] for each in report["gates"]}
    assert gates["equivalence"] == gates["validated"] == gates["simulated"] == "pass"


def test_the_same_ratings_give_the_same_bytes(validated: Run) -> None:
    files = [validated.annotation / "agreement.json", validated.annotation / "verdicts.jsonl"]
    before = [path.read_bytes() for path in files]
    validate(validated)
    assert [path.read_bytes() for path in files] == before


def test_json_is_the_report(validated: Run, capsys: pytest.CaptureFixture[str]) -> None:
    validate(validated, "--json")
    assert json.loads(capsys.readouterr().out) == report_of(validated)


def test_a_table_shows_what_matters(
    validated: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    validate(validated)
    told = capsys.readouterr().out
    for part in ("gold items right", "3 that count", "4 in all", "chosen less rejected", "equivalence"):
        assert part in told


def test_thresholds_come_from_the_recipe_that_is_named_and_stay_in_the_run(validated: Run, tmp_path: Path) -> None:
    own = tmp_path / "recipe.toml"
    own.write_text(RECIPE + "[validation]\nratings = 3\nadherence_gap = 4.0\nresamples = 100\n")
    assert validate(validated, "--recipe", own) in (0, 1)
    assert not any(each.validated for each in verdicts_of(validated) if each.adherence_chosen != 5)
    assert "adherence_gap = 4.0" in validated.recipe.read_text()
    before = verdicts_of(validated)
    validate(validated)
    assert verdicts_of(validated) == before


def test_a_pair_edited_after_it_was_rated_loses_its_ratings(validated: Run, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = list(read_records(validated.pairs, Pair))
    write(validated.folder, [pairs[0].model_copy(update={"rejected": "Another text."}), *pairs[1:]])
    validate(validated)
    told = capsys.readouterr().out
    assert "answers do not count: the pair was edited after it was rated" in told
    verdict = verdicts_of(validated)[0]
    assert (verdict.validated, verdict.quality_chosen) == (False, None)


def test_new_pairs_make_verdicts_old_and_staging_goes_by_none(validated: Run) -> None:
    from prbgen.publication.of_run import restage
    from prbgen.recipe import load_recipe

    pairs = list(read_records(validated.pairs, Pair))
    write(validated.folder, pairs[:-1])
    told: list[str] = []
    restage(validated, load_recipe(validated.recipe), told.append)
    assert "pairs, ratings or [validation] have changed since" in told[0]
    assert {path.stem for path in validated.dataset.rglob("data/*/*.parquet")} == {"test_unvalidated"}


def test_a_rater_who_is_left_out_can_be_made_up_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRBGEN_RATERS_KEY", str(tmp_path / "raters.key"))
    run = rated_run(tmp_path / "run", questions=10)
    rate_both(run, tmp_path / "rounds", answers={"cleo": careless})
    validate(run)
    assert report_of(run)["verdicts"]["validated"] == 0
    assert {reason for each in verdicts_of(run) for reason in each.reasons} >= {"2 of 3 ratings in round quality"}
    for round_, name in (("quality", "dora"), ("rubric", "eve")):
        rate_further(run, round_, tmp_path / "rounds" / round_ / "sheets", name, per_item=4)
    validate(run)
    assert report_of(run)["verdicts"]["validated"] == 18


def test_programs_validate_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PRBGEN_RATERS_KEY", str(tmp_path / "raters.key"))
    run = rated_run(tmp_path / "run", questions=5)
    rate_both(run, tmp_path / "rounds", "--simulated")
    assert validate(run) == 1
    assert "simulated" in capsys.readouterr().out
    assert report_of(run)["simulated"]
    assert not any(each.validated for each in verdicts_of(run))


def test_a_run_that_nobody_rated_is_told_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = rated_run(tmp_path / "run", questions=2)
    assert validate(run) == 2
    assert "nothing was pulled; once a round is rated: prbgen annotate pull" in line(capsys)
    assert not run.annotation.exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--plan", "--sd", "0"], "sd = 0.0: should be above 0"),
        (["--plan", "--power", "1"], "power = 1.0: should be between 0 and 1"),
        (["--plan", "--raters", "2"], "raters"),
        (["--plan", "--pairs-per-user", "x"], "invalid float value"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    run = rated_run(tmp_path / "run", questions=2)
    assert validate(run, *words) == 2
    assert told in line(capsys)


def test_what_is_for_a_plan_is_refused_without_one(validated: Run, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert validate(validated, "--margin", "0.5") == 2
    assert "--margin goes with --plan" in line(capsys)


def test_a_plan_says_how_many_pairs_and_raters_and_checks_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = rated_run(tmp_path / "run", questions=4)
    assert validate(run, "--plan", "--json", "--half-width", "0.1") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["wanted"]["pairs_per_user"] == 2
    assert found["plan"]["pairs_for_power"] == 175
    assert found["plan"]["pairs_for_accuracy"] == 97
    low, high = found["simulated_power"]["ci95"]
    assert low < 0.9 < high
    assert validate(run, "--plan") == 0
    assert "175 pairs: equal quality within 0.2 marks" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["agreement.json", "verdicts.jsonl"])
def test_a_damaged_report_is_no_reason_for_a_traceback(
    validated: Run, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = validated.annotation / name
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    capsys.readouterr()
    assert main(["publish", str(validated.folder), "--to", str(validated.folder.parent / "out")]) == 2
    assert "validate again" in line(capsys)
    assert validate(validated) in (0, 1)
