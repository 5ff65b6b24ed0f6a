"""Means with their intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.downstream.means import mean_share
from prbgen.evaluation.metrics.bootstrap import Bootstrap

cases = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 6)), min_size=1, max_size=40)


@given(cases)
def test_of_whole_numbers_it_is_the_share_that_evaluations_have(drawn: list[tuple[int, int]]) -> None:
    hits, users = (np.array(column) for column in zip(*drawn, strict=True))
    share = Bootstrap(resamples=200).share(hits, np.ones(len(hits), dtype=np.int64), users)
    mine = mean_share(hits, users, resamples=200)
    assert (mine.value, mine.n) == (share.value, share.n)
    assert mine.ci95 == share.ci95


@given(cases, st.randoms())
def test_the_order_of_the_cases_changes_nothing(drawn: list[tuple[int, int]], dice: object) -> None:
    before = mean_share([value / 7 for value, _ in drawn], [user for _, user in drawn], resamples=50)
    dice.shuffle(drawn)  # type: ignore[attr-defined]
    assert mean_share([value / 7 for value, _ in drawn], [user for _, user in drawn], resamples=50) == before


def test_users_may_have_names_and_one_user_gives_no_interval() -> None:
    assert mean_share([0.25, 0.75], ["ann", "ann"]).model_dump() == {"value": 0.5, "ci95": None, "n": 2}
    assert mean_share([0.25, 0.75], ["ann", "bob"]) == mean_share([0.25, 0.75], [0, 1])


def test_of_nothing_there_is_no_mean() -> None:
    assert mean_share([], []).model_dump() == {"value": None, "ci95": None, "n": 0}


def test_the_interval_is_as_wide_as_users_and_not_cases_say() -> None:
    """For u users with m equal values each, the standard error is that of u independent values."""
    generator = np.random.default_rng(1)
    means = generator.normal(size=200)
    values, users = np.repeat(means, 25), np.repeat(np.arange(200), 25)
    interval = mean_share(values, users).ci95
    assert interval
    assert interval[1] - interval[0] == pytest.approx(2 * 1.96 * means.std() / math.sqrt(200), rel=0.08)


@pytest.mark.parametrize("bad", [[math.nan], [math.inf]])
def test_what_is_no_number_is_no_value(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="finite"):
        mean_share(bad, [0])


def test_each_value_has_a_user() -> None:
    with pytest.raises(ValueError, match="each with its user"):
        mean_share([1.0, 2.0], [0])
