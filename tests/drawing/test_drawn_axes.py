"""Axes have a few round numbers beside them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from prbgen.drawing.axes import Scale


@given(st.lists(st.floats(-1e100, 1e100), min_size=1, max_size=5), st.booleans())
def test_axes_have_a_few_ticks_that_differ_whatever_the_scores(values: list[float], tiny: bool) -> None:
    if tiny:
        values = [1 + value / 1e108 for value in values]
    scale = Scale.over(values, 0, 100)
    ticks = list(scale.ticks())
    assert 1 <= len(ticks) <= 8
    assert all(-1e-6 <= at <= 100 + 1e-6 for at, _ in ticks)
    assert len({text for _, text in ticks}) == len(ticks)
    assert all(0 <= scale.at(value) <= 100 for value in values)
