from __future__ import annotations

import re
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from prbgen.schema import Post
from prbgen.sources.text import normalised
from prbgen.sources.users import SHARED_FROM, Users, post_keys, question_key, user_key

LONG = [f"post {number} " + "word " * 45 for number in range(8)]
SHORT = "thanks to all of you"
PROFILES = st.lists(st.lists(st.sampled_from([*LONG, SHORT]), max_size=4), max_size=12)


def firsts(profiles: list[list[str]]) -> list[int]:
    users = Users()
    for posts in profiles:
        users.add(normalised(post) for post in posts)
    return users.first_questions()


def by_hand(profiles: list[list[str]]) -> list[int]:
    """Give each question the first one that shares a long post, again and again until nothing changes."""
    first = list(range(len(profiles)))
    changed = True
    while changed:
        changed = False
        for one, posts in enumerate(profiles):
            for other, others in enumerate(profiles):
                if first[other] < first[one] and set(posts) & set(others) - {SHORT}:
                    first[one], changed = first[other], True
    return first


@given(PROFILES)
def test_questions_that_share_a_long_post_directly_or_not_are_one_users(profiles: list[list[str]]) -> None:
    assert firsts(profiles) == by_hand(profiles)


@given(PROFILES, st.randoms(use_true_random=False))
def test_the_order_of_posts_does_not_matter(profiles: list[list[str]], random: Random) -> None:
    shuffled = [random.sample(posts, len(posts)) for posts in profiles]
    assert firsts(shuffled) == firsts(profiles)


def test_only_posts_of_200_characters_or_more_are_shared() -> None:
    below, reached = "x" * (SHARED_FROM - 1), "x" * SHARED_FROM
    assert firsts([[below], [below]]) == [0, 1]
    assert firsts([[reached], [reached]]) == [0, 0]


def test_questions_without_posts_are_users_of_their_own() -> None:
    assert firsts([[], [], [SHORT]]) == [0, 1, 2]
    assert firsts([]) == []


def test_a_key_is_made_of_subset_and_id() -> None:
    assert re.fullmatch("u[0-9a-f]{12}", user_key("a", "0_1_0"))
    assert user_key("a", "0_1_0") == user_key("a", "0_1_0") != user_key("b", "0_1_0")


def test_questions_of_the_same_text_are_one_users_if_that_is_asked_for() -> None:
    users = Users()
    for posts, question in [([LONG[0]], "Why?"), ([], "How?"), ([LONG[0]], ""), ([], " how? "), ([], ""), ([], "")]:
        users.add(posts, question)
    assert users.first_questions() == [0, 1, 0, 1, 4, 5]


def test_a_question_that_is_also_a_post_tells_nothing() -> None:
    users = Users()
    users.add([LONG[0]])
    users.add([], LONG[0])
    assert users.first_questions() == [0, 1]


@given(st.lists(st.sampled_from([*LONG, SHORT])), st.lists(st.sampled_from([*LONG, SHORT])))
def test_profiles_have_a_post_key_in_common_if_they_share_a_long_post(one: list[str], other: list[str]) -> None:
    def keys(texts: list[str]) -> set[int]:
        return post_keys(Post(category=None, id="", text=text.upper()) for text in texts)

    assert len(keys(one)) == len(set(one) - {SHORT})
    assert len(keys(one) & keys(other)) == len(set(one) & set(other) - {SHORT})


def test_a_question_is_compared_without_case_and_white_space() -> None:
    assert question_key(" Why\nNOT ?") == question_key("why not ?") != question_key("why not")
    assert question_key(" \n") == ""
