from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prbgen.generation.audit.overlap import OtherData, Overlaps, Row
from prbgen.generation.audit.results import Overlap
from prbgen.schema import Post, PreferencePair, Question

LONG = [f"Post number {number}. " + "All that I ever said about it. " * 8 for number in range(6)]


def posts(*texts: str) -> tuple[Post, ...]:
    return tuple(Post(category=None, id=str(number), text=text) for number, text in enumerate(texts))


def source(question: str, *profile: str) -> Question:
    """A row of LaMP-QA."""
    rest: dict[str, Any] = {
        "rubric_aspects": None,
        "narrative": None,
        "category": None,
        "subset": "a",
        "split": "train",
    }
    return Question(id="t1", question=question, profile=posts(*profile), user_key="u", **rest)


def pair(number: str, question: str, profile: tuple[str, ...] | None, user: str = "") -> PreferencePair:
    return PreferencePair(
        id=number, pair_id=None, question=question, chosen="So.", rejected="No.", rubric_aspects=None, narrative=None,
        profile=None if profile is None else posts(*profile), category=None, subset="", split="test",
        user_key=user or number,
    )  # fmt: skip


def overlap(other: Iterable[Row], rows: Iterable[PreferencePair]) -> Overlap:
    data = OtherData("train")
    for each in other:
        data.add(each)
    overlaps = Overlaps(data)
    for row in rows:
        overlaps.add(row)
    return overlaps.found()


def test_users_are_found_by_their_posts_and_questions_by_their_text() -> None:
    rows = [
        pair("new", "Why is it so?", (LONG[0],)),
        pair("user", "And when?", (LONG[1], LONG[2])),
        pair("question", "  HOW do I\nknow?", ()),
        pair("both", "How do I know?", (LONG[2],)),
    ]
    found = overlap([source("How do I know?", LONG[2].upper()), source("What else?", LONG[5])], rows)
    assert found == Overlap("train", users=2, questions=1, examples=("user", "question", "both"))


def test_a_user_counts_once_for_all_of_their_rows() -> None:
    rows = [pair(str(number), f"Why {number}?", (LONG[0],), user="u1") for number in range(30)]
    found = overlap([source("?", LONG[0])], rows)
    assert (found.users, found.questions, len(found.examples)) == (1, 0, 20)


def test_short_posts_tell_no_user() -> None:
    assert overlap([source("What?", "Thanks to all!")], [pair("a", "Why?", ("Thanks to all!",))]).users == 0


def test_without_profiles_on_one_side_users_are_not_known() -> None:
    with_profile, without = pair("a", "Why?", (LONG[0],)), pair("b", "Why?", None)
    assert overlap([without], [with_profile]) == Overlap("train", None, 1, ("a",))
    assert overlap([with_profile], [without]) == Overlap("train", None, 1, ("b",))
    assert overlap([with_profile], [with_profile, without]).users == 1
    assert overlap([], [with_profile]) == Overlap("train", None, 0, ())


PROFILES = st.lists(st.lists(st.sampled_from(LONG), max_size=3).map(tuple), max_size=6)


@given(PROFILES, PROFILES)
def test_the_users_are_those_whose_posts_are_there(other: list[tuple[str, ...]], own: list[tuple[str, ...]]) -> None:
    known = {text for profile in other for text in profile}
    shared = [str(number) for number, profile in enumerate(own) if known & set(profile)]
    rows = [pair(str(number), f"Why {number}?", profile) for number, profile in enumerate(own)]
    found = overlap([source("How?", *profile) for profile in other], rows)
    assert found.examples == tuple(shared)
    assert found.users == (len(shared) if other and own else None)
