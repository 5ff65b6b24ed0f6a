"""What a correlation shows, in plain words."""

from __future__ import annotations

from math import atanh, ceil
from statistics import NormalDist

from prbgen.downstream.correlate.permuting import LEVEL, MOST_EXACT, Permuted
from prbgen.downstream.correlate.records import Coefficient, Coefficients, SideFacts, Verdict
from prbgen.evaluation.summary import Interval
from prbgen.formatting import chance, number

# Of Fisher's z of a Spearman, over 1 / (n - 3): Fieller, Hartley and Pearson 1957.
_FIELLER = 1.06
# Beyond these it says nothing: so small a correlation may be none, and one of 1 needs no more.
_MOST_MODELS = 200
_NEARLY_ONE = 0.999


def verdict_of(spearman: Coefficient, opposite: float | None) -> Verdict:
    """What a Spearman shows. It takes both: hardly any pairing by chance is as extreme (one-sided p below .05), and
    its interval over users, where there is one, does not reach 0.

    Args:
        spearman: The coefficient, `p` being that of one as high.
        opposite: The p of one as low.
    """
    ends = spearman.ci95
    if spearman.p is not None and spearman.p < LEVEL and (ends is None or ends[0] > 0):
        return "alike"
    if opposite is not None and opposite < LEVEL and (ends is None or ends[1] < 0):
        return "opposite"
    return "open"


def sentence(found: Coefficients, by_chance: Permuted, n: int, labels: tuple[str, str]) -> str:
    """One to three sentences on what `n` models show of two sides with these names; numbers are rounded."""
    spearman, benchmark, downstream = found.spearman, *labels
    if spearman.value is None or spearman.p is None:
        return f"Nothing can be concluded: {spearman.reason}."
    verdict, opposite = verdict_of(spearman, by_chance.opposite), by_chance.opposite
    # The p of the side on which it lies.
    low = opposite is not None and opposite < LEVEL
    p = opposite if low and opposite is not None else spearman.p
    said = f"Spearman {_signed(spearman.value)}, one-sided p{' of one as low' if low else ''} {_p(p)}"
    if verdict != "open":
        tend = "better" if verdict == "alike" else "worse"
        return (
            f"Of {n} models those that do better on {benchmark} tend to do {tend} on {downstream}: {said}. "
            f"{_ndcg(found, n)}"
        )
    if p < LEVEL:
        return f"{_unsure(spearman.ci95, n, labels, said)} {_ndcg(found, n)}"
    open_ = _inconclusive(by_chance.needed, n, labels, spearman.value, said)
    return f"{open_} {_ndcg(found, n)}{_more(spearman.value, n)}"


def uneven(side: SideFacts) -> str | None:
    """A warning where models are not compared over the same items: who has no score where it is hard looks better."""
    if side.items is None or side.items[0] == side.items[1]:
        return None
    fewest, most = side.items
    return (
        f"Models have {fewest:,} to {most:,} scored items on {side.label}: each is averaged over its own, and one that"
        " lacks the hard ones looks better than it is."
    )


def models_needed(spearman: float, n: int) -> int | None:
    """About how many models such a Spearman takes for a one-sided p of .05, by Fisher's z; null where that is not
    known to be more than `n`, or out of reach.
    """
    if not 0 < spearman < _NEARLY_ONE:
        return None
    models = 3 + _FIELLER * (NormalDist().inv_cdf(1 - LEVEL) / atanh(spearman)) ** 2
    return ceil(models) if n < models <= _MOST_MODELS else None


def _inconclusive(needed: float | None, n: int, labels: tuple[str, str], spearman: float, said: str) -> str:
    what = f"whether {labels[0]} predicts {labels[1]}"
    if needed is None:
        return f"{n} models are too few to conclude {what} ({said}): even a perfect order could be chance."
    few = n <= MOST_EXACT or models_needed(spearman, n)
    start = f"{n} models are too few to conclude {what}" if few else f"{n} models do not show {what}"
    return f"{start}: {said}; with so many it would have to reach {_signed(needed)}."


def _unsure(ends: Interval | None, n: int, labels: tuple[str, str], said: str) -> str:
    assert ends  # noqa: S101
    return (
        f"{n} models do not show whether {labels[0]} predicts {labels[1]}: {said}, but with other users there might be"
        f" no correlation (95 % interval {_signed(ends[0])} to {_signed(ends[1])})."
    )


def _ndcg(found: Coefficients, n: int) -> str:
    linear, exponential = found.ndcg_linear, found.ndcg_exponential
    return (
        f"By chance alone NDCG averages {number(linear.chance)} with linear gain (here {number(linear.value)}) and "
        f"{number(exponential.chance)} with exponential gain (here {number(exponential.value)}) for {n} models."
    )


def _more(spearman: float, n: int) -> str:
    more = models_needed(spearman, n)
    return f" If the correlation is what it seems, it takes about {more} models to show it." if more else ""


def _signed(value: float) -> str:
    return f"{value:.3f}".replace("-", "−")


def _p(p: float) -> str:
    shown = chance(p)
    return shown if shown.startswith("<") else f"= {shown}"
