"""Ranks of scorers, and their correlations against scipy's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from prbgen.evaluation.comparing.ranks import rankings
from prbgen.evaluation.comparing.records import ResultChange, ResultFacts
from prbgen.evaluation.metrics.comparison import LeftOut, incomparable
from prbgen.evaluation.settings import Condition
from prbgen.evaluation.summary import Share

ACCURACIES = st.none() | st.sampled_from([0.2, 0.4, 0.5, 0.6, 0.9])


def change(
    number: int, old: float | None, new: float | None, *, condition: Condition = "profile", later: Condition = "profile"
) -> ResultChange:
    def facts(accuracy: float | None, condition: Condition) -> ResultFacts:
        return ResultFacts(
            folder=".",
            label=f"scalar:{number}",
            scorer=f"scalar:{number}",
            condition=condition,
            data="data",
            accuracy=Share(value=accuracy, n=10),
            n=10,
            coverage=1,
        )

    return ResultChange(
        old=facts(old, condition),
        new=facts(new, later),
        same_data=True,
        joined_by=None,
        paired=incomparable("not of interest here", LeftOut(only_first=0, only_second=0, unscored=0)),
        differs=(),
    )


@given(st.lists(st.tuples(ACCURACIES, ACCURACIES), min_size=2, max_size=8))
def test_correlations_and_ranks_are_those_of_scipy(accuracies: list[tuple[float | None, float | None]]) -> None:
    [found] = rankings([change(number, old, new) for number, (old, new) in enumerate(accuracies)])
    for side, ranks in enumerate(([each.old for each in found.scorers], [each.new for each in found.scorers])):
        known = [-accuracy for each in accuracies if (accuracy := each[side]) is not None]
        assert [rank for rank in ranks if rank] == stats.rankdata(known, method="min").tolist()
    both = [each for each in accuracies if None not in each]
    if len(both) < 3 or any(len(set(side)) == 1 for side in zip(*both, strict=True)):
        assert found.kendall is found.spearman is None
        assert found.reason
    else:
        old, new = zip(*both, strict=True)
        assert found.kendall == pytest.approx(stats.kendalltau(old, new).statistic)
        assert found.spearman == pytest.approx(stats.pearsonr(stats.rankdata(old), stats.rankdata(new)).statistic)
        assert found.reason is None


def test_each_condition_has_a_ranking_of_its_own_and_one_scorer_has_none() -> None:
    changes = [change(number, 0.5, 0.6) for number in range(2)]
    changes += [change(number, 0.5, 0.6, condition="none", later="none") for number in range(3)]
    changes.append(change(9, 0.5, 0.6, condition="oracle", later="oracle"))
    changes.append(change(10, 0.5, 0.6, condition="planner"))
    assert [(each.condition, len(each.scorers)) for each in rankings(changes)] == [("profile", 2), ("none", 3)]
