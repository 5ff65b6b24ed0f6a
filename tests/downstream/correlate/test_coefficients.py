"""Each metric against scipy, scikit-learn, or going through all ways to break ties."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import ndcg_score

from prbgen.downstream.correlate.coefficients import Metric, Ranked, coefficients
from prbgen.registry import COEFFICIENTS

Scores = list[int]
RANK_METRICS = [name for name in COEFFICIENTS if name != "pearson"]


def both_sides(most: int, values: int = 6) -> st.SearchStrategy[tuple[Scores, Scores]]:
    """Scores of two models or more on two sides, neither constant; ties are frequent."""
    side = st.integers(0, values)
    pairs = st.lists(st.tuples(side, side), min_size=2, max_size=most)
    found = pairs.map(lambda each: ([one for one, _ in each], [other for _, other in each]))
    return found.filter(lambda each: all(len(set(one)) > 1 for one in each))


def one(benchmark: Sequence[float], downstream: Sequence[float]) -> dict[Metric, float]:
    sides = (Ranked.of(np.array([side], dtype=np.float64)) for side in (benchmark, downstream))
    return {name: float(found[0]) for name, found in coefficients(*sides).items()}


@given(both_sides(12))
def test_they_are_those_of_scipy_and_scikit_learn_with_ties_too(sides: tuple[Scores, Scores]) -> None:
    benchmark, downstream = sides
    beaten = stats.rankdata(downstream) - 1
    expected = {
        "spearman": stats.spearmanr(*sides).statistic,
        "kendall": stats.kendalltau(*sides).statistic,
        "weighted_tau": stats.weightedtau(*sides, rank=True).statistic,
        "pearson": stats.pearsonr(*sides).statistic,
        "ndcg_linear": ndcg_score([beaten], [benchmark]),
        "ndcg_exponential": ndcg_score([2**beaten - 1], [benchmark]),
    }
    found = one(benchmark, downstream)
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-9)


@given(both_sides(5, values=3))
def test_overlaps_are_means_over_all_ways_to_break_ties(sides: tuple[Scores, Scores]) -> None:
    pairs = list(product(orders(sides[0]), orders(sides[1])))
    found = one(*sides)
    assert found["rbo"] == pytest.approx(np.mean([rbo(*each) for each in pairs]))
    assert found["top1"] == pytest.approx(np.mean([first[0] == second[0] for first, second in pairs]))
    if len(sides[0]) < 4:
        assert np.isnan(found["top3"])
    else:
        assert found["top3"] == pytest.approx(np.mean([len({*a[:3]} & {*b[:3]}) / 3 for a, b in pairs]))


def orders(scores: Scores) -> Iterator[tuple[int, ...]]:
    for order in permutations(range(len(scores))):
        if all(scores[first] >= scores[second] for first, second in pairwise(order)):
            yield order


def rbo(first: Sequence[int], second: Sequence[int], p: float = 0.9) -> float:
    """Equation 32 of Webber et al. 2010, word for word."""
    k = len(first)
    overlap = [len({*first[:depth]} & {*second[:depth]}) for depth in range(1, k + 1)]
    head = sum(overlap[depth - 1] / depth * p**depth for depth in range(1, k + 1))
    return overlap[-1] / k * p**k + (1 - p) / p * head


@given(both_sides(9))
def test_rank_metrics_do_not_change_when_scores_are_stretched_in_order(sides: tuple[Scores, Scores]) -> None:
    stretched = [[np.exp(each) - 5 for each in sides[0]], [-1 / (each + 1) for each in sides[1]]]
    before, after = one(*sides), one(*stretched)
    assert [before[name] for name in RANK_METRICS] == pytest.approx([after[name] for name in RANK_METRICS], nan_ok=True)


@given(both_sides(9))
def test_a_side_agrees_with_itself_and_metrics_stay_in_their_ranges(sides: tuple[Scores, Scores]) -> None:
    scores = [each + place / 100 for place, each in enumerate(sides[0])]
    alike = [value for value in one(scores, scores).values() if not np.isnan(value)]
    assert alike == pytest.approx([1.0] * len(alike))
    turned = one(scores, [-each for each in scores])
    assert [turned[name] for name in ("spearman", "kendall", "weighted_tau", "pearson")] == pytest.approx([-1.0] * 4)
    for name, value in one(*sides).items():
        low = -1.0 if name in ("spearman", "kendall", "weighted_tau", "pearson") else 0.0
        assert np.isnan(value) or low <= value <= 1.0


@pytest.mark.parametrize("sides", [([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [5, 5, 5]), ([1, np.nan, 3], [1, 2, 3])])
def test_constant_and_unknown_scores_leave_all_undefined(sides: tuple[Sequence[float], Sequence[float]]) -> None:
    assert np.isnan(list(one(*sides).values())).all()


@given(both_sides(7), st.randoms(use_true_random=False))
def test_rows_do_not_touch_each_other(sides: tuple[Scores, Scores], luck: np.random.Generator) -> None:
    n = len(sides[0])
    drawn = np.array([luck.sample(range(n), n) for _ in range(5)])  # type: ignore[attr-defined]
    benchmark, downstream = (np.array(side, dtype=np.float64) for side in sides)
    moved = Ranked.of(downstream[None]).taken(drawn)
    together = coefficients(Ranked.of(benchmark[None]), moved)
    for row, order in enumerate(drawn):
        alone = one(benchmark.tolist(), downstream[order].tolist())
        assert [together[name][row] for name in COEFFICIENTS] == pytest.approx(
            [alone[n] for n in COEFFICIENTS], nan_ok=True
        )


@given(both_sides(6), st.sampled_from([1e-200, 1e90]))
def test_scores_of_any_size_have_the_same_pearson(sides: tuple[Scores, Scores], factor: float) -> None:
    scaled = [[each * factor for each in side] for side in sides]
    assume(all(len(set(side)) > 1 for side in scaled))
    assert one(*scaled)["pearson"] == pytest.approx(one(*sides)["pearson"])


def test_a_thousand_models_are_not_too_many_for_exponential_gain() -> None:
    scores = np.arange(1200.0)
    assert one(scores.tolist(), scores.tolist())["ndcg_exponential"] == pytest.approx(1.0)
