"""Best-of-N as a result downstream."""

from __future__ import annotations

from pathlib import Path

import pytest

from prbgen.downstream.correlate.readers.curves import found_curves, read_curves
from prbgen.downstream.correlate.side import Side, told_apart
from prbgen.downstream.facts import Curves, QuestionQualities
from prbgen.errors import InputError
from prbgen.run import read_records
from tests.downstream.correlate.side_samples import QUESTIONS, write_best_of_n

SKILLS = {"scalar:a": 0.1, "judge:b/c": 0.3, "rate:d": 0.2}


def read(place: Path, k: int | None = None) -> list[Side]:
    return read_curves(found_curves(place), k)


def test_scores_are_expected_qualities_at_the_most_candidates(tmp_path: Path) -> None:
    judged = write_best_of_n(tmp_path / "bon", SKILLS)
    (side,) = read(tmp_path)
    assert side.label == "best of 4 by openai/policy, data/pairs, scored under profile"
    assert side.models == ("judge:b/c", "rate:d", "scalar:a")
    curves = Curves.model_validate_json((judged / "curve.json").read_bytes()).models.values()
    points = {curve.scorer: curve.points[-1].quality.value for curve in curves}
    assert dict(zip(side.models, side.scores.tolist(), strict=True)) == pytest.approx(points)
    assert side.items is not None
    assert len(side.items.users) == QUESTIONS // 2
    # A folder above, the folder itself and the judge's in it are the same.
    assert [each.scores.tolist() for place in (tmp_path / "bon", judged) for each in read(place)] == [
        side.scores.tolist()
    ] * 2


def test_another_k_is_read_where_all_have_it(tmp_path: Path) -> None:
    judged = write_best_of_n(tmp_path, SKILLS)
    (side,) = read(judged, 2)
    assert side.label.startswith("best of 2 by ")
    rows = list(read_records(judged / "rm0-profile.jsonl", QuestionQualities))
    assert side.scores[side.models.index("scalar:a")] == pytest.approx(sum(r.quality["2"] for r in rows) / len(rows))
    with pytest.raises(InputError, match=r"^--k 3: .*curve.json has k = 1, 2, 4 for all reward models$"):
        read(judged, 3)


def test_k_is_the_most_that_all_models_have_and_questions_with_fewer_are_left_out(tmp_path: Path) -> None:
    judged = write_best_of_n(tmp_path, SKILLS)
    curves = Curves.model_validate_json((judged / "curve.json").read_bytes())
    shorter = curves.models["rm1-profile"]
    models = curves.models | {"rm1-profile": shorter.model_copy(update={"points": shorter.points[:2]})}
    (judged / "curve.json").write_text(curves.model_copy(update={"models": models}).model_dump_json())
    rows = list(read_records(judged / "rm0-profile.jsonl", QuestionQualities))
    rows[0] = rows[0].model_copy(update={"quality": {"1": 0.4}})
    (judged / "rm0-profile.jsonl").write_text("".join(row.model_dump_json() + "\n" for row in rows))
    (side,) = read(tmp_path)
    assert side.label.startswith("best of 2 by ")
    assert side.items is not None
    counts = dict(zip(side.models, side.items.counts.sum(axis=0).tolist(), strict=True))
    assert counts == {"scalar:a": QUESTIONS - 1, "judge:b/c": QUESTIONS, "rate:d": QUESTIONS}


def test_each_judge_and_condition_is_a_result_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "bon"
    write_best_of_n(folder, SKILLS, conditions=("none", "profile"), judge="x/one")
    write_best_of_n(folder, SKILLS, judge="x/two")
    labels = [side.label for side in told_apart(read(folder))]
    base = "best of 4 by openai/policy, data/pairs, scored under"
    assert labels == [f"{base} none", f"{base} profile (judge x/one)", f"{base} profile (judge x/two)"]


def test_curves_of_earlier_candidates_are_refused(tmp_path: Path) -> None:
    write_best_of_n(tmp_path, SKILLS, stale=True)
    with pytest.raises(InputError, match="is of earlier candidates; `prbgen bon curve` makes it anew"):
        read(tmp_path)


def test_a_model_with_two_curves_under_one_condition_is_refused(tmp_path: Path) -> None:
    judged = write_best_of_n(tmp_path, SKILLS)
    curves = Curves.model_validate_json((judged / "curve.json").read_bytes())
    models = curves.models | {"again": curves.models["rm0-profile"]}
    (judged / "curve.json").write_text(curves.model_copy(update={"models": models}).model_dump_json())
    with pytest.raises(InputError, match="rm0-profile and again are both of scalar:a under profile"):
        read(tmp_path)


def test_damaged_files_are_one_line(tmp_path: Path) -> None:
    judged = write_best_of_n(tmp_path, SKILLS)
    (judged / "rm0-profile.jsonl").unlink()
    with pytest.raises(InputError, match=r"rm0-profile.jsonl: No such file"):
        read(tmp_path)
    (judged / "curve.json").write_text('{"data": 1}')
    with pytest.raises(InputError, match=r"curve.json: is not what"):
        read(tmp_path)
