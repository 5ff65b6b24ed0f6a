from __future__ import annotations

import pytest

from prbgen.formatting import chance, interval, number, signed, usd


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (number(0.12345), "0.123"),
        (number(None), "–"),
        (signed(0.05), "+0.050"),
        (signed(-0.05), "−0.050"),
        (signed(None), "–"),
        (interval((0.1, 0.25)), "[0.100, 0.250]"),
        (interval((-0.1, 0.25), sign=True), "[−0.100, +0.250]"),
        (interval(None), ""),
        (chance(0.0004), "< 0.001"),
        (chance(0.04), "0.040"),
        (chance(None), "–"),
        (usd(0), "$0.00"),
        (usd(1234.5), "$1,234.50"),
        (usd(0.01234), "$0.0123"),
        (usd(0.0000123), "$0.0000123"),
    ],
)
def test_numbers_read_well_and_unknown_ones_are_no_zero(shown: str, expected: str) -> None:
    assert shown == expected
