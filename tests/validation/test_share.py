from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from prbgen.validation.share import wilson


@given(st.integers(1, 1000), st.data())
def test_the_interval_is_that_of_statsmodels(cases: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, cases))
    assert wilson(hits / cases, cases) == pytest.approx(proportion_confint(hits, cases, method="wilson"), abs=1e-9)
