"""Whether the share of refusals depends on the pace."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.llm.admission.shares import Shares


def told(shares: Shares, start: float, pace: float, calls: int, refused: int) -> float:
    """Calls at a steady pace, of which so many are refused, evenly. Returns when they are over."""
    now = start
    for number in range(calls):
        now += 1 / pace
        octave = shares.sent(now, pace)
        if (number + 1) * refused // calls > number * refused // calls:
            shares.refused(octave)
    return now


def both(fast: tuple[int, int], slow: tuple[int, int], paces: tuple[float, float] = (30, 3)) -> float | None:
    shares = Shares()
    told(shares, told(shares, 0, paces[0], *fast), paces[1], *slow)
    return shares.alike()


@pytest.mark.parametrize("share", [0.2, 0.5, 0.7])
def test_what_is_refused_at_any_pace_is_no_limit(share: float) -> None:
    found = both((40, round(40 * share)), (40, round(40 * share)))
    assert found == pytest.approx(share, abs=0.1)


@pytest.mark.parametrize(
    ("fast", "slow", "paces"),
    [
        ((40, 30), (40, 1), (30, 3)),  # a limit between the two
        ((40, 1), (40, 20), (30, 3)),  # it has fallen
        ((40, 20), (40, 20), (5, 3)),  # much the same pace
        ((40, 38), (40, 38), (30, 3)),  # nobody is there
        ((40, 2), (40, 2), (30, 3)),  # now and then
        ((8, 4), (40, 20), (30, 3)),  # too few to tell
    ],
)
def test_else_nobody_knows(fast: tuple[int, int], slow: tuple[int, int], paces: tuple[float, float]) -> None:
    assert both(fast, slow, paces) is None


def test_calls_that_no_pace_held_up_tell_nothing() -> None:
    shares = Shares()
    for number in range(100):
        shares.refused(shares.sent(number / 10, None))
    assert shares.alike() is None


def test_what_was_told_is_forgotten() -> None:
    shares = Shares()
    told(shares, told(shares, 0, 30, 40, 20), 3, 40, 20)
    assert shares.alike() is not None
    shares.forget()
    assert shares.alike() is None


@given(st.lists(st.tuples(st.floats(0.001, 1000), st.floats(0.001, 1000), st.booleans()), max_size=200))
def test_it_is_a_share_or_null_whatever_comes(calls: list[tuple[float, float, bool]]) -> None:
    shares, now = Shares(), 0.0
    for gap, pace, refused in calls:
        now += gap
        octave = shares.sent(now, pace)
        if refused:
            shares.refused(octave)
    assert (found := shares.alike()) is None or 0 < found < 1
