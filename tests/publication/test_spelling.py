"""Figures as a card shows them."""

from __future__ import annotations

import pytest

from prbgen.publication.spelling import told
from prbgen.validation.report import Figure


@pytest.mark.parametrize(
    ("figure", "shown"),
    [
        (None, "unknown"),
        (Figure(value=None), "unknown"),
        (Figure(value=None, reason="no ratings"), "unknown (`no ratings`)"),
        (Figure(value=0.7), "0.70"),
        (Figure(value=0.7, ci95=(0.6, 0.8)), "0.70 (0.60 to 0.80)"),
        (Figure(value=0.7, reason="no interval: 2 raters"), "0.70 (`no interval: 2 raters`)"),
        (Figure(value=-0.001, ci95=(-1, 1), reason="of one subset"), "0.00 (-1.00 to 1.00)"),
        (Figure(value=0.7, reason="a | b"), "0.70 (<code>a &#124; b</code>)"),
    ],
)
def test_why_a_figure_or_its_interval_is_missing_is_told(figure: Figure | None, shown: str) -> None:
    assert told(figure) == shown
