from __future__ import annotations

import numpy as np
import pytest

from prbgen.percentiles import interval95


def test_the_middle_95_percent() -> None:
    assert interval95(np.arange(1001.0)) == (25, 975)


@pytest.mark.parametrize(("undefined", "known"), [(0, True), (5, True), (6, False), (100, False)])
def test_a_figure_that_is_undefined_in_more_than_a_twentieth_of_resamples_has_no_interval(
    undefined: int, known: bool
) -> None:
    found = interval95(np.array([np.nan] * undefined + [0.5] * (100 - undefined)))
    assert found == ((0.5, 0.5) if known else None)
