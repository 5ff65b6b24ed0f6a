"""Two results on the same pairs: by how much they differ, and whether that may be chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from prbgen.evaluation.metrics.bootstrap import Bootstrap
from prbgen.evaluation.metrics.joined import Joined, Judged
from prbgen.evaluation.metrics.swapping import holm, swap_test
from prbgen.evaluation.summary import Share
from prbgen.schema import Record

LEVEL = 0.05


class LeftOut(Record):
    """What is in no comparison: things of one result only, and those of both that one or both left unscored."""

    only_first: int
    only_second: int
    unscored: int


class Paired(Record):
    """Accuracies of two results on the `n` things that both scored (a tie is no win), and second - first.

    Things are pairs, or questions, where the answers are others: then a question with several pairs counts once, by its
    share of wins. `difference` has an interval by resampling users; `p` is two-sided and exact: how often results that
    differ by chance alone, those of each user swapped or not, would lie so far apart; `reason` says why it is
    null. `mcnemar` is the exact test over single pairs, which takes them as independent, `only_first` and
    `only_second` are the pairs that only one wins; all three are null where questions have several pairs. Where nothing
    can be compared, no figure is known.
    """

    first: float | None
    second: float | None
    difference: Share
    p: float | None
    mcnemar: float | None
    only_first: int | None
    only_second: int | None
    n: int
    users: int
    left_out: LeftOut
    reason: str | None = None


class Tested(Record):
    """A comparison as one of a family of tests: `p_holm` is its p with Holm's correction, `apart` whether that tells
    the two results apart, at a level of .05. Both are null where there is no p.
    """

    paired: Paired
    p_holm: float | None
    apart: bool | None


def as_family(pairs: Sequence[Paired]) -> list[Tested]:
    """These comparisons as one family of tests."""
    raised = holm([each.p for each in pairs])
    return [
        Tested(paired=each, p_holm=p, apart=None if p is None else p < LEVEL)
        for each, p in zip(pairs, raised, strict=True)
    ]


def p_of(both: Joined) -> tuple[float | None, str | None]:
    """The p of two results by swapping those of each user, or why there is none."""
    if not both.n:
        return None, "nothing that both results scored"
    p = swap_test(both.gap_by_user)
    return p, None if p is not None else "the differences add up to more sums than can be gone through"


def compared(first: Judged, second: Judged, *, seed: int = 0, resamples: int = 2000) -> Paired:
    """Compare two results, joined by their keys.

    Args:
        first: What the difference is taken from.
        second: The other; with keys of the same kind.
        seed: Of the bootstrap.
        resamples: Of users, for the 95 % interval.
    """
    both = first.joined(second)
    left_out = LeftOut(only_first=both.only_first, only_second=both.only_second, unscored=both.unscored)
    p, reason = p_of(both)
    if not both.n:
        return incomparable(reason or "", left_out)
    gap, by_user, cases = both.gap, both.gap_by_user, np.bincount(both.user)
    parts = both.n * both.whole
    # The interval in parts of a whole: its size does not matter, its sums have to be whole numbers.
    ci95 = Bootstrap(seed, resamples).interval(by_user, cases)
    single = both.whole == 1
    return Paired(
        first=int(both.first.sum()) / parts,
        second=int(both.second.sum()) / parts,
        difference=Share(
            value=int(gap.sum()) / parts,
            ci95=(ci95[0] / both.whole, ci95[1] / both.whole) if ci95 else None,
            n=both.n,
        ),
        p=p,
        mcnemar=swap_test(gap) if single else None,
        only_first=int((gap < 0).sum()) if single else None,
        only_second=int((gap > 0).sum()) if single else None,
        n=both.n,
        users=len(cases),
        left_out=left_out,
        reason=reason,
    )


def incomparable(reason: str, left_out: LeftOut) -> Paired:
    """No figures, and why."""
    return Paired(
        first=None,
        second=None,
        difference=Share(value=None),
        p=None,
        mcnemar=None,
        only_first=None,
        only_second=None,
        n=0,
        users=0,
        left_out=left_out,
        reason=reason,
    )
