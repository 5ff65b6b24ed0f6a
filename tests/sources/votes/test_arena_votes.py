"""Chatbot Arena conversations as personalised pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from prbgen.errors import InputError
from prbgen.schema import PreferencePair
from prbgen.sources import VoteSource, open_source
from tests.sources.lamp_rows import KINDS, write
from tests.sources.votes.vote_rows import Row, arena, battle, dialogue


def opened(place: Path, rows: list[Any], **asked: Any) -> VoteSource:
    source = open_source(str(write(place, rows)), **asked)
    assert isinstance(source, VoteSource)
    return source


def read(place: Path, rows: list[Any], **asked: Any) -> list[PreferencePair]:
    return list(opened(place, rows, **asked).read())


@pytest.mark.parametrize("kind", KINDS)
def test_a_vote_for_either_side_is_a_pair(kind: str, tmp_path: Path) -> None:
    rows = [battle(1, "arena_user_9"), battle(2, "arena_user_9", "model_b", language="German")]
    first, second = read(tmp_path / f"arena.{kind}", rows, least=2)
    assert (first.question, first.chosen, first.rejected) == (
        "How do I mend it, number 1?",
        "<answer a of 1>",
        "<answer b of 1>",
    )
    assert (second.chosen, second.rejected) == ("<answer b of 2>", "<answer a of 2>")
    assert (first.id, first.pair_id, first.user_key) == (f"{1:032x}", f"{1:032x}", "arena_user_9")
    assert (first.subset, first.split, first.category, second.category) == ("Arena", "test", "English", "German")
    assert [post.id for post in first.profile or ()] == [second.id]


def test_a_named_split_is_kept(tmp_path: Path) -> None:
    pairs = read(tmp_path / "data" / "train-00000-of-00001-cced85.parquet", arena())
    assert {pair.split for pair in pairs} == {"train"}


def test_what_is_no_blind_vote_on_two_answers_is_left_out_and_counted(tmp_path: Path) -> None:
    long = dialogue("Hello", "Hi", "And now?", "Bye")
    rows = [
        *arena(1, 5),
        battle(200, "arena_user_0", "tie"),
        battle(201, "arena_user_0", "tie (bothbad)"),
        battle(202, "arena_user_0", anony=False),
        battle(203, "arena_user_0", conversation_a=long, conversation_b=long, turn=2),
        battle(204, "arena_user_0", conversation_a=dialogue("Another question", "Hi")),
        battle(205, "arena_user_0", conversation_b=[]),
        battle(206, "arena_user_0", conversation_b=dialogue("How do I mend it, number 206?", "")),
        battle(207, "arena_user_1"),
    ]
    source = opened(tmp_path / "arena.jsonl", rows)
    assert len(list(source.read())) == 5
    report = source.report
    assert report
    assert report.left_out == {
        "that are ties": 1,
        "that call both answers bad": 1,
        "by people who saw the models' names": 1,
        "on conversations of several turns": 1,
        "not on two answers to one question": 2,
        "with an empty text": 1,
    }
    assert (report.pairs, report.users, report.few_users, report.few_votes) == (5, 1, 1, 1)
    assert sum(report.left_out.values()) + report.few_votes + report.pairs == len(rows)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"winner": "model_c"}, "winner: should be model_a, model_b, tie or tie (bothbad)"),
        ({"winner": None}, "winner: is null, should be text"),
        ({"judge": " "}, "judge: empty"),
        ({"conversation_a": None}, "conversation_a: is null, should be a list"),
        ({"conversation_b": ["Hi"]}, "conversation_b[0]: is text, should be an object"),
        ({"conversation_b": [{"role": "bot", "content": "Hi"}]}, "conversation_b[0].role: should be user or assistant"),
        ({"question_id": 7}, "question_id: is a number, should be text"),
    ],
)
def test_a_row_that_is_no_vote_is_named(changes: Row, fault: str, tmp_path: Path) -> None:
    rows = arena()
    rows[2] |= changes
    with pytest.raises(InputError) as caught:
        read(tmp_path / "arena.jsonl", rows)
    assert str(caught.value) == f"arena.jsonl:line 3: {fault}"


def test_a_question_that_was_voted_on_twice_is_in_the_profile_but_for_votes_that_show_the_answer(
    tmp_path: Path,
) -> None:
    asked = "Tell a joke"
    rows = [
        battle(number, "u", conversation_a=dialogue(asked, one), conversation_b=dialogue(asked, two))
        for number, (one, two) in enumerate([("A cat.", "A dog."), ("A cow.", "a  DOG."), ("A hen.", "A pig.")])
    ]
    first, *_ = read(tmp_path / "arena.jsonl", rows, least=3)
    assert [post.id for post in first.profile or ()] == [f"{2:032x}"]
