from __future__ import annotations

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from prbgen.annotation.plan.chance import mixed
from prbgen.annotation.plan.order import gold_places, repeat_places
from prbgen.annotation.plan.sides import balanced
from prbgen.schema import Shown
from tests.annotation.forms import SIDES

RANDOM = st.randoms(use_true_random=False)


@given(st.integers(0, 30), st.integers(0, 100), RANDOM)
def test_gold_stands_once_in_each_stretch(count: int, others: int, rng: random.Random) -> None:
    length = count + others
    places = gold_places(count, length, rng)
    assert len(places) == count
    for number, place in enumerate(places):
        assert number * length // count <= place < (number + 1) * length // count


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.data(), RANDOM)
def test_repeats_come_after_all_that_they_repeat_and_half_the_batch_later_where_there_is_room(
    row: list[bool], data: st.DataObject, rng: random.Random
) -> None:
    places = [place for place, repeatable in enumerate(row) if repeatable]
    count = data.draw(st.integers(0, len(places)))
    length = len(row) + count
    drawn = repeat_places(places, count, length, rng)
    firsts, repeats = [first for first, _ in drawn], [repeat for _, repeat in drawn]
    assert len(set(firsts)) == len(set(repeats)) == count
    assert set(firsts) <= set(places)
    assert all(max(firsts) < repeat < length for repeat in repeats)
    if sum(place < length - length // 2 for place in places) >= count:
        assert all(repeat - first >= length // 2 for first, repeat in drawn)


@given(st.integers(1, 20), RANDOM)
def test_a_repeat_never_pushes_back_an_item_that_is_repeated(between: int, rng: random.Random) -> None:
    drawn = repeat_places([0, between + 1], 2, between + 4, rng)
    assert sorted(first for first, _ in drawn) == [0, between + 1]
    assert all(repeat > between + 1 for _, repeat in drawn)


@given(st.lists(st.integers(1, 20), max_size=5), RANDOM)
def test_any_beginning_of_a_mixed_row_holds_about_the_same_share_of_every_group(
    sizes: list[int], rng: random.Random
) -> None:
    groups = [[(name, member) for member in range(size)] for name, size in enumerate(sizes)]
    row = mixed(groups, rng)
    assert sorted(row) == [member for group in groups for member in group]
    for name, group in enumerate(groups):
        assert [member for member in row if member[0] == name] == group
    for end in range(len(row)):
        counts = Counter(name for name, _ in row[:end])
        # There is one point of time up to which each group has sent its share, to within one.
        least = max(((counts[name] - 1) / size for name, size in enumerate(sizes)), default=0)
        most = min(((counts[name] + 1) / size for name, size in enumerate(sizes)), default=1)
        assert least <= most


@given(st.integers(0, 50), st.lists(st.sampled_from(["A", "B"]), max_size=20), RANDOM)
def test_sides_are_balanced_as_far_as_the_frozen_ones_allow(
    count: int, frozen: list[Shown], rng: random.Random
) -> None:
    new = balanced(count, frozen, rng)
    a, b = (new.count(side) + frozen.count(side) for side in SIDES)
    assert len(new) == count
    lean = abs(frozen.count("A") - frozen.count("B"))
    assert abs(a - b) <= max(1, lean - count)
