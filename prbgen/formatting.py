"""Numbers as people read them, on pages and in terminals alike: what is not known is a dash."""

from __future__ import annotations

from collections.abc import Callable

UNKNOWN = "–"


def number(value: float | None) -> str:
    """A share with three digits."""
    return UNKNOWN if value is None else f"{value:.3f}"


def signed(value: float | None) -> str:
    """A difference with its sign."""
    return UNKNOWN if value is None else f"{value:+.3f}".replace("-", "−")


def interval(ends: tuple[float, float] | None, *, sign: bool = False) -> str:
    """An interval in brackets; empty if there is none."""
    show = signed if sign else number
    return f"[{show(ends[0])}, {show(ends[1])}]" if ends else ""


def chance(p: float | None) -> str:
    """A p-value."""
    return UNKNOWN if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def usd(amount: float) -> str:
    """An amount of money, small ones with more digits."""
    digits = 2 if amount >= 1 or not amount else 4 if amount >= 0.001 else 7
    return f"${amount:,.{digits}f}"


def whole(value: float | None) -> str:
    """A number of things that is estimated."""
    return "unknown" if value is None else f"{value:,.0f}"


def price(amount: float | None) -> str:
    """USD that are estimated."""
    return "unknown" if amount is None else f"{amount:,.{2 if amount >= 10 else 4}f}"


def spread(low: float | None, high: float | None, words: Callable[[float | None], str]) -> str:
    """From low to high; one of them where both read the same."""
    one, other = words(low), words(high)
    return one if one == other else f"{one} - {other}"
