"""PRISM's utterances as personalised pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from prbgen.errors import InputError
from prbgen.schema import PreferencePair
from prbgen.sources import VoteSource, open_source
from tests.sources.lamp_rows import without, write
from tests.sources.votes.vote_rows import Row, prism, utterances


def opened(folder: Path, rows: list[Any], **asked: Any) -> VoteSource:
    source = open_source(str(write(folder / "utterances.jsonl", rows)), **asked)
    assert isinstance(source, VoteSource)
    return source


def read(folder: Path, rows: list[Any], **asked: Any) -> dict[str, PreferencePair]:
    return {pair.id: pair for pair in opened(folder, rows, **asked).read()}


def test_a_pair_is_the_question_that_opens_a_conversation_and_its_profile_the_other_votes(tmp_path: Path) -> None:
    rows = utterances(1, "user7", (40, 90, 10)) + utterances(2, "user7", prompt="Is tofu food?")
    pair = read(tmp_path, rows, least=2)["int1"]
    assert (pair.question, pair.chosen, pair.rejected) == (
        "What matters most, number 1?",
        "<answer 1 of 1>",
        "<answer 2 of 1>",
    )
    assert (pair.pair_id, pair.user_key, pair.subset, pair.split) == ("int1", "user7", "PRISM", "test")
    assert (pair.category, pair.rubric_aspects, pair.narrative) == ("values guided", None, None)
    [post] = pair.profile or ()
    assert (post.id, post.category) == ("int2", "values guided")
    assert post.text == (
        "My question: Is tofu food?\n\n"
        "The answer I preferred: <answer 0 of 2>\n\n"
        "The answer I liked less: <answer 1 of 2>"
    )


def test_the_other_answer_is_the_worst_rated_one_and_among_equals_the_first_by_number(tmp_path: Path) -> None:
    rows = utterances(1, "u", (50, 20, 90, 20))
    assert read(tmp_path, rows[::-1], least=1)["int1"].rejected == "<answer 1 of 1>"


def test_of_several_that_are_chosen_the_best_rated_is(tmp_path: Path) -> None:
    rows = utterances(1, "u", (50, 20, 90, 10))
    rows[0]["if_chosen"] = True
    assert read(tmp_path, rows, least=1)["int1"].chosen == "<answer 2 of 1>"


def test_what_is_no_vote_is_left_out_and_counted_by_reason(tmp_path: Path) -> None:
    empty = utterances(8, "u", (90, 30, 10))
    empty[0]["model_response"] = "EMPTY STRING"
    contradicting = utterances(9, "u")
    contradicting[1]["user_prompt"] = "Something else"
    rows = [
        *utterances(1, "u", (90, 30)),
        *utterances(2, "u", (30, 30)),
        *utterances(3, "u", turn=1, conversation="c1"),
        *utterances(4, "u", turn=2, conversation="c1"),
        *utterances(5, "u", (70,)),
        *utterances(6, "u", if_chosen=False),
        *utterances(7, "u", model_response="The same"),
        *empty,
        *contradicting,
        *utterances(10, "alone"),
        *utterances(11, "u", (90, 30)),
        *utterances(12, "u", (20, 90), prompt=" "),
    ]
    source = opened(tmp_path, rows, least=2)
    assert [pair.id for pair in source.read()] == ["int1", "int11"]
    report = source.report
    assert report
    assert report.left_out == {
        "on later turns": 2,
        "that are ties": 1,
        "without two answers, one of them chosen": 2,
        "between two answers that are the same": 1,
        "with an empty text": 2,
        "whose rows contradict each other": 1,
    }
    assert str(report) == (
        "2 pairs of 1 users; votes left out: 1 between two answers that are the same, 2 on later turns, 1 that are"
        " ties, 1 whose rows contradict each other, 2 with an empty text, 2 without two answers, one of them chosen,"
        " 1 of 1 users with fewer than 2"
    )


def test_an_empty_answer_is_no_worst_one(tmp_path: Path) -> None:
    rows = utterances(1, "u", (90, 30, 1))
    rows[2]["model_response"] = "EMPTY STRING"
    assert read(tmp_path, rows, least=1)["int1"].rejected == "<answer 1 of 1>"


def test_users_need_five_votes_unless_another_number_is_given(tmp_path: Path) -> None:
    rows = prism(1, 5) + [row for number in range(900, 904) for row in utterances(number, "few")]
    assert {pair.user_key for pair in read(tmp_path, rows).values()} == {"user0"}
    assert {pair.user_key for pair in read(tmp_path, rows, least=4).values()} == {"user0", "few"}


def test_data_without_anybody_with_enough_votes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, prism(2, 4))
    assert str(caught.value) == (
        "utterances.jsonl: no user has 5 votes that can be used (0 pairs of 0 users; votes left out: 8 of 2 users with"
        " fewer than 5)"
    )


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"score": None}, "score: is null, should be a number"),
        ({"score": True}, "score: is true or false, should be a number"),
        ({"score": "80"}, "score: is text, should be a number"),
        ({"turn": 0.5}, "turn: is a number, should be a whole number"),
        ({"if_chosen": "yes"}, "if_chosen: is text, should be true or false"),
        ({"user_id": ""}, "user_id: empty"),
        ({"user_prompt": 3}, "user_prompt: is a number, should be text"),
        ({"model_response": None, "turn": []}, "turn: is a list, should be a whole number; model_response: is null"),
    ],
)
def test_a_row_that_is_no_utterance_is_named(changes: Row, fault: str, tmp_path: Path) -> None:
    rows = prism(1, 5)
    rows[3] |= changes
    with pytest.raises(InputError, match=r"^utterances.jsonl:line 4: ") as caught:
        read(tmp_path, rows)
    assert all(each in str(caught.value) for each in fault.split("; "))


@pytest.mark.parametrize("missing", ["interaction_id", "conversation_id", "score", "if_chosen", "within_turn_id"])
def test_a_missing_column_is_named(missing: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"line 1: {missing}: "):
        read(tmp_path, [without(row, missing) for row in prism()])


@pytest.mark.parametrize("line", ["{broken", "[1]", '{"utterance_id": "\\ud800'])
def test_a_broken_line_is_named(line: str, tmp_path: Path) -> None:
    place = write(tmp_path / "utterances.jsonl", prism(1, 5))
    place.write_text(place.read_text() + line + "\n")
    source = open_source(str(place))
    with pytest.raises(InputError, match="line 11: "):
        next(source.read_with_places())


def test_numbers_may_be_written_with_a_point_and_half_characters_are_replaced(tmp_path: Path) -> None:
    rows = utterances(1, "u", turn=0.0, user_prompt="Warum \ud800 nicht, 東京?")  # type: ignore[arg-type]
    for row in rows:
        row["score"] = float(row["score"])
    assert read(tmp_path, rows, least=1)["int1"].question == "Warum \ufffd nicht, 東京?"


def test_a_place_is_that_of_the_answer_which_was_chosen(tmp_path: Path) -> None:
    source = opened(tmp_path, utterances(1, "u", (10, 90)), least=1)
    assert [where for where, _ in source.read_with_places()] == ["utterances.jsonl:line 2"]
