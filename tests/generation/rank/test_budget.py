import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prbgen.generation.rank.budget import estimate_tokens, fit, shorten
from prbgen.schema import CutPost, Post

pieces = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=60),
    st.lists(
        st.sampled_from(["plain", "words", "a", "東京", "é", "👩🏽\u200d🔬", "\n", "unbreakable" * 9]), max_size=60
    ).map(" ".join),
)
profiles = st.lists(st.builds(Post, category=st.none() | st.text(max_size=3), id=st.text(max_size=2), text=pieces))


def post(post_id: str, text: str) -> Post:
    return Post(category="cooking", id=post_id, text=text)


@settings(deadline=None)
@given(st.text())
def test_a_token_is_four_bytes(text: str) -> None:
    assert estimate_tokens(text) == math.ceil(len(text.encode()) / 4)


def test_a_lone_surrogate_counts() -> None:
    assert estimate_tokens("\ud800ab") == 2


@settings(deadline=None)
@given(profiles, st.integers(1, 400))
def test_the_budget_holds_and_every_post_is_accounted_for(posts: list[Post], tokens: int) -> None:
    shown, cut = fit(posts, tokens)
    assert sum(estimate_tokens(each.text) for each in shown) <= tokens
    assert [(each.id, each.category) for each in shown] == [(each.id, each.category) for each in posts[: len(shown)]]
    shortened = [each for each in cut if each.tokens_kept]
    whole = len(shown) - len(shortened)
    assert list(shown[:whole]) == posts[:whole]
    assert [(each.id, each.tokens) for each in cut] == [(each.id, estimate_tokens(each.text)) for each in posts[whole:]]
    assert shortened == list(cut[: len(shortened)])
    assert len(shortened) <= 1
    for each, last in zip(shortened, shown[whole:], strict=True):
        assert each.tokens_kept == estimate_tokens(last.text) < each.tokens
        assert posts[whole].text.startswith(last.text.removesuffix(" ..."))


@settings(deadline=None)
@given(profiles, st.integers(1, 400))
def test_no_post_is_cut_that_fits(posts: list[Post], tokens: int) -> None:
    shown, cut = fit(posts, tokens)
    if cut:
        whole = len(posts) - len(cut)
        assert sum(estimate_tokens(each.text) for each in posts[: whole + 1]) > tokens
    else:
        assert list(shown) == posts


@settings(deadline=None)
@given(pieces, st.integers(1, 100))
def test_a_text_is_shortened_between_words(text: str, tokens: int) -> None:
    if estimate_tokens(text) <= tokens:
        return
    start = shorten(text, tokens).removesuffix(" ...")
    rest = text.removeprefix(start)
    if start and text.isascii() and len(text.split()[0]) <= tokens * 4 - 4:
        assert rest[0].isspace()


@pytest.mark.parametrize(
    ("text", "tokens", "short"),
    [
        ("one two three four", 4, "one two ..."),
        ("one two three four", 3, "one two ..."),
        ("one two, three four", 3, "one two, ..."),
        ("one two three", 2, "one ..."),
        ("unbreakable", 3, "unbreaka ..."),
        ("  unbreakable", 2, "  un ..."),
        ("東京の食堂", 4, "東京の食 ..."),
        ("東京の食堂", 3, "東京 ..."),
        ("a食べか\u3099す", 4, "a食べ ..."),
        ("ab👩\u200d🔬", 3, "ab ..."),
        ("one two", 1, ""),
        ("食食", 1, ""),
        ("a" + "\u0301" * 20, 4, ""),
    ],
)
def test_shortened_texts(text: str, tokens: int, short: str) -> None:
    assert shorten(text, tokens) == short


def test_the_first_post_that_does_not_fit_is_shortened_and_the_rest_left_out() -> None:
    posts = [post("1", "a " * 100), post("2", "word " * 200), post("3", "b"), post("4", "")]
    shown, cut = fit(posts, 150)
    assert [each.id for each in shown] == ["1", "2"]
    assert shown[1] == post("2", "word " * 79 + "...")
    assert cut == (
        CutPost(id="2", tokens=250, tokens_kept=100),
        CutPost(id="3", tokens=1, tokens_kept=0),
        CutPost(id="4", tokens=0, tokens_kept=0),
    )


@pytest.mark.parametrize(("left", "shown_ids"), [(50, ["1", "2"]), (49, ["1"])])
def test_a_rest_under_fifty_tokens_shows_no_further_post(left: int, shown_ids: list[str]) -> None:
    shown, cut = fit([post("1", "abcd" * 10), post("2", "word " * 200)], 10 + left)
    assert [each.id for each in shown] == shown_ids
    assert [each.id for each in cut] == ["2"]


def test_the_very_first_post_is_shortened_however_little_is_left() -> None:
    shown, cut = fit([post("1", "word " * 200), post("2", "b")], 3)
    assert shown == (post("1", "word ..."),)
    assert [each.tokens_kept for each in cut] == [2, 0]
