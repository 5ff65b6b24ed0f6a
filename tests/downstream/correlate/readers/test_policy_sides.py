"""Policies that were trained with reward models."""

from __future__ import annotations

from pathlib import Path

import pytest

from prbgen.downstream.candidates import JudgementRow
from prbgen.downstream.correlate.readers.policies import found_policies, read_policies
from prbgen.downstream.correlate.side import Side
from prbgen.errors import InputError
from prbgen.run import read_records
from tests.downstream.correlate.side_samples import QUESTIONS, write_policy


def read(place: Path) -> list[Side]:
    return read_policies(found_policies(place))


def test_all_policies_together_are_one_result(tmp_path: Path) -> None:
    for at, model in enumerate(("scalar:a", "scalar:b", "judge:c")):
        write_policy(tmp_path / str(at), model, 0.3 + at / 10)
    write_policy(tmp_path / "untrained", None, 0.2)
    (side,) = read(tmp_path)
    assert side.models == ("judge:c", "scalar:a", "scalar:b")
    assert side.label == "trained policies, data/pairs, profile"
    assert side.scores.tolist() == pytest.approx([0.5, 0.3, 0.4], abs=0.03)


def test_scores_are_means_over_questions_of_means_over_judged_answers(tmp_path: Path) -> None:
    write_policy(tmp_path, "scalar:a", 0.4)
    (side,) = read(tmp_path)
    means = []
    for row in read_records(tmp_path / "judges" / "openai-judge" / "judgements.jsonl", JudgementRow):
        known = [each.quality for each in row.judgements if each.quality is not None]
        means += [sum(known) / len(known)] if known else []
    assert side.scores.tolist() == pytest.approx([sum(means) / len(means)])
    assert side.items is not None
    assert side.items.counts.sum() == QUESTIONS - 1


def test_each_judge_is_a_result_of_its_own(tmp_path: Path) -> None:
    for model in ("scalar:a", "scalar:b"):
        write_policy(tmp_path / model[-1], model, 0.4, judges=("x/one", "x/two"))
    assert [(each.models, each.aspects[1]) for each in read(tmp_path)] == [
        (("scalar:a", "scalar:b"), "judge x/one"),
        (("scalar:a", "scalar:b"), "judge x/two"),
    ]


def test_two_policies_of_one_reward_model_are_refused(tmp_path: Path) -> None:
    for name in ("ppo", "grpo"):
        write_policy(tmp_path / name, "scalar:a", 0.4)
    with pytest.raises(InputError, match=r"grpo and .*ppo: both are policies trained with scalar:a; name only one"):
        read(tmp_path)
    assert len(read_policies(found_policies(tmp_path / "ppo") * 2)) == 1


def test_answers_that_nobody_judged_are_named(tmp_path: Path) -> None:
    write_policy(tmp_path, "scalar:a", 0.4, judges=())
    with pytest.raises(InputError, match="its answers are not judged yet"):
        read(tmp_path)


def test_judgements_of_other_answers_are_refused(tmp_path: Path) -> None:
    write_policy(tmp_path / "a", "scalar:a", 0.4)
    judged = tmp_path / "a" / "judges" / "openai-judge"
    lines = (judged / "judgements.jsonl").read_text().splitlines(keepends=True)
    (judged / "judgements.jsonl").write_text("".join(lines[1:]))
    with pytest.raises(InputError, match=r"judgements.jsonl: not the questions of .*candidates.jsonl"):
        read(tmp_path)
    about = (judged / "judging.json").read_text()
    (judged / "judging.json").write_text(about.replace('"a1"', '"a0"'))
    with pytest.raises(InputError, match="is about earlier answers"):
        read(tmp_path)
