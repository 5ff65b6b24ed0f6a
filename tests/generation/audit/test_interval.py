import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.generation.audit.interval import interval95

OUTCOME = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
ROWS = st.lists(st.tuples(OUTCOME, st.sampled_from("abcdefghi")), min_size=1, max_size=60)


def interval(outcomes: list[float], groups: list[str]) -> tuple[float, float]:
    return interval95(np.array(outcomes), groups, repeats=4)


@given(ROWS)
def test_an_interval_holds_its_accuracy_and_is_never_of_zero_width(rows: list[tuple[float, str]]) -> None:
    outcomes, groups = [outcome for outcome, _ in rows], [group for _, group in rows]
    low, high = interval(outcomes, groups)
    assert 0 <= low < high <= 1
    assert low - 1e-9 <= np.mean(outcomes) <= high + 1e-9


@given(st.lists(OUTCOME, min_size=2, max_size=40), st.integers(2, 4))
def test_fewer_users_of_more_pairs_each_make_it_wider(outcomes: list[float], times: int) -> None:
    repeated = outcomes * times
    of_few = interval(repeated, [f"user {number % len(outcomes)}" for number in range(len(repeated))])
    of_many = interval(repeated, [f"user {number}" for number in range(len(repeated))])
    assert of_few[1] - of_few[0] > of_many[1] - of_many[0]


@given(ROWS)
def test_mistakes_mirror_what_is_told(rows: list[tuple[float, str]]) -> None:
    outcomes, groups = [outcome for outcome, _ in rows], [group for _, group in rows]
    low, high = interval(outcomes, groups)
    assert interval([1 - each for each in outcomes], groups) == pytest.approx((1 - high, 1 - low))


def test_it_is_wider_than_for_outcomes_that_do_not_hang_together_and_far_from_useless() -> None:
    """The interval of 400 independent trials would be .45 to .55; one repeat has 64 % more variance, 4 have 54 %."""
    low, high = interval([0.0, 1.0] * 200, [str(number) for number in range(400)])
    assert 1.2 < (high - low) / (2 * 1.96 * 0.025) < 1.29
    assert high + low == pytest.approx(1)


@pytest.mark.parametrize(("pairs", "least"), [(5, 0.3), (60, 0.9), (1000, 0.99)])
def test_all_told_is_not_all_certain(pairs: int, least: float) -> None:
    low, high = interval([1.0] * pairs, [str(number) for number in range(pairs)])
    assert least < low < high == 1


def test_pairs_of_one_user_say_next_to_nothing() -> None:
    low, high = interval([1.0] * 50, ["a"] * 50)
    assert low < 0.1
    assert high == 1
