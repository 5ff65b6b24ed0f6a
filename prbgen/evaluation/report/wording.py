"""How a report says what it found."""

from __future__ import annotations

from prbgen.evaluation.report.contrasts import Contrast
from prbgen.evaluation.report.repeats import Repeat
from prbgen.evaluation.summary import Summary
from prbgen.formatting import UNKNOWN, number, usd

_UNITS = ((10**12, "T"), (10**9, "B"), (10**6, "M"), (10**3, "K"))


def parameters(count: int | None) -> str:
    """A number of parameters: 596M, 8.03B."""
    if count is None:
        return UNKNOWN
    for unit, name in _UNITS:
        if count >= unit:
            return f"{count / unit:.3g}{name}"
    return str(count)


def cost(found: Summary) -> str:
    """What the calls of the model cost, and those of the planner."""
    spent, planner = found.cost, found.planner_usd
    own = None if spent is None else "price unknown" if spent.usd is None else usd(spent.usd)
    parts = (own, None if planner is None else f"{usd(planner)} planner")
    return " + ".join(filter(None, parts)) or UNKNOWN


def counted(count: int, noun: str) -> str:
    """1 pair, 1,200 pairs."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def ranged(ends: tuple[int, int]) -> str:
    """45, or 30 to 45."""
    return f"{ends[0]:,}" if ends[0] == ends[1] else f"{ends[0]:,} to {ends[1]:,}"


def size(pairs: int, users: tuple[int, int]) -> str:
    """1 pair of 1 user, 60 pairs of 30 to 45 users."""
    return f"{counted(pairs, 'pair')} of {ranged(users)} {'user' if users == (1, 1) else 'users'}"


def repeat(left_out: Repeat) -> str:
    """A result that is left out, and the one in its place, with the accuracies of both."""
    one, other = (
        f"{each.results.folder} (accuracy {number(each.summary.accuracy.value)})"
        for each in (left_out.entry, left_out.shown)
    )
    return f"{one} repeats {other}"


def outcome(contrast: Contrast) -> str:
    """How many models gain and lose by more than chance."""
    total, more, less = len(contrast.gains), contrast.told(1), contrast.told(-1)
    rest, of = total - more - less, counted(contrast.models, "model")
    if total != contrast.models:
        of = f"{counted(total, 'comparison')} of {of}"
    return f"Of {of}, {more} gain, {less} lose, and for {rest} it cannot be told from chance."
