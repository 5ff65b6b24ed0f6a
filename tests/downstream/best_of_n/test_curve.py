"""Curves from folders of answers, and what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from statistics import fmean
from xml.etree import ElementTree

import pytest

from prbgen.downstream.best_of_n.curve import draw_curves, judge_of, scorers_of
from prbgen.downstream.facts import Curves, QuestionQualities
from prbgen.downstream.folders import Answers
from prbgen.errors import InputError
from prbgen.run import read_records
from tests.downstream.best_of_n.scored_answers import (
    Drawn,
    changed,
    write_answers,
    write_judgements,
    write_scores,
)

Marks = list[list[float | None]]


def drawn_curves(answers: Answers) -> Curves:
    return draw_curves(answers, judge_of(answers), resamples=200)


def test_a_curve_is_what_choosing_among_all_subsets_gives(tmp_path: Path) -> None:
    qualities: Marks = [[0.0, 0.5, 1.0, 0.25], [0.5, 0.5, 0.0, 1.0], [1.0, None, 0.25, 0.5]]
    scores: Marks = [[0.1, 0.9, 0.4, 0.9], [2.0, 1.0, 3.0, 0.0], [1.0, 9.0, 2.0, None]]
    answers = write_answers(tmp_path / "bon", qualities)
    write_scores(answers, "rm", scores)
    curves = drawn_curves(answers)
    assert (curves.n, curves.ks, curves.questions) == (4, (1, 2, 4), 3)
    curve = curves.models["rm"]
    assert (curve.scorer, curve.usable, curve.unusable) == ("scalar:org/rm", 10, 0)
    lines = list(read_records(answers.judged("judge").qualities("rm"), QuestionQualities))
    assert [line.key for line in lines] == ["S/q0", "S/q1", "S/q2"]
    for line, row_scores, row_qualities in zip(lines, scores, qualities, strict=True):
        both = [
            (score, quality)
            for score, quality in zip(row_scores, row_qualities, strict=True)
            if score is not None and quality is not None
        ]
        expected = {}
        for k in (k for k in (1, 2, 4) if k <= len(both)):
            tops = [
                fmean(quality for score, quality in subset if score == max(score for score, _ in subset))
                for subset in combinations(both, k)
            ]
            expected[str(k)] = fmean(tops)
        assert line.quality == pytest.approx(expected)
    for point in curve.points:
        known = [line.quality[str(point.k)] for line in lines if str(point.k) in line.quality]
        assert point.questions == len(known)
        assert point.quality.value == pytest.approx(fmean(known))


def test_constant_scores_are_a_choice_by_lot_at_every_k(tmp_path: Path) -> None:
    answers = Drawn(skills={}).write(tmp_path / "bon")
    write_scores(answers, "constant", [[0.25] * 4] * 30)
    for point in drawn_curves(answers).models["constant"].points:
        assert point.quality.value == pytest.approx(point.random.value)
        assert point.recovered.value is None if point.k == 1 else point.recovered.value == pytest.approx(0.0)


def test_equal_users_are_drawn_for_all_reward_models(tmp_path: Path) -> None:
    found = drawn_curves(Drawn(skills={"a": 1.0, "b": 3.0}).write(tmp_path / "bon")).models
    for one, other in zip(found["a"].points, found["b"].points, strict=True):
        assert (one.random, one.oracle) == (other.random, other.oracle)


def test_the_same_answers_give_the_same_bytes(tmp_path: Path) -> None:
    files = ("curve.json", "curve.svg", "good.jsonl", "poor.jsonl")
    for name in ("one", "two"):
        drawn_curves(Drawn().write(tmp_path / name))
    for file in files:
        one, two = ((tmp_path / name / "judges" / "judge" / file).read_bytes() for name in ("one", "two"))
        assert one == two, file
    answers = Answers(tmp_path / "one")
    assert Curves.model_validate_json(answers.judged("judge").curve.read_bytes()) == drawn_curves(answers)


def test_a_question_without_answers_is_counted_and_left_out(tmp_path: Path) -> None:
    answers = write_answers(tmp_path / "bon", [[0.0, 1.0], [], [0.5, 0.25], [None, 0.5]])
    write_scores(answers, "rm", [[1.0, 2.0], [], [3.0, 1.0], [1.0, None]])
    curves = drawn_curves(answers)
    curve = curves.models["rm"]
    assert (curves.questions, curve.unusable, curve.usable) == (4, 2, 4)
    assert [point.questions for point in curve.points] == [2, 2]
    last = list(read_records(answers.judged("judge").qualities("rm"), QuestionQualities))[-1]
    assert last.quality == {}


def test_nothing_that_can_be_used_is_unknown_and_not_zero(tmp_path: Path) -> None:
    answers = write_answers(tmp_path / "bon", [[None, None], [None, None]])
    write_scores(answers, "rm", [[1.0, 2.0], [1.0, 2.0]])
    curve = drawn_curves(answers).models["rm"]
    assert [(point.quality.value, point.oracle.value) for point in curve.points] == [(None, None)] * 2
    ElementTree.parse(answers.judged("judge").plot)


def test_many_questions_are_read_some_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = Drawn(questions=25).write(tmp_path / "bon")
    whole = drawn_curves(answers)
    monkeypatch.setattr("prbgen.downstream.best_of_n.reading._BLOCK", 4)
    for name, curve in drawn_curves(answers).models.items():
        assert curve == whole.models[name]


Spoil = Callable[[Answers], object]


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda a: a.about.unlink(), "bon sample"),
        (lambda a: a.scored("good").about.unlink() or a.scored("poor").about.unlink(), "no reward model has scored"),
        (
            lambda a: all_scores_of_others(a),
            "no reward model has scored these answers, as they are now; run `prbgen bon score` again",
        ),
        (lambda a: changed(a.judged("judge").about, answers="2"), "run `prbgen bon judge` again"),
        (
            lambda a: changed(a.scored("good").about, posts="many"),
            "is not what `prbgen bon score` writes",
        ),
        (lambda a: write_scores(a, "good", [[1.0] * 3] * 30), "scores.jsonl: does not go with candidates.jsonl from"),
        (lambda a: write_scores(a, "good", [[1.0] * 4] * 29), "from line 30 on; run `prbgen bon score` again"),
        (lambda a: write_scores(a, "good", [[1.0] * 4] * 31), "from line 31 on; run `prbgen bon score` again"),
        (lambda a: write_judgements(a, "judge", [[1.0] * 4] * 31), "from line 31 on; run `prbgen bon judge` again"),
        (lambda a: write_judgements(a, "judge", [[1.0] * 4] * 2), "from line 3 on; run `prbgen bon judge` again"),
        (lambda a: not_a_number(a), "line 2: nan is no score"),
        (lambda a: a.judged("judge").judgements.unlink(), "judgements.jsonl: No such file"),
        (
            lambda a: (a.candidates.write_text(""), a.judged("judge").judgements.write_text("")),
            "no question in it; run",
        ),
        (lambda a: a.candidates.write_text("{}\n"), "candidates.jsonl: line 1: key: Field required"),
    ],
)
def test_what_is_missing_or_about_other_answers_is_refused_in_one_line(tmp_path: Path, spoil: Spoil, says: str) -> None:
    answers = Drawn().write(tmp_path / "bon")
    judged = judge_of(answers)
    spoil(answers)
    with pytest.raises(InputError) as error:
        draw_curves(answers, judged, resamples=10)
    assert says in str(error.value)
    assert "\n" not in str(error.value)
    assert not judged.curve.exists()
    assert not list(tmp_path.rglob("*.partial"))


def all_scores_of_others(answers: Answers) -> None:
    for name in ("good", "poor"):
        changed(answers.scored(name).about, answers="2")


def not_a_number(answers: Answers) -> None:
    scores = [[1.0] * 4] * 30
    write_scores(answers, "good", scores)
    path = answers.scored("good").scores
    lines = path.read_text().splitlines(keepends=True)
    lines[1] = lines[1].replace("[1.0,", "[NaN,")
    path.write_text("".join(lines))


def test_scores_that_are_not_complete_are_named(tmp_path: Path) -> None:
    answers = Drawn().write(tmp_path / "bon")
    answers.scored("poor").about.unlink()
    found = scorers_of(answers)
    assert list(found.done) == ["good"]
    assert found.unfinished == (answers.scored("poor").folder,)


def test_scores_of_other_answers_are_left_out_and_named(tmp_path: Path) -> None:
    answers = Drawn().write(tmp_path / "bon")
    whole = drawn_curves(answers)
    changed(answers.scored("poor").about, answers="2")
    assert scorers_of(answers).unfinished == (answers.scored("poor").folder,)
    assert drawn_curves(answers).models == {"good": whole.models["good"]}


def test_the_curves_of_some_models_alone_can_be_drawn(tmp_path: Path) -> None:
    answers = Drawn().write(tmp_path / "bon")
    answers.scored("poor").about.unlink()
    found = scorers_of(answers, only=["good"])
    assert (list(found.done), found.unfinished) == (["good"], ())
    write_scores(answers, "other", [[1.0] * 4] * 30)
    assert list(draw_curves(answers, judge_of(answers), only={"other"}, resamples=20).models) == ["other"]
    with pytest.raises(InputError, match="no reward model has scored these answers"):
        scorers_of(answers, only=["poor"])


def test_answers_that_change_meanwhile_have_no_curve(tmp_path: Path) -> None:
    answers = Drawn().write(tmp_path / "bon")

    def say(step: str) -> None:
        if "candidates" in step:
            changed(answers.about, answers="2")

    with pytest.raises(InputError, match="has written other answers meanwhile; run `prbgen bon curve` again"):
        draw_curves(answers, judge_of(answers), say=say, resamples=20)
    assert not answers.judged("judge").curve.exists()


def test_a_judge_is_the_only_one_or_named_by_model_or_folder(tmp_path: Path) -> None:
    answers = Drawn().write(tmp_path / "bon")
    assert judge_of(answers).folder.name == "judge"
    write_judgements(answers, "other", [[0.5] * 4] * 30, judge="openai/other")
    for name in ("other", "openai/other"):
        assert judge_of(answers, name).folder.name == "other"
    with pytest.raises(InputError, match="several judges judged these answers; name one of judge, other"):
        judge_of(answers)
    with pytest.raises(InputError, match="--judge nobody: is no judge of these answers; name one of judge, other"):
        judge_of(answers, "nobody")


def test_answers_that_nobody_judged_have_no_curve(tmp_path: Path) -> None:
    answers = Drawn().write(tmp_path / "bon")
    answers.judged("judge").about.unlink()
    with pytest.raises(InputError, match="nobody has judged these answers; `prbgen bon judge` does"):
        judge_of(answers)


@pytest.mark.parametrize("models", [1, 4, 25])
def test_the_plot_names_every_model_and_stands_alone(tmp_path: Path, models: int) -> None:
    names = [f"model-{number}" for number in range(models)]
    answers = Drawn(questions=12, skills=dict.fromkeys(names, 1.0)).write(tmp_path / "bon")
    changed(answers.scored("model-0").about, scorer='scalar:org/<b>"&\x07')
    curves = drawn_curves(answers)
    text = answers.judged("judge").plot.read_text()
    root = ElementTree.fromstring(text)
    words = ["".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {*(f"{name} (none)" for name in names[1:]), "oracle", "random"} <= set(words)
    assert any('<b>"&' in each for each in words)
    assert "<b>" not in text
    value = curves.models["model-0"].points[-1].quality.value
    assert value is not None
    assert f"{value:.3f}" in root.attrib["aria-label"]
    assert "http" not in text.replace("http://www.w3.org/", "")


def test_the_document_has_null_where_nothing_is_known(tmp_path: Path) -> None:
    answers = write_answers(tmp_path / "bon", [[0.5, 0.5]])
    write_scores(answers, "rm", [[1.0, 2.0]])
    drawn_curves(answers)
    point = json.loads(answers.judged("judge").curve.read_text())["models"]["rm"]["points"][1]
    assert point["recovered"] == {"value": None, "ci95": None, "n": 1}
    assert point["quality"] == {"value": 0.5, "ci95": None, "n": 1}


@pytest.mark.parametrize("quality", ["1e300", "-5", "1.01", "NaN", "Infinity"])
def test_a_quality_that_cannot_be_is_refused_with_its_line(tmp_path: Path, quality: str) -> None:
    answers = Drawn().write(tmp_path / "bon")
    file = answers.judged("judge").judgements
    first, rest = file.read_text().split("\n", 1)
    file.write_text(re.sub(r'"quality": ?[0-9.]+', f'"quality": {quality}', first, count=1) + "\n" + rest)
    with pytest.raises(InputError, match=r"judgements\.jsonl: line 1: "):
        draw_curves(answers, answers.judged("judge"))
