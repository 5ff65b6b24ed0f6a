"""What validation gets to see of the rounds of a run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prbgen.annotation.campaign import Place
from prbgen.annotation.rated import RatedRound, rated_rounds
from prbgen.cli import main
from prbgen.errors import InputError
from prbgen.run import Run, read_records, whole_file
from prbgen.schema import Pair, Rating
from tests.annotation.conftest import Prbgen, roster
from tests.annotation.plan.rated_pairs import rated_pairs, write
from tests.annotation.test_rounds_on_sheets import fill, marks, rubric
from tests.validation.panel import careless, rate, rated_run

NAMES = ("ada", "ben", "cleo")


@pytest.fixture
def rated(run: Run, prbgen: Prbgen, tmp_path: Path) -> Run:
    """The run, whose three raters gave every answer a 4."""
    folder = tmp_path / "sheets"
    prbgen("push", "--round", "quality", "--to", folder, "--raters", roster(tmp_path, NAMES))
    for sheet in folder.glob("*.csv"):
        fill(sheet, marks("4"))
    prbgen("pull", "--round", "quality", "--from", folder)
    return run


def quality(run: Run) -> RatedRound:
    [found] = rated_rounds(run)
    return found


def rewrite(run: Run, change: Callable[[list[dict[str, Any]]], None]) -> None:
    """Change ratings.jsonl by hand."""
    path = Place.of(run, "quality").ratings
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    change(rows)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_a_run_without_rounds_has_none(run: Run) -> None:
    assert rated_rounds(run) == ()


def test_all_that_raters_say_counts(rated: Run) -> None:
    round_ = quality(rated)
    given = list(read_records(Place.of(rated, "quality").ratings, Rating))
    assert list(round_.ratings) == given
    assert (round_.senior, round_.uncounted) == ((), {})
    assert round_.pairs == {pair.pair_id for pair in read_records(rated.pairs, Pair)}
    assert {each.question: each.marks for each in round_.scales} == dict.fromkeys(
        ("factuality", "relevance", "helpfulness"), (1, 2, 3, 4, 5)
    )
    assert len(round_.raters) == 3
    for care in round_.raters:
        assert care.items == len({each.item for each in given if each.rater == care.rater})
        # On sheets nobody knows when; a 4 for an answer to another question is not right.
        assert (care.median_seconds, care.gold_right) == (None, 0)
        assert care.gold_done > 0
        assert all(same == count > 0 for same, count in care.again.values())


def test_aspects_and_choices_have_their_scales(run: Run, prbgen: Prbgen, tmp_path: Path) -> None:
    folder = tmp_path / "sheets"
    prbgen("push", "--round", "rubric", "--to", folder, "--raters", roster(tmp_path, NAMES))
    for sheet in folder.glob("*.csv"):
        fill(sheet, lambda name: "Ada is right." if name == "comment" else rubric("A")(name))
    prbgen("pull", "--round", "rubric", "--from", folder)
    [round_] = rated_rounds(run)
    assert [(each.question, each.kind, each.options) for each in round_.scales] == [
        ("covers", "aspects", ()),
        ("adherence", "rating", ()),
        ("better", "choice", ("A", "B", "equal")),
    ]
    # What somebody writes in their own words is no statistic.
    assert {each.question for each in round_.ratings} == {"covers", "adherence", "better"}
    # A on both showings, with sides changed over, is not the same answer.
    assert all(each.again["better"][0] == 0 < each.again["better"][1] for each in round_.raters)


def test_ratings_of_a_pair_that_was_edited_or_is_gone_do_not_count(rated: Run) -> None:
    before = quality(rated)
    first, second, *others = rated_pairs(5)
    write(rated.folder, [first.model_copy(update={"chosen": "Something else altogether."}), *others])
    after = quality(rated)
    lost = {first.pair_id, second.pair_id}
    assert after.pairs == before.pairs - lost
    assert not lost & {each.pair_id for each in after.ratings}
    assert set(after.uncounted) == {"the pair was edited after it was rated", "the pair is no longer in pairs.jsonl"}
    assert sum(after.uncounted.values()) == len(before.ratings) - len(after.ratings)
    # How careful a rater was does not change with what becomes of a pair.
    assert after.raters == before.raters


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"value": 9}, "out of scale"),
        ({"value": "A"}, "out of scale"),
        ({"flag": "7 is none of 1, 2"}, "cannot be what it says (flagged)"),
        ({"gone": "replaced"}, "replaced by the rater"),
        ({"gone": "withdrawn"}, "withdrawn by the rater"),
        ({"item": "nobody-knows"}, "not an item of this round"),
        ({"rater": "rater-0123456789"}, "not by a rater of this round"),
        ({"question": "beauty"}, "not a question of this round"),
        ({"shown": None}, "not a question of this round"),
        ({"submitted_at": "yesterday"}, "submitted at no time"),
        ({"submitted_at": "2026-11-30T10:00:00"}, "submitted at no time"),
        *(
            (change, "says something else of its item than the round does")
            for change in (
                {"pair_id": "0"},
                {"kind": None},
                {"round": "blind"},
                {"senior": True},
                {"label": "equal"},
            )
        ),
    ],
)
def test_what_cannot_count_does_not_and_says_why(rated: Run, change: dict[str, Any], reason: str) -> None:
    before = len(quality(rated).ratings)
    rewrite(rated, lambda rows: rows[0].update(change))
    after = quality(rated)
    assert (len(after.ratings), after.uncounted) == (before - 1, {reason: 1})


def test_cannot_tell_counts_as_an_answer_without_a_mark(rated: Run) -> None:
    before = len(quality(rated).ratings)
    rewrite(rated, lambda rows: rows[0].update(value=None))
    assert len(quality(rated).ratings) == before


def test_a_rater_who_answers_twice_is_refused(rated: Run) -> None:
    rewrite(rated, lambda rows: rows.append(rows[0]))
    with pytest.raises(InputError, match=r"ratings\.jsonl: rater-\w+ answers factuality of item .* twice"):
        rated_rounds(rated)


def test_times_tell_how_fast_a_rater_was(rated: Run) -> None:
    def timed(rows: list[dict[str, Any]]) -> None:
        items = list(dict.fromkeys(row["item"] for row in rows))
        for row in rows:
            row["submitted_at"] = f"2026-11-30T10:{items.index(row['item']):02}:00.000000Z"

    rewrite(rated, timed)
    assert {each.median_seconds for each in quality(rated).raters} == {60.0}


def test_adjudicated_answers_stand_apart(run: Run, prbgen: Prbgen, tmp_path: Path) -> None:
    folder, above = tmp_path / "sheets", tmp_path / "senior"
    prbgen("push", "--round", "quality", "--to", folder, "--raters", roster(tmp_path, NAMES))
    for place, sheet in enumerate(sorted(folder.glob("*.csv"))):
        fill(sheet, marks("1" if place else "5"))
    prbgen("pull", "--round", "quality", "--from", folder)
    prbgen("adjudicate", "--round", "quality", "--to", above, "--raters", roster(tmp_path, ("prof",)))
    for sheet in above.glob("*.csv"):
        fill(sheet, marks("3"))
    prbgen("pull", "--round", "quality", "--from", above)
    round_ = quality(run)
    assert {each.value for each in round_.senior} == {3}
    assert not any(each.senior for each in round_.ratings)
    assert len(round_.raters) == 3


def test_nobody_settles_what_only_a_careless_rater_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = rated_run(tmp_path / "run", questions=10)
    (tmp_path / "rounds").mkdir()
    rate(run, "rubric", tmp_path / "rounds" / "sheets", answers={"dora": careless})
    above = roster(tmp_path, ("prof",))
    capsys.readouterr()
    words = ["annotate", "adjudicate", str(run.folder), "--round", "rubric", "--to", str(tmp_path / "above")]
    assert main([*words, "--raters", str(above), "--json"]) == 0
    # On question 0 the careful ones find neither better; of adherence their marks differ by one at most.
    assert json.loads(capsys.readouterr().out)["created"] == 0


def test_a_rehearsal_is_known_as_one(run: Run, prbgen: Prbgen, tmp_path: Path) -> None:
    folder = tmp_path / "sheets"
    words = ("push", "--round", "quality", "--to", folder, "--raters", roster(tmp_path, NAMES))
    prbgen(*words, "--simulated")
    for sheet in folder.glob("*.csv"):
        fill(sheet, marks("4"))
    prbgen("pull", "--round", "quality", "--from", folder)
    assert quality(run).settings.simulated
    prbgen(*words)
    assert quality(run).settings.simulated


def test_people_do_not_become_programs_afterwards(rated: Run, prbgen: Prbgen, tmp_path: Path) -> None:
    told = prbgen("push", "--round", "quality", "--to", tmp_path / "sheets", "--simulated", code=2)
    assert "--simulated" in told
    assert not quality(rated).settings.simulated


@pytest.mark.parametrize("ticked", [[0], [9], [-1], [10**30]])
def test_aspects_that_an_item_does_not_have_are_out_of_scale(
    run: Run, prbgen: Prbgen, tmp_path: Path, ticked: list[int]
) -> None:
    folder = tmp_path / "sheets"
    prbgen("push", "--round", "rubric", "--to", folder, "--raters", roster(tmp_path, NAMES))
    for sheet in folder.glob("*.csv"):
        fill(sheet, rubric("A"))
    prbgen("pull", "--round", "rubric", "--from", folder)
    path = Place.of(run, "rubric").ratings
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    next(row for row in rows if row["question"] == "covers").update(value=ticked)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    [round_] = rated_rounds(run)
    assert round_.uncounted == {"out of scale": 1}


def test_ratings_without_their_campaign_are_not_passed_over(rated: Run) -> None:
    Place.of(rated, "quality").campaign.unlink()
    with pytest.raises(InputError, match=r"campaign\.json: not there"):
        rated_rounds(rated)


def test_items_that_lost_lines_are_refused(rated: Run) -> None:
    items = Place.of(rated, "quality").items
    lines = items.read_text().splitlines(keepends=True)
    with whole_file(items) as file:
        file.writelines(lines[:-1])
    with pytest.raises(InputError, match="restore it from a copy"):
        rated_rounds(rated)
