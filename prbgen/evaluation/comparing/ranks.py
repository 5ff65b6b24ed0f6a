"""Whether scorers keep their order."""

from __future__ import annotations

from collections.abc import Sequence

from prbgen.evaluation.comparing.records import RankChange, Ranking, ResultChange

_FEWEST = 3


def rankings(changes: Sequence[ResultChange]) -> tuple[Ranking, ...]:
    """One ranking for each condition under which several scorers are compared; those whose condition changed are in
    none.
    """
    same = [each for each in changes if each.old.condition == each.new.condition]
    conditions = dict.fromkeys(each.old.condition for each in same)
    by_condition = {name: [each for each in same if each.old.condition == name] for name in conditions}
    return tuple(_ranking(each) for each in by_condition.values() if len(each) > 1)


def _ranking(changes: Sequence[ResultChange]) -> Ranking:
    old = [each.old.accuracy.value for each in changes]
    new = [each.new.accuracy.value for each in changes]
    rows = zip(changes, _ranks(old), _ranks(new), strict=True)
    kendall, spearman, reason = _correlations(old, new)
    return Ranking(
        condition=changes[0].old.condition,
        scorers=tuple(RankChange(label=each.new.label, old=was, new=now) for each, was, now in rows),
        kendall=kendall,
        spearman=spearman,
        reason=reason,
    )


def _ranks(accuracies: Sequence[float | None]) -> list[int | None]:
    known = sorted((each for each in accuracies if each is not None), reverse=True)
    return [None if each is None else known.index(each) + 1 for each in accuracies]


def _correlations(
    old: Sequence[float | None], new: Sequence[float | None]
) -> tuple[float | None, float | None, str | None]:
    """Kendall's tau b and Spearman's rho of the accuracies, or why there are none."""
    from scipy.stats import kendalltau, spearmanr

    known = [(was, now) for was, now in zip(old, new, strict=True) if was is not None and now is not None]
    if len(known) < _FEWEST:
        return None, None, f"a rank correlation needs {_FEWEST} scorers, there are {len(known)}"
    if any(len(set(side)) == 1 for side in zip(*known, strict=True)):
        return None, None, "all scorers have the same accuracy"
    was, now = zip(*known, strict=True)
    return float(kendalltau(was, now).statistic), float(spearmanr(was, now).statistic), None
