from __future__ import annotations

import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.annotation.items import Content, Item
from prbgen.annotation.plan import contents, extend, most_aspects
from prbgen.errors import InputError
from prbgen.recipe import AnnotationSettings
from prbgen.schema import Pair, Post, Round, RubricAspect
from tests.annotation.plan.rated_pairs import rated_pair, rated_pairs, write

ALL = AnnotationSettings(gold=0.3, repeats=0.3)
ONLY_PAIRS = AnnotationSettings(gold=0, repeats=0)
ROUNDS = get_args(Round)


def items_of(path: Path, round_: Round, wanted: AnnotationSettings = ALL) -> tuple[Item, ...]:
    return extend(path, (), round_, wanted, None).items


def only(path: Path, round_: Round) -> tuple[Item, Content]:
    """The one item of a file of one pair."""
    (shown,) = contents(path, items_of(path, round_, ONLY_PAIRS), round_)
    return shown


@given(st.integers(1, 12), st.sampled_from(ROUNDS), st.integers(0, 9))
def test_nothing_leaks_and_checks_look_like_any_other_item(count: int, round_: Round, seed: int) -> None:
    with TemporaryDirectory() as folder:
        path = write(Path(folder), rated_pairs(count))
        items = items_of(path, round_, ALL.model_copy(update={"seed": seed}))
        shown = list(contents(path, items, round_))
    assert [item for item, _ in shown] == list(items)
    for item, content in shown:
        text = content.model_dump_json()
        assert not any(word in text for word in ("SECRET", "avoid", "counter", item.pair_id))
        assert len(content.posts) == (0 if round_ == "quality" else 2)
        assert len(content.aspects) == item.aspects == (3 if round_ == "rubric" else 0)
        assert content.a
        assert content.b


@pytest.mark.parametrize("round_", ROUNDS)
def test_sides_are_as_recorded(tmp_path: Path, round_: Round) -> None:
    path = write(tmp_path, rated_pairs(10))
    items = items_of(path, round_)
    shown = list(contents(path, items, round_))
    assert len(shown) == len(items)
    for item, content in shown:
        if item.chosen:
            sides = {"A": content.a, "B": content.b}
            assert sides[item.chosen].startswith("Good answer")
            assert sides[{"A": "B", "B": "A"}[item.chosen]].startswith("Bad answer")


def test_posts_are_those_of_the_prompt_in_its_order_and_whole(tmp_path: Path) -> None:
    path = write(tmp_path, [rated_pair(0, posts=(3, 1, 2))])
    _, content = only(path, "blind")
    assert [post.text[:6] for post in content.posts] == ["Post 3", "Post 1", "Post 2"]
    assert {post.category for post in content.posts} == {"books"}


def test_two_posts_of_one_id_are_shown_each_once(tmp_path: Path) -> None:
    twins = tuple(Post(category=None, id="p0", text=text) for text in ("one", "other"))
    pair = rated_pair(0, posts=(0, 0), profile=twins)
    _, content = only(write(tmp_path, [pair]), "rubric")
    assert [post.text for post in content.posts] == ["one", "other"]


def test_aspects_come_in_order_with_their_reasons(tmp_path: Path) -> None:
    _, content = only(write(tmp_path, [rated_pair(0, aspects=2)]), "rubric")
    assert [(each.aspect[:6], each.reason) for each in content.aspects] == [
        ("Wish 0", "Reason 0"),
        ("Wish 1", "Reason 1"),
    ]


def test_a_pair_without_posts_is_rated_by_its_aspects(tmp_path: Path) -> None:
    _, content = only(write(tmp_path, [rated_pair(0, posts=())]), "rubric")
    assert content.posts == ()
    assert len(content.aspects) == 3


SHOWN: dict[str, object] = {
    "question": "Another question?",
    "chosen": "Another answer",
    "rejected": "Another answer",
    "profile": (Post(category="books", id="p0", text="Another post"), Post(category="books", id="p2", text="Post")),
    "rubric_aspects": (RubricAspect(aspect="Another wish", evidence=None, reason=None),),
}
HIDDEN: dict[str, object] = {"narrative": "Another", "user_key": "other", "category": None, "checks": ()}


@pytest.mark.parametrize("field", SHOWN)
def test_the_hash_covers_all_that_is_shown(tmp_path: Path, field: str) -> None:
    pair = rated_pair(0)
    item, _ = only(write(tmp_path, [pair]), "rubric")
    path = write(tmp_path, [pair.model_copy(update={field: SHOWN[field]})])
    assert list(contents(path, [item], "rubric")) == []


@pytest.mark.parametrize("field", HIDDEN)
def test_the_hash_covers_nothing_that_is_not_shown(tmp_path: Path, field: str) -> None:
    pair = rated_pair(0)
    item, content = only(write(tmp_path, [pair]), "rubric")
    path = write(tmp_path, [pair.model_copy(update={field: HIDDEN[field]})])
    assert list(contents(path, [item], "rubric")) == [(item, content)]


def test_what_a_round_does_not_show_does_not_change_its_items(tmp_path: Path) -> None:
    pair = rated_pair(0)
    item, content = only(write(tmp_path, [pair]), "quality")
    path = write(tmp_path, [pair.model_copy(update={each: SHOWN[each] for each in ("profile", "rubric_aspects")})])
    assert list(contents(path, [item], "quality")) == [(item, content)]


def test_an_item_whose_pair_or_donor_is_gone_shows_nothing(tmp_path: Path) -> None:
    pairs = rated_pairs(6)
    path = write(tmp_path, pairs)
    items = items_of(path, "rubric")
    gone = next(item.donor for item in items if item.donor)
    path = write(tmp_path, [pair for pair in pairs if pair.pair_id != gone])
    left = [item for item in items if gone not in (item.pair_id, item.donor)]
    assert 0 < len(left) < len(items)
    assert [item for item, _ in contents(path, items, "rubric")] == left
    marked = extend(path, items, "rubric", ALL, None).items[: len(items)]
    assert [item for item in marked if not item.withdrawn] == left


def test_a_withdrawn_item_is_passed_over_even_where_its_text_holds(tmp_path: Path) -> None:
    path = write(tmp_path, rated_pairs(2))
    first, *rest = items_of(path, "quality", ONLY_PAIRS)
    items = [first.model_copy(update={"withdrawn": True}), *rest]
    assert [item for item, _ in contents(path, items, "quality")] == rest


def test_another_rounds_items_are_not_taken_for_this_rounds(tmp_path: Path) -> None:
    path = write(tmp_path, rated_pairs(2))
    assert list(contents(path, items_of(path, "blind"), "rubric")) == []


def test_most_aspects(tmp_path: Path) -> None:
    assert most_aspects(write(tmp_path, [rated_pair(0, aspects=2), rated_pair(1, aspects=7)])) == 7


def heavy(number: int) -> Pair:
    return rated_pair(number, profile=tuple(Post(category=None, id=f"p{each}", text="x" * 10_000) for each in range(4)))


def test_memory_stays_flat_however_long_the_texts_are(tmp_path: Path) -> None:
    path = write(tmp_path, (heavy(number) for number in range(200)))
    assert path.stat().st_size > 8_000_000
    extend(write(tmp_path, [rated_pair(0), rated_pair(1)]), (), "rubric", ALL, None)  # loads what is loaded once
    path = write(tmp_path, (heavy(number) for number in range(200)))
    tracemalloc.start()
    try:
        plan = extend(path, (), "rubric", AnnotationSettings(), None)
        count = sum(1 for _ in contents(path, plan.items, "rubric"))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == len(plan.items)
    assert peak < 3_000_000


@pytest.mark.parametrize("text", [None, ""])
def test_without_pairs_the_error_names_the_file_and_what_to_run(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "pairs.jsonl"
    if text is not None:
        path.write_text(text)
    for read in (
        lambda: extend(path, (), "rubric", ALL, None),
        lambda: list(contents(path, (), "rubric")),
        lambda: most_aspects(path),
    ):
        with pytest.raises(InputError, match=r"pairs\.jsonl: .*`prbgen generate`"):
            read()


def test_a_pair_that_stands_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"pairs\.jsonl: holds pair [0-9a-f]{16} twice"):
        most_aspects(write(tmp_path, [rated_pair(0), rated_pair(0)]))


def test_a_line_that_is_no_pair_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, [rated_pair(0)])
    path.write_text(path.read_text() + "{}\n")
    with pytest.raises(InputError, match=r"pairs\.jsonl: line 2: "):
        most_aspects(path)
