from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.generation.audit.distributions import groups, lengths
from prbgen.generation.audit.results import Group, Histogram
from prbgen.schema import PreferencePair


def pair(chosen: int, rejected: int, **columns: Any) -> PreferencePair:
    """By the numbers of words."""
    given: dict[str, Any] = {
        "id": "1", "pair_id": None, "question": "Why?", "chosen": "yes " * chosen, "rejected": "no " * rejected,
        "profile": None, "rubric_aspects": None, "narrative": None, "category": None, "subset": "", "split": "test",
        "user_key": "u",
    }  # fmt: skip
    return PreferencePair(**{**given, **columns})


COUNTS = st.one_of(st.integers(0, 3), st.integers(0, 120), st.just(3000))


@given(st.lists(st.tuples(COUNTS, COUNTS), min_size=1, max_size=40))
def test_each_answer_and_each_ratio_is_counted_once_where_it_belongs(words: list[tuple[int, int]]) -> None:
    found = lengths([pair(*each) for each in words])
    ratios = [one / other for one, other in words if other]
    for histogram, values in (
        (found.chosen, [float(one) for one, _ in words]),
        (found.rejected, [float(other) for _, other in words]),
        (found.ratio, ratios),
    ):
        assert sum(histogram.counts) == len(values)
        assert list(histogram.edges) == sorted(set(histogram.edges))
        assert len(histogram.edges) == len(histogram.counts) + 1
        for place, count in enumerate(histogram.counts):
            low, high = histogram.edges[place : place + 2]
            last = place == len(histogram.counts) - 1
            assert count == sum(low <= value < high or (last and value == high) for value in values)
    assert found.chosen.edges == found.rejected.edges
    assert len(found.chosen.counts) <= 22
    assert found.longer_chosen + found.longer_rejected + found.equal == len(words)


@given(st.lists(st.tuples(COUNTS, COUNTS), min_size=1, max_size=20))
def test_swapping_the_sides_swaps_the_figures(words: list[tuple[int, int]]) -> None:
    one, other = lengths([pair(*each) for each in words]), lengths([pair(*reversed(each)) for each in words])
    assert (one.chosen, one.median_chosen, one.longer_chosen) == (
        other.rejected,
        other.median_rejected,
        other.longer_rejected,
    )


def test_bins_have_round_edges_and_a_last_wide_one() -> None:
    found = lengths([*(pair(number, 100) for number in range(1, 101)), pair(900, 100)])
    assert found.chosen.edges == (0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 900)
    assert found.chosen.counts == (9, 10, 10, 10, 10, 10, 10, 10, 10, 10, 1, 1)


def test_medians_and_ratio() -> None:
    found = lengths([pair(100, 50), pair(80, 80), pair(10, 0), pair(60, 75)])
    assert (found.median_chosen, found.median_rejected, found.median_ratio) == (70, 62.5, 1)
    assert found.ratio == Histogram((0, 0.5, 0.67, 0.8, 0.95, 1.05, 1.25, 1.5, 2, 3), (0, 0, 0, 1, 1, 0, 0, 0, 1))
    assert lengths([pair(3, 0)]).median_ratio is None


def test_groups_are_the_largest_first_then_by_name() -> None:
    rows = [
        (name, kind)
        for name, kind, times in (("b", "x", 2), ("a", "y", 2), ("b", None, 3), ("a", None, 2))
        for _ in range(times)
    ]
    assert groups(pair(1, 1, subset=name, category=kind) for name, kind in rows) == (
        Group("b", None, 3),
        Group("a", None, 2),
        Group("a", "y", 2),
        Group("b", "x", 2),
    )


def test_no_pairs_have_no_lengths() -> None:
    with pytest.raises(ValueError, match="no pairs"):
        lengths([])
