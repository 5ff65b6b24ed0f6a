"""Two benchmarks against one result downstream."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from prbgen.downstream.correlate.differing import differences, swap_ps
from prbgen.downstream.correlate.records import Difference
from prbgen.downstream.correlate.resampling import Resampling
from prbgen.downstream.correlate.side import Side
from prbgen.evaluation.metrics.swapping import holm
from prbgen.registry import COEFFICIENTS
from tests.downstream.correlate.side_samples import items, scores

FEW = Resampling(resamples=300)


def by_metric(found: list[Difference]) -> dict[str, Difference]:
    return {each.metric: each for each in found}


@given(st.permutations(range(5)), st.permutations(range(5)))
@settings(max_examples=10)
def test_p_goes_through_all_ways_to_swap_ranks(first: list[int], second: list[int]) -> None:
    downstream = np.arange(5.0)
    one, other = np.array(first, dtype=np.float64), np.array(second, dtype=np.float64)

    def gap(swapped: tuple[bool, ...]) -> float:
        sides = np.where(swapped, other, one), np.where(swapped, one, other)
        # A side whose swapped ranks are all the same has no tau: no difference.
        taus = [stats.kendalltau(side, downstream).statistic if np.ptp(side) else np.nan for side in sides]
        return float(np.nan_to_num(taus[1] - taus[0]))

    gaps = np.array([gap(swapped) for swapped in product((False, True), repeat=5)])
    found = swap_ps(one * 7 + 1, other / 3, downstream)
    assert found["kendall"] == pytest.approx(np.mean(np.abs(gaps) >= abs(gaps[0]) - 1e-9))
    assert "pearson" not in found


def test_a_benchmark_does_not_differ_from_itself() -> None:
    side, downstream = items("a", [0.1, 0.4, 0.3, 0.9]), items("d", [0.2, 0.3, 0.5, 0.8], seed=3)
    for each in differences([side, side], downstream, FEW):
        assert each.value == 0
        assert each.ci95 == pytest.approx((0, 0))
        assert each.p in (1.0, None)


def test_a_benchmark_that_is_right_differs_from_one_that_is_the_wrong_way_round() -> None:
    n = 14
    truth = np.linspace(0, 1, n)
    right, wrong = items("right", truth, seed=1, noise=0.02), items("wrong", -truth, seed=2, noise=0.02)
    found = by_metric(differences([wrong, right], items("d", truth, seed=3, noise=0.02), FEW))
    for name in ("spearman", "kendall", "weighted_tau", "ndcg_linear", "rbo"):
        each = found[name]
        assert each.value is not None
        assert each.value > 0
        assert each.ci95 is not None
        assert each.ci95[0] > 0
        assert each.p is not None
        assert each.p < 0.01
        assert each.p_method == "exact"
    assert (found["pearson"].p, found["pearson"].p_holm) == (None, None)
    assert (found["spearman"].first, found["spearman"].second, found["spearman"].downstream) == ("wrong", "right", "d")


def test_pairs_of_benchmarks_are_one_family_for_each_metric() -> None:
    generator = np.random.default_rng(0)
    sides = [scores(name, generator.normal(size=7).tolist()) for name in "abc"]
    found = differences(sides, scores("d", generator.normal(size=7).tolist()), FEW)
    assert len(found) == 3 * len(COEFFICIENTS)
    for name in COEFFICIENTS:
        family = [each for each in found if each.metric == name]
        assert [each.p_holm for each in family] == holm([each.p for each in family])
        assert all(each.ci95 is None and each.reason for each in family)


def test_more_than_sixteen_models_are_drawn_and_the_same_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prbgen.downstream.correlate.differing.DRAWS", 2000)
    generator = np.random.default_rng(0)
    sides = [scores(name, generator.normal(size=17).tolist()) for name in "ab"]
    downstream = scores("d", generator.normal(size=17).tolist())
    found = differences(sides, downstream, FEW)
    assert found == differences(sides, downstream, FEW)
    assert found[0].p_method == "draws"
    # The observed one counts: p is never 0.
    assert all(each.p is None or each.p >= 1 / 2001 for each in found)


def test_only_models_that_all_three_have_are_compared() -> None:
    full = scores("a", [1.0, 2.0, 3.0, 4.0])
    part, downstream = full.only(["m00", "m01", "m02"]), scores("d", [1.0, 3.0, 2.0, 4.0])
    assert {each.n_models for each in differences([full, part], downstream, FEW)} == {3}
    alone = Side.of_scores("else", {"x": 1.0, "m00": 2.0})
    for each in differences([full, alone], downstream, FEW):
        assert (each.value, each.p, each.p_holm) == (None, None, None)
        assert each.reason == "fewer than two models that all three have"


def test_a_constant_benchmark_has_no_difference_and_says_why() -> None:
    found = differences([scores("same", [1, 1, 1]), scores("b", [1, 2, 3])], scores("d", [1, 2, 3]), FEW)
    assert {(each.value, each.p) for each in found} == {(None, None)}
    assert found[0].reason == "all models have the same score on same"
