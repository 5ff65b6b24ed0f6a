"""p-values and chance levels against going through all orders, and against what is known of six models."""

from __future__ import annotations

from itertools import permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import ndcg_score

from prbgen.downstream.correlate.coefficients import Ranked, coefficients
from prbgen.downstream.correlate.permuting import all_orders, permuted
from prbgen.registry import COEFFICIENTS


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=5))
@settings(max_examples=25)
def test_p_counts_the_orders_that_do_as_well_ties_or_not(pairs: list[tuple[int, int]]) -> None:
    benchmark, downstream = (np.array(side, dtype=np.float64) for side in zip(*pairs, strict=True))
    found = permuted(benchmark, downstream)
    if len(set(benchmark)) == 1 or len(set(downstream)) == 1:
        assert (found.p, found.chance, found.needed) == ({}, {}, None)
        return
    for name, statistic in (("spearman", stats.spearmanr), ("kendall", stats.kendalltau)):
        observed = statistic(benchmark, downstream).statistic
        every = [statistic(benchmark, order).statistic for order in permutations(downstream)]
        assert found.p[name] == pytest.approx(np.mean(np.array(every) >= observed - 1e-9))
        assert found.chance[name] == pytest.approx(np.mean(every), abs=1e-9)
    assert found.exact
    assert found.orders == factorial(len(pairs))


def test_six_models_have_the_chance_levels_that_a_paper_should_have_shown() -> None:
    scores = np.arange(6.0)
    found = permuted(scores, scores)
    assert found.chance["ndcg_linear"] == pytest.approx(0.80, abs=0.01)
    assert found.chance["ndcg_exponential"] == pytest.approx(0.69, abs=0.01)
    # Going through them with another implementation: how often is .918 reached?
    reached = {
        gain: np.mean([ndcg_score([worth], [order]) >= 0.918 for order in permutations(range(6))])
        for gain, worth in (("linear", np.arange(6)), ("exponential", 2.0 ** np.arange(6) - 1))
    }
    ours = coefficients(Ranked.of(all_orders(6).astype(np.float64)), Ranked.of(scores[None]))
    for gain, share in reached.items():
        assert float(np.mean(ours[f"ndcg_{gain}"] >= 0.918)) == pytest.approx(share)
        assert 0.1 < share < 0.24


def test_the_correlations_of_the_paper_are_not_conclusive_with_six_models() -> None:
    downstream = np.arange(6.0)
    every = coefficients(Ranked.of(all_orders(6).astype(np.float64)), Ranked.of(downstream[None]))["spearman"]
    orders = {value: all_orders(6)[int(np.argmin(np.abs(every - value)))] for value in (0.2571, 0.3714)}
    for value, order in orders.items():
        found = permuted(order.astype(np.float64), downstream)
        assert float(np.mean(every >= value - 1e-4)) == pytest.approx(found.p["spearman"])
        assert found.p["spearman"] > 0.2
        assert found.needed == pytest.approx(0.829, abs=0.001)


def test_three_models_can_never_be_conclusive_and_four_can() -> None:
    assert permuted(np.arange(3.0), np.arange(3.0)).needed is None
    assert permuted(np.arange(4.0), np.arange(4.0)).needed == pytest.approx(1.0)


@pytest.mark.parametrize("n", range(1, 8))
def test_all_orders_are_there_once(n: int) -> None:
    assert sorted(map(tuple, all_orders(n).tolist())) == sorted(permutations(range(n)))


def test_draws_come_close_to_the_exact_p_and_are_the_same_for_a_seed() -> None:
    generator = np.random.default_rng(5)
    benchmark, downstream = generator.normal(size=(2, 10))
    found, again = permuted(benchmark, downstream, seed=3), permuted(benchmark, downstream, seed=3)
    assert found == again
    assert not found.exact
    assert found.orders == 100_000
    exact = stats.kendalltau(benchmark, downstream, method="exact", alternative="greater").pvalue
    assert found.p["kendall"] == pytest.approx(exact, abs=0.006)
    assert permuted(downstream, downstream).p["spearman"] == pytest.approx(1 / 100_001)


@pytest.mark.parametrize("tied", [False, True])
def test_closed_forms_of_chance_are_what_draws_average(tied: bool) -> None:
    generator = np.random.default_rng(1)
    sides = generator.integers(0, 5, (2, 12)).astype(np.float64) if tied else generator.normal(size=(2, 12))
    found = permuted(*sides)
    orders = generator.permuted(np.tile(np.arange(12), (20_000, 1)), axis=1)
    drawn = coefficients(Ranked.of(sides[0][None]), Ranked.of(sides[1][None]).taken(orders))
    for name in COEFFICIENTS:
        assert found.chance[name] == pytest.approx(float(drawn[name].mean()), abs=0.01)


def test_p_is_uniform_where_the_benchmark_says_nothing() -> None:
    generator, times = np.random.default_rng(2), 400
    ps: dict[str, list[float]] = {name: [] for name in ("spearman", "pearson", "ndcg_linear", "rbo")}
    for _ in range(times):
        found = permuted(*generator.normal(size=(2, 6)))
        for name, drawn in ps.items():
            drawn.append(found.p[name])
    for drawn in ps.values():
        for level in (0.05, 0.2, 0.5, 0.8):
            share, error = np.mean(np.array(drawn) <= level), 3 * np.sqrt(level * (1 - level) / times)
            # No more often than it says, and not much less: ranks come in steps.
            assert level - error - 0.06 <= share <= level + error


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=6))
def test_as_low_is_as_high_for_the_benchmark_turned_round(pairs: list[tuple[int, int]]) -> None:
    one, other = np.array(pairs, dtype=np.float64).T
    found, turned = permuted(one, other), permuted(-one, other)
    assert found.opposite == (pytest.approx(turned.p["spearman"]) if turned.p else None)
