"""Joining old and new things, the surest way first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from prbgen.evaluation.comparing.matching import Level, matched

Thing = tuple[int | None, str]
LEVELS: tuple[Level[Thing], ...] = (lambda each: each[0], lambda each: each[1])
THINGS = st.lists(st.tuples(st.none() | st.integers(0, 5), st.sampled_from("abcdef")), max_size=12)


def test_the_surer_level_goes_first_and_what_is_left_is_told() -> None:
    found = matched([(1, "a"), (2, "b"), (3, "c")], [(None, "a"), (1, "x"), (9, "b")], LEVELS)
    assert found.both == [((1, "a"), (1, "x"), 0), ((2, "b"), (9, "b"), 1)]
    assert (found.only_old, found.only_new) == ([(3, "c")], [(None, "a")])


def test_what_has_one_key_several_times_is_joined_by_another_or_not_at_all() -> None:
    found = matched([(1, "a"), (1, "b")], [(1, "b"), (1, "c")], LEVELS)
    assert found.both == [((1, "b"), (1, "b"), 1)]
    assert (found.only_old, found.only_new) == ([(1, "a")], [(1, "c")])


@given(old=THINGS, new=THINGS)
def test_everything_comes_out_once_and_what_is_joined_has_a_key_in_common(old: list[Thing], new: list[Thing]) -> None:
    found = matched(old, new, LEVELS)
    assert sorted([one for one, _, _ in found.both] + found.only_old, key=repr) == sorted(old, key=repr)
    assert sorted([two for _, two, _ in found.both] + found.only_new, key=repr) == sorted(new, key=repr)
    for one, two, level in found.both:
        assert LEVELS[level](one) == LEVELS[level](two) is not None


@given(old=THINGS, new=THINGS)
def test_exchanging_the_sides_joins_the_same(old: list[Thing], new: list[Thing]) -> None:
    forth, back = matched(old, new, LEVELS), matched(new, old, LEVELS)
    assert {(one, two) for one, two, _ in forth.both} == {(two, one) for one, two, _ in back.both}


@given(things=THINGS)
def test_things_that_can_be_told_apart_are_all_found_again(things: list[Thing]) -> None:
    distinct = list({each[1]: each for each in things}.values())
    assert len(matched(distinct, distinct[::-1], LEVELS).both) == len(distinct)
