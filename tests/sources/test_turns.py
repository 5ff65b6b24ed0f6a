from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.sources.fields import Fields, Notes
from prbgen.sources.turns import Turns, read_turns


def turns(row: dict[str, Any]) -> Turns | list[str]:
    """What is read, or what is wrong."""
    notes = Notes()
    found = read_turns(Fields({"chosen": "a", "rejected": "b"} | row, "", notes))
    return notes.faults or found


def said(*contents: str) -> list[dict[str, str]]:
    """Messages of user and assistant in turn."""
    return [{"role": ("user", "assistant")[n % 2], "content": content} for n, content in enumerate(contents)]


def dialogue(*contents: str) -> str:
    return "".join(f"\n\n{('Human', 'Assistant')[n % 2]}: {content}" for n, content in enumerate(contents))


@pytest.mark.parametrize("name", ["question", "prompt", "instruction", "query", "input"])
def test_a_question_may_stand_in_several_columns_as_text_or_messages(name: str) -> None:
    assert turns({name: "Why?"}) == Turns("Why?", "a", "b")
    system = {"role": "system", "content": "Be brief."}
    assert turns({name: [system, *said("Hi", "Yes?", "Why?")]}) == Turns("Why?", "a", "b")


def test_the_first_column_that_says_something_counts() -> None:
    assert turns({"question": None, "prompt": " ", "query": "Why?", "input": "How?"}) == Turns("Why?", "a", "b")


def test_an_instruction_goes_with_its_input() -> None:
    assert turns({"instruction": "Translate.", "input": "Brot"}) == Turns("Translate.\n\nBrot", "a", "b")
    assert turns({"instruction": "Sing.", "input": ""}) == Turns("Sing.", "a", "b")


def test_a_row_may_have_no_question() -> None:
    assert turns({}) == Turns("", "a", "b")
    assert turns({"chosen": [{"role": "assistant", "content": "a"}]}) == Turns("", "a", "b")


def test_answers_in_messages_are_what_the_assistant_says_last() -> None:
    chosen, rejected = said("Hi", "Yes?", "Why?", "Because."), said("Hi", "Yes?", "Why?", "No idea.")
    assert turns({"chosen": chosen, "rejected": rejected}) == Turns("Why?", "Because.", "No idea.")
    asked_for = {"prompt": "Well?", "chosen": chosen, "rejected": rejected}
    assert turns(asked_for) == Turns("Well?", "Because.", "No idea.")
    assert turns({"chosen": [*chosen, *said("Thanks")], "rejected": "b"}) == Turns("Why?", "Because.", "b")


def test_an_empty_answer_is_an_answer() -> None:
    assert turns({"chosen": "", "rejected": said("Why?", "")}) == Turns("", "", "")


def test_dialogues_are_split_where_their_beginning_ends() -> None:
    start = ("Hi", "Yes?", "Why?")
    row = {"chosen": dialogue(*start, "Because."), "rejected": dialogue(*start, "No idea.")}
    assert turns(row) == Turns("Why?", "Because.", "No idea.")
    assert turns({**row, "prompt": "Well?"}) == Turns("Well?", "Because.", "No idea.")
    empty = {"chosen": dialogue("Why?", ""), "rejected": dialogue("Why?", "No.")}
    assert turns(empty) == Turns("Why?", "", "No.")


def test_dialogues_that_part_early_are_compared_from_there() -> None:
    row = {"chosen": dialogue("Why?", "So.", "And?", "x"), "rejected": dialogue("Why?", "No.", "Oh?", "x")}
    assert turns(row) == Turns("Why?", "So." + dialogue("And?", "x"), "No." + dialogue("Oh?", "x"))


def test_texts_that_share_no_dialogue_stay_as_they_are() -> None:
    for chosen in (dialogue("Why?", "So."), "Human: none", "The \n\nAssistant: of"):
        assert turns({"chosen": chosen, "rejected": dialogue("How?", "So.")}) == Turns(
            "", chosen, dialogue("How?", "So.")
        )


def test_a_prompt_may_be_a_dialogue() -> None:
    assert turns({"prompt": dialogue("Hi", "Yes?", "Why?", "")}) == Turns("Why?", "a", "b")


TEXTS = st.text(st.sampled_from("ab :\n"), max_size=12)


@given(st.lists(TEXTS, min_size=1, max_size=5).filter(lambda turns: len(turns) % 2 == 1), TEXTS, TEXTS)
def test_dialogues_and_messages_say_the_same(start: list[str], chosen: str, rejected: str) -> None:
    as_text = turns({"chosen": dialogue(*start, chosen), "rejected": dialogue(*start, rejected)})
    as_messages = turns({"chosen": said(*start, chosen), "rejected": said(*start, rejected)})
    assert isinstance(as_text, Turns)
    assert isinstance(as_messages, Turns)
    assert as_text == Turns(*(each.strip() for each in (as_messages.question, chosen, rejected)))


KINDS = ("text", "a list")


@pytest.mark.parametrize(
    ("row", "faults"),
    [
        ({"chosen": None}, ["chosen: is null, should be text or a list of messages"]),
        ({"rejected": {}}, ["rejected: is an object, should be text or a list of messages"]),
        ({"chosen": []}, ["chosen: no message of role assistant"]),
        ({"chosen": ["a", []]}, [f"chosen[{n}]: is {what}, should be an object" for n, what in enumerate(KINDS)]),
        ({"chosen": [{"role": 1, "content": "a"}]}, ["chosen: no message of role assistant"]),
        ({"chosen": [{"role": "assistant"}]}, ["chosen[0].content: missing"]),
        ({"chosen": [{"role": "assistant", "content": None}]}, ["chosen[0].content: is null, should be text"]),
        ({"prompt": 3}, ["prompt: is a number, should be text or a list of messages"]),
        ({"prompt": said("a")[:0]}, ["prompt: no message of role user"]),
        ({"prompt": [None]}, ["prompt[0]: is null, should be an object"]),
    ],
)
def test_what_is_mistyped_is_named(row: dict[str, Any], faults: list[str]) -> None:
    assert turns(row) == faults
