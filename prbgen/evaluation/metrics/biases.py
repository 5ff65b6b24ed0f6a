"""What sways a reward model besides what the answers say: how far scores lie apart, position, length."""

from __future__ import annotations

import numpy as np

from prbgen.evaluation.metrics.bootstrap import Bootstrap
from prbgen.evaluation.metrics.columns import LOSS, WIN, Columns, Mask
from prbgen.evaluation.summary import LengthBias, Margins, PositionBias, Share

# Answers are of matched length if they differ by at most one in so many words of the longer one.
_MATCHED = 10
_ROUNDING = 1e-9


def margins(pairs: Columns, _: Bootstrap) -> Margins | None:
    """How far the scores lie apart; null where there are none, or where a difference is too large for a number.

    The standard deviation is that of a sample (n - 1), null for one pair; quartiles are interpolated linearly.
    """
    # Sorted, so that no digit depends on the order of the pairs.
    found = np.sort(pairs.margin[pairs.scored & ~np.isnan(pairs.margin)])
    if not len(found):
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(found.mean())
        sd = float(found.std(ddof=1)) if len(found) > 1 else None
    if not np.isfinite((mean, sd or 0.0)).all():
        return None
    low, median, high = np.percentile(found, (25, 50, 75)).tolist()
    # Equal margins can leave a rest of rounding.
    spread = sd is not None and sd > _ROUNDING * np.abs(found).max()
    return Margins(mean=mean, sd=sd, standardised=mean / sd if sd and spread else None, quartiles=(low, median, high))


def order_consistency(pairs: Columns, _: Bootstrap) -> float | None:
    """The share of pairs judged in both orders on which these agree; null if there are none."""
    both = _both_orders(pairs)
    return float((pairs.says_a[both] == 1).mean()) if both.any() else None


def position_bias(pairs: Columns, bootstrap: Bootstrap) -> PositionBias | None:
    """How far a judge goes by position, by its verdicts on scored pairs; null if there are none."""
    verdicts = np.where(pairs.scored, pairs.verdicts, 0)
    if not verdicts.any():
        return None
    inconsistent = _both_orders(pairs) & (pairs.says_a != 1)
    return PositionBias(
        says_a=bootstrap.share(pairs.says_a, verdicts, pairs.user.codes),
        a_among_inconsistent=_share(pairs, pairs.says_a == 2, inconsistent, bootstrap),
    )


def length_bias(pairs: Columns, bootstrap: Bootstrap) -> LengthBias:
    """How far it goes by length.

    The first two shares are over the same pairs: those of unequal length of which one answer is preferred. The three
    accuracies part the scored pairs: chosen is longer, or shorter, by more than 10 % of the longer one, or neither.
    """
    gap = pairs.words_chosen - pairs.words_rejected
    matched = np.abs(gap) * _MATCHED <= np.maximum(pairs.words_chosen, pairs.words_rejected)
    longer, scored = gap > 0, pairs.scored
    decided = ((pairs.outcome == WIN) | (pairs.outcome == LOSS)) & (gap != 0)
    return LengthBias(
        longer_wins=_share(pairs, longer == pairs.won, decided, bootstrap),
        chosen_longer=_share(pairs, longer, decided, bootstrap),
        accuracy_longer=_share(pairs, pairs.won, scored & longer & ~matched, bootstrap),
        accuracy_shorter=_share(pairs, pairs.won, scored & ~longer & ~matched, bootstrap),
        accuracy_matched=_share(pairs, pairs.won, scored & matched, bootstrap),
    )


def _both_orders(pairs: Columns) -> Mask:
    return np.asarray(pairs.scored & (pairs.verdicts == 2))


def _share(pairs: Columns, hits: Mask, cases: Mask, bootstrap: Bootstrap) -> Share:
    return bootstrap.share((hits & cases).astype(np.int64), cases.astype(np.int64), pairs.user.codes)
