"""Questions without answers, from data of any kind: each once, with whoever asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prbgen.downstream.askers import Askers
from prbgen.errors import InputError
from prbgen.evaluation.settings import DataSettings
from prbgen.schema import PreferencePair
from prbgen.sources import AskerSource
from tests.evaluation.asking_rows import pair_row


def write(path: Path, *rows: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def lamp_qa_row(number: int, posts: tuple[str, ...] = ("about soup", "about tea")) -> dict[str, Any]:
    profile = [{"category": "food", "id": f"{number}_{at}", "text": text} for at, text in enumerate(posts)]
    return {
        "id": f"q{number}",
        "question": f"Which tea, number {number}?",
        "profile": profile,
        "rubric_aspects": [],
        "narrative": "I like tea.",
        "category": "food",
    }


def test_of_several_pairs_on_a_question_one_asker_comes_without_answers(tmp_path: Path) -> None:
    rows = [pair_row(number, pair_id=f"p{number}{way}", strategy=way) for number in range(3) for way in "ab"]
    found = list(AskerSource.at(write(tmp_path / "pairs.jsonl", *rows)).read())
    assert [each.id for each in found] == ["q0", "q1", "q2"]
    assert {(each.chosen, each.rejected, each.pair_id, each.strategy, each.generator) for each in found} == {
        ("", "", None, None, None)
    }
    assert [each.user_key for each in found] == ["u0", "u1", "u2"]
    assert all(each.rubric_aspects and each.narrative for each in found)


def test_questions_that_nobody_has_answered_are_read_as_they_are(tmp_path: Path) -> None:
    data = write(tmp_path / "test.jsonl", *(lamp_qa_row(number) for number in range(3)))
    found = list(AskerSource.at(data).read())
    assert [(each.id, each.narrative, each.split) for each in found] == [
        (f"q{n}", "I like tea.", "test") for n in range(3)
    ]
    assert all(isinstance(each, PreferencePair) for each in found)


def test_posts_of_questions_are_ranked_those_of_pairs_stay_as_they_are(tmp_path: Path) -> None:
    questions = write(tmp_path / "test.jsonl", lamp_qa_row(0))
    (_, asker), *_ = Askers.at(DataSettings(questions)).read_with_places()
    assert [post.text for post in asker.profile or ()] == ["about tea", "about soup"]
    posts = [{"category": None, "id": str(at), "text": text} for at, text in enumerate(("about soup", "about tea"))]
    pairs = write(tmp_path / "pairs.jsonl", pair_row(0, question="Which tea?", profile=posts))
    (_, asker), *_ = Askers.at(DataSettings(pairs)).read_with_places()
    assert [post.text for post in asker.profile or ()] == ["about soup", "about tea"]


def test_the_bundled_questions_are_data_too() -> None:
    assert len(list(AskerSource.at("samples").read())) == 15


@pytest.mark.parametrize("split", ["train", "nowhere"])
def test_a_split_that_is_not_there_is_refused(tmp_path: Path, split: str) -> None:
    write(tmp_path / "test.jsonl", lamp_qa_row(0))
    with pytest.raises(InputError):
        list(AskerSource.at(str(tmp_path), split=split).read())
