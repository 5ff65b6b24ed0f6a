"""Margins, position, order, length: on pairs made to show one of them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from prbgen.evaluation.item import ScoredItem
from prbgen.evaluation.metrics.figures import figures
from tests.evaluation.metrics.scored import item, item_lists, scores


@given(items=item_lists(scalar=True, min_size=1))
def test_margins_are_those_of_numpy_and_scipy(items: list[ScoredItem]) -> None:
    found = figures(items, resamples=10).margins
    both = [(each.score_chosen, each.score_rejected) for each in items]
    gaps = [chosen - rejected for chosen, rejected in both if chosen is not None and rejected is not None]
    if not gaps:
        assert found is None
        return
    assert found
    assert found.mean == pytest.approx(np.mean(gaps))
    assert found.quartiles == pytest.approx(np.quantile(gaps, (0.25, 0.5, 0.75)))
    if len(gaps) == 1:
        assert found.sd is found.standardised is None
    else:
        assert found.sd == pytest.approx(np.std(gaps, ddof=1))
        if len(set(gaps)) > 1 and np.std(gaps) > 1e-6:
            t = stats.ttest_1samp(gaps, 0).statistic
            assert found.standardised == pytest.approx(t / np.sqrt(len(gaps)))


def test_margins_that_are_all_the_same_have_no_standardised_mean() -> None:
    found = figures([item(n, "win", **scores("win", 0.1, 0.2)) for n in range(7)]).margins
    assert found
    assert found.standardised is None


def test_scores_too_far_apart_for_a_number_leave_margins_unknown() -> None:
    assert figures([item(n, "win", score_chosen=1e308, score_rejected=-1e308) for n in range(3)]).margins is None


def test_scalar_kinds_have_no_position_and_judges_no_margins() -> None:
    scalar = figures([item(n, "win", **scores("win", 0, 1)) for n in range(5)])
    assert scalar.position_bias is None
    assert scalar.order_consistency is None
    assert figures([item(n, "win") for n in range(5)]).margins is None


def test_a_judge_that_says_a_whatever_it_sees_is_consistent_on_no_pair() -> None:
    found = figures([item(n, "tie") for n in range(30)])
    assert found.order_consistency == 0
    assert found.position_bias
    assert (found.position_bias.says_a.value, found.position_bias.says_a.n) == (1, 60)
    assert (found.position_bias.a_among_inconsistent.value, found.position_bias.a_among_inconsistent.n) == (1, 30)


def test_a_judge_that_never_goes_by_position_says_a_half_of_the_time() -> None:
    found = figures([item(n, "win" if n % 4 else "loss") for n in range(40)])
    assert found.order_consistency == 1
    assert found.position_bias
    assert found.position_bias.says_a.value == 0.5
    assert found.position_bias.a_among_inconsistent.value is None


def test_one_order_alone_tells_of_position_but_nothing_of_consistency() -> None:
    items = [item(n, "win", verdict_ab="A", verdict_ba=None) for n in range(6)]
    items += [item(10 + n, "win", verdict_ab=None, verdict_ba="B") for n in range(2)]
    found = figures(items)
    assert found.order_consistency is None
    assert found.position_bias
    assert (found.position_bias.says_a.value, found.position_bias.says_a.n) == (0.75, 8)


def test_a_verdict_on_a_pair_that_stays_unscored_does_not_count() -> None:
    items = [item(0, "win"), item(1, "unscored", verdict_ab="A")]
    found = figures(items).position_bias
    assert found
    assert found.says_a.n == 2


def test_a_model_that_takes_the_longer_answer_is_right_as_often_as_chosen_is_longer() -> None:
    drawn = random.Random(3)
    items = []
    for n in range(400):
        longer = drawn.random() < 0.3
        words: dict[str, Any] = {"words_chosen": 130 if longer else 80, "words_rejected": 80 if longer else 130}
        items.append(item(n, "win" if longer else "loss", **words))
    found = figures(items)
    bias = found.length_bias
    assert bias.longer_wins.value == 1
    assert bias.chosen_longer.value == found.accuracy.value
    assert (bias.accuracy_longer.value, bias.accuracy_shorter.value, bias.accuracy_matched.value) == (1, 0, None)


@pytest.mark.parametrize(
    ("chosen", "rejected", "kind"),
    [(100, 90, "matched"), (100, 89, "longer"), (90, 100, "matched"), (89, 100, "shorter"), (0, 0, "matched")],
)
def test_lengths_match_within_a_tenth_of_the_longer_one(chosen: int, rejected: int, kind: str) -> None:
    bias = figures([item(0, "win", words_chosen=chosen, words_rejected=rejected)]).length_bias
    found = {each: getattr(bias, f"accuracy_{each}").n for each in ("longer", "shorter", "matched")}
    assert found == {"longer": 0, "shorter": 0, "matched": 0} | {kind: 1}


@given(items=item_lists())
def test_the_accuracies_by_length_part_the_scored_pairs(items: list[ScoredItem]) -> None:
    found = figures(items, resamples=10)
    bias = found.length_bias
    parts = (bias.accuracy_longer, bias.accuracy_shorter, bias.accuracy_matched)
    assert sum(each.n for each in parts) == found.accuracy.n == found.n - found.unscored
    assert sum((each.value or 0) * each.n for each in parts) == pytest.approx(found.wins)
    assert bias.longer_wins.n == bias.chosen_longer.n <= found.wins + found.losses


def test_margins_that_differ_by_rounding_alone_have_no_standardised_mean() -> None:
    found = figures(item(n, score_chosen=n + 0.07, score_rejected=float(n)) for n in range(12)).margins
    assert found
    assert found.standardised is None
