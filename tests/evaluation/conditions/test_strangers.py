"""Whose posts stand in for the asker's own."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.errors import InputError
from prbgen.evaluation.conditions.pair import PreparedPair
from prbgen.evaluation.conditions.strangers import USERS, Strangers
from prbgen.schema import Post
from tests.evaluation.asking_rows import pair_row


def shown(pairs: list[PreparedPair]) -> dict[str, list[str]]:
    return {pair.key: [post.text for post in pair.posts] for pair in pairs}


def author(post: str) -> str:
    return f"u{post.rpartition(' ')[2].rstrip('.')}"


def rows_of(sizes: list[int], categories: list[str | None]) -> list[dict[str, Any]]:
    """Users in pairs of neighbours; each row with so many posts."""
    return [
        pair_row(number, posts=size, category=category, user_key=f"u{number}")
        for number, (size, category) in enumerate(zip(sizes, categories, strict=True))
    ]


def test_a_stranger_is_of_the_same_category_and_shows_as_many_posts_in_their_order(keep: Any) -> None:
    rows = rows_of([4, 2, 5, 3, 3, 0, 3], ["a", "a", "a", "b", "b", "b", "a"])
    pairs = keep(rows, "shuffled", posts=3)
    category = {row["user_key"]: row["category"] for row in rows}
    assert [len(pair.posts) for pair in pairs] == [3, 2, 3, 3, 3, 0, 3]
    assert not any(pair.lacking for pair in pairs)
    for pair in pairs:
        users = {author(post.text) for post in pair.posts}
        assert users <= {user for user in category if category[user] == pair.category and user != pair.user_key}
        assert len(users) <= 1
        assert [post.text for post in pair.posts] == [
            f"Post {at} of user {user[1:]}." for user in users for at in range(len(pair.posts))
        ]


def test_a_pair_without_a_category_takes_anybody_of_its_subset(keep: Any, tmp_path: Path) -> None:
    rows = [pair_row(0, category=None), pair_row(1, category="a"), pair_row(2, category="b"), pair_row(3, category="")]
    first, *others, last = keep(rows, "shuffled")
    assert author(first.posts[0].text) in ("u1", "u2", "u3")
    assert author(last.posts[0].text) in ("u0", "u1", "u2")
    assert [pair.lacking for pair in others] == [
        "no other user with as many posts: category a",
        "no other user with as many posts: category b",
    ]
    assert [pair.posts for pair in others] == [(), ()]


def test_another_subset_is_no_place_to_look(keep: Any) -> None:
    rows = [pair_row(0, subset="s"), pair_row(1, subset="s"), pair_row(2, subset="t", category=None)]
    assert [pair.lacking for pair in keep(rows, "shuffled")] == [
        None,
        None,
        "no other user with as many posts: subset t",
    ]


def test_a_stranger_with_fewer_posts_is_none_as_a_shorter_history_is_no_control(keep: Any) -> None:
    rows = rows_of([3, 2, 2, 9], ["a"] * 4)
    rich, *_, richest = keep(rows, "shuffled", posts=9)
    assert (richest.posts, richest.lacking) == ((), "no other user with as many posts: category a")
    assert [author(post.text) for post in rich.posts] == ["u3"] * 3
    assert not any(pair.lacking for pair in keep(rows, "shuffled", posts=3))
    assert keep([*rows, pair_row(4, posts=8, category="a")], "shuffled", posts=9)[4].lacking is None


def test_a_reason_is_one_short_line_whatever_a_category_is_called(keep: Any) -> None:
    rows = [pair_row(0), pair_row(1), pair_row(2, category="a\n" * 9999)]
    lacking = keep(rows, "shuffled")[2].lacking
    assert lacking.startswith("no other user with as many posts: category a a a")
    assert "\n" not in lacking
    assert len(lacking) < 130


def test_whoever_has_no_posts_is_shown_none_and_is_scored(keep: Any) -> None:
    rows = [pair_row(0), pair_row(1), pair_row(2, profile=[]), pair_row(3, profile=None, category="z")]
    pairs = keep(rows, "shuffled")
    assert [(len(pair.posts), pair.lacking) for pair in pairs[2:]] == [(0, None), (0, None)]


def test_what_a_pair_lacks_itself_is_said_first(keep: Any) -> None:
    rows = [pair_row(0), pair_row(1), pair_row(2, category="z", chosen="")]
    assert keep(rows, "shuffled")[2].lacking == "no chosen"


@pytest.mark.parametrize("user", ["u0", "u1"])
def test_data_in_which_nobody_has_a_stranger_is_refused(keep: Any, user: str) -> None:
    rows = [pair_row(0), pair_row(1, user_key=user, category="cooking" if user == "u0" else "books")]
    with pytest.raises(InputError, match=r"^pairs.jsonl: --condition shuffled shows as many posts of another"):
        keep(rows, "shuffled")


def test_neither_order_nor_limit_changes_who_stands_in(keep: Any) -> None:
    rows = [
        pair_row(number, posts=1 + number % 5, category="ab"[number % 2], user_key=f"u{number % 80}")
        for number in range(120)
    ]
    expected = shown(keep(rows, "shuffled"))
    assert len({posts[0] for posts in expected.values()}) > 30
    assert shown(keep(rows, "shuffled", limit=7)) == {f"p{number}": expected[f"p{number}"] for number in range(7)}
    random.Random(3).shuffle(rows)
    assert shown(keep(rows, "shuffled")) == expected


def test_posts_that_a_stranger_shares_make_it_no_stranger(keep: Any) -> None:
    shared = {"category": None, "id": "x", "text": "What I think of bread and of those who bake it. " * 9}
    rows = [pair_row(number, posts=4 + number // 2) for number in range(4)]
    for row in rows:
        del row["user_key"]
    rows[0]["profile"].append(shared)
    rows[1]["profile"].append(shared)
    pairs = keep(rows, "shuffled", posts=5)
    assert pairs[0].user_key == pairs[1].user_key
    for pair in pairs[:2]:
        assert author(pair.posts[0].text) in ("u2", "u3")
        assert shared["text"] not in {post.text for post in pair.posts}


def kept_pair(number: int, user: int, size: int, category: str | None) -> PreparedPair:
    row = pair_row(number, user_key=f"u{user}", category=category)
    for name in ("profile", "rubric_aspects", "narrative"):
        del row[name]
    posts = tuple(Post(category=None, id=str(at), text="x") for at in range(size))
    return PreparedPair(**row, subset="s", posts=posts)


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 4), st.sampled_from(["a", "b", "", None])), max_size=90),
    st.randoms(use_true_random=False),
)
def test_there_is_a_stranger_wherever_another_user_has_as_many_posts(
    told: list[tuple[int, int, str | None]], rng: random.Random
) -> None:
    pairs = [kept_pair(number, *each) for number, each in enumerate(told)]

    def strangers(order: list[PreparedPair]) -> dict[str, str | None]:
        pool = Strangers()
        for place, pair in enumerate(order):
            pool.add(place, pair)
        found = {pair.key: next(iter(pool.of(pair)), None) for pair in order}
        assert all(order[each.place].posts for each in found.values() if each)
        return {key: order[each.place].key if each else None for key, each in found.items()}

    found = strangers(pairs)
    by_key = {pair.key: pair for pair in pairs}
    for pair in pairs:
        others = {
            other.user_key
            for other in pairs
            if len(other.posts) >= max(1, len(pair.posts))
            and other.user_key != pair.user_key
            and pair.category in (None, "", other.category)
        }
        stranger = found[pair.key]
        assert (stranger is None) == (not others)
        assert stranger is None or by_key[stranger].user_key in others
        assert stranger is None or len(by_key[stranger].posts) >= len(pair.posts)
    rng.shuffle(pairs)
    assert strangers(pairs) == found


def test_strangers_are_many_and_none_stands_in_for_most() -> None:
    pool = Strangers()
    pairs = [kept_pair(number, number, 3, "a") for number in range(400)]
    for place, pair in enumerate(pairs):
        pool.add(place, pair)
    often = Counter(strangers[0].place for pair in pairs if (strangers := pool.of(pair)))
    assert len(often) == USERS
    assert max(often.values()) < 40


def test_the_few_who_have_many_posts_are_found_among_many_who_have_not() -> None:
    pool = Strangers()
    sizes = [7 if number in (500, 1500) else 1 + number % 2 for number in range(2000)]
    pairs = [kept_pair(number, number, size, "a") for number, size in enumerate(sizes)]
    for place, pair in enumerate(pairs):
        pool.add(place, pair)
    found = {number: strangers[0].place for number, pair in enumerate(pairs) if (strangers := pool.of(pair))}
    assert (found[500], found[1500], len(found)) == (1500, 500, 2000)
    assert max(Counter(found.values()).values()) < 200


def test_nobody_is_their_own_stranger_where_nothing_tells_who_asked(keep: Any) -> None:
    # Short posts tell no user, and the rows have no user_key: each person asks twice.
    rows = []
    for number in range(24):
        row = pair_row(number, profile=pair_row(number // 2)["profile"])
        del row["user_key"]
        rows.append(row)
    own = {pair.key: {post.text for post in pair.posts} for pair in keep(rows, "profile")}
    for pair in keep(rows, "shuffled"):
        assert pair.posts
        assert own[pair.key].isdisjoint(post.text for post in pair.posts)
