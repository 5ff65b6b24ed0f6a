from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.schema import Post
from prbgen.sources.own_posts import without_own_posts

NARRATIVE = (
    "I moved to a flat with a north-facing balcony and would like to grow herbs there. Basil died twice, mint does"
    " well. I can spend ten minutes a day and do not want to use chemicals. Which herbs would you try first?"
)
OTHER = (
    "My neighbour plays the trumpet every evening until ten. I have asked him twice to stop, and he was friendly but"
    " went on. The landlord says that it is none of his business. What can I do before I go to a lawyer?"
)


def kept(*texts: str, narrative: str | None = NARRATIVE) -> list[str]:
    profile = tuple(Post(category=None, id=str(number), text=text) for number, text in enumerate(texts))
    rest, dropped = without_own_posts(profile, narrative)
    assert dropped == len(texts) - len(rest)
    return [post.text for post in rest]


@pytest.mark.parametrize(
    "post",
    [
        NARRATIVE,
        NARRATIVE.upper().replace(" ", "\n  "),
        f"Herbs in the shade {NARRATIVE} Thank you all!",
        NARRATIVE[20:140],
        NARRATIVE.replace("twice", "two times").replace("first", "to begin with"),
    ],
)
def test_a_post_that_repeats_the_narrative_is_dropped(post: str) -> None:
    assert kept(OTHER, post, OTHER) == [OTHER, OTHER]


@pytest.mark.parametrize(
    "post", [OTHER, "", NARRATIVE[:80], "I would like to grow herbs there.", NARRATIVE[:60] + OTHER]
)
def test_other_posts_stay(post: str) -> None:
    assert kept(post) == [post]


def test_without_a_narrative_nothing_is_dropped() -> None:
    assert kept(NARRATIVE, narrative=None) == [NARRATIVE]


def test_a_short_narrative_is_found_by_likeness_only() -> None:
    assert kept("Which knife?", "which  Knife ?", f"{OTHER} Which knife?", narrative="Which knife?") == [
        f"{OTHER} Which knife?"
    ]


@given(st.lists(st.text()), st.text())
def test_what_stays_keeps_its_order(texts: list[str], narrative: str) -> None:
    rest = iter(texts)
    assert all(text in rest for text in kept(*texts, narrative=narrative))
