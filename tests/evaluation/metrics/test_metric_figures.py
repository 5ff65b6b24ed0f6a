"""All figures of an evaluation: the published script's digits, what may change them, and references."""

from __future__ import annotations

import importlib.util
import random
import shutil
import tracemalloc
from collections import Counter
from collections.abc import Sequence
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prbgen.evaluation.item import ScoredItem
from prbgen.evaluation.metrics.figures import figures
from prbgen.evaluation.summary import Figures, Group
from prbgen.resources import resource
from tests.evaluation.metrics.scored import item, item_lists

SAME = ("accuracy_half", "n", "wins", "losses", "ties", "unscored", "coverage", "truncated")
FEW = 50  # resamples, where a property holds for any number of them


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The script that is published beside the data; a copy, so that no bytecode lands among what is shipped."""
    copy = shutil.copy(resource("data_cards") / "evaluate.py", tmp_path_factory.mktemp("published"))
    spec = importlib.util.spec_from_file_location("published_figures", copy)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def assert_same_digits(found: Group, script: ModuleType, items: Sequence[ScoredItem]) -> None:
    said = script.figures([each.model_dump() for each in items])
    assert found.accuracy.value == said["accuracy"]["value"]
    assert (list(found.accuracy.ci95) if found.accuracy.ci95 else None) == said["accuracy"]["ci95"]
    assert {name: getattr(found, name) for name in SAME} == {name: said[name] for name in SAME}
    assert list(found.bounds or ()) == said["bounds"]


@given(items=item_lists(min_size=1))
@settings(max_examples=20)
def test_accuracies_are_those_of_the_published_script_to_the_last_digit(
    published: ModuleType, items: list[ScoredItem]
) -> None:
    found = figures(items)
    assert_same_digits(found, published, items)
    for name, part in found.by_subset.items():
        assert_same_digits(part, published, [each for each in items if each.subset == name])
    for name, part in found.by_strategy.items():
        assert_same_digits(part, published, [each for each in items if each.strategy == name])


def test_many_users_are_drawn_as_the_published_script_draws_them(published: ModuleType) -> None:
    drawn = random.Random(1)
    # More users than are drawn at a time for all resamples together.
    items = [item(n, drawn.choice(["win", "loss", "tie"]), f"u{n % 900}") for n in range(1500)]
    assert_same_digits(figures(items), published, items)


@given(items=item_lists(), order=st.randoms(use_true_random=False))
def test_no_digit_depends_on_the_order_of_the_pairs(items: list[ScoredItem], order: random.Random) -> None:
    mixed = list(items)
    order.shuffle(mixed)
    assert figures(mixed, resamples=FEW).model_dump_json() == figures(items, resamples=FEW).model_dump_json()


@given(items=item_lists(scalar=True, min_size=1))
def test_with_chosen_and_rejected_exchanged_wins_are_losses(items: list[ScoredItem]) -> None:
    turned = {"win": "loss", "loss": "win"}
    mirror = [
        each.model_copy(
            update={
                "outcome": turned.get(each.outcome, each.outcome),
                "score_chosen": each.score_rejected,
                "score_rejected": each.score_chosen,
                "words_chosen": each.words_rejected,
                "words_rejected": each.words_chosen,
            }
        )
        for each in items
    ]
    found, other = figures(items, resamples=FEW), figures(mirror, resamples=FEW)
    assert (found.wins, found.losses, found.ties) == (other.losses, other.wins, other.ties)
    if found.accuracy_half is not None:
        assert other.accuracy_half == pytest.approx(1 - found.accuracy_half)
    assert other.length_bias.longer_wins == found.length_bias.longer_wins
    if found.margins:
        assert other.margins
        assert other.margins.mean == pytest.approx(-found.margins.mean)
        assert other.margins.sd == pytest.approx(found.margins.sd)


@given(items=item_lists(min_size=1), count=st.integers(1, 20))
def test_ties_pull_accuracy_down_and_its_half_rule_towards_a_half(items: list[ScoredItem], count: int) -> None:
    before = figures(items, resamples=FEW)
    after = figures([*items, *(item(1000 + n, "tie") for n in range(count))], resamples=FEW)
    assert (after.wins, after.losses, after.ties) == (before.wins, before.losses, before.ties + count)
    if before.accuracy.value is not None:
        assert after.accuracy.value is not None
        assert after.accuracy.value <= before.accuracy.value
        assert after.accuracy_half is not None
        assert before.accuracy_half is not None
        assert abs(after.accuracy_half - 0.5) <= abs(before.accuracy_half - 0.5) + 1e-12


@given(items=item_lists(min_size=1))
def test_bounds_are_as_wide_as_coverage_lacks_and_hold_what_the_unscored_could_be(items: list[ScoredItem]) -> None:
    found = figures(items, resamples=FEW)
    assert found.bounds
    assert found.coverage is not None
    low, high = found.bounds
    assert high - low == pytest.approx(1 - found.coverage)
    if found.accuracy.value is not None:
        assert low - 1e-12 <= found.accuracy.value <= high + 1e-12
    if found.accuracy.ci95:
        assert 0 <= found.accuracy.ci95[0] <= found.accuracy.ci95[1] <= 1
    assert sum(found.reasons.values()) == found.unscored
    assert found.users == len({each.user_key for each in items})


@given(items=item_lists())
def test_groups_hold_every_pair_that_has_a_name_and_no_other(items: list[ScoredItem]) -> None:
    found = figures(items, resamples=FEW)
    for field in ("subset", "strategy", "category", "generator"):
        named = Counter(name for each in items if (name := getattr(each, field)) is not None)
        assert {name: part.n for name, part in getattr(found, f"by_{field}").items()} == named
    values = [part.accuracy.value for part in found.by_subset.values() if part.accuracy.value is not None]
    assert found.macro.subset == (pytest.approx(np.mean(values)) if values else None)


def test_no_pairs_leave_all_figures_unknown() -> None:
    found = figures([])
    assert (found.n, found.accuracy.value, found.coverage, found.bounds) == (0, None, None, None)
    assert (found.by_subset, found.margins, found.position_bias, found.macro.subset) == ({}, None, None, None)


def test_pairs_of_which_none_is_scored_have_bounds_and_no_accuracy() -> None:
    found = figures([item(n, "unscored") for n in range(4)])
    assert (found.accuracy.value, found.coverage, found.bounds) == (None, 0, (0, 1))
    assert found.reasons == {"too long": 4}


def test_the_pairs_of_one_user_tell_nothing_of_the_spread() -> None:
    assert figures([item(n, "win", "only") for n in range(9)]).accuracy.ci95 is None


def test_a_set_of_one_subset_and_strategy_still_lists_them() -> None:
    found = figures([item(n, "win", strategy="avoid") for n in range(3)])
    assert list(found.by_subset) == ["Art"]
    assert list(found.by_strategy) == ["avoid"]
    assert found.by_category == found.by_generator == {}


def test_the_interval_holds_the_truth_about_as_often_as_it_says_as_it_goes_by_user() -> None:
    drawn = np.random.default_rng(7)
    held = blind = 0
    for _ in range(120):
        # Pairs of one user are alike: each has a share of its own, .65 on average.
        shares = drawn.beta(2.6, 1.4, size=80)
        outcomes = ["win" if drawn.random() < share else "loss" for share in shares for _ in range(5)]
        by_user = figures((item(n, each, f"u{n // 5}") for n, each in enumerate(outcomes)), resamples=200)
        by_pair = figures((item(n, each) for n, each in enumerate(outcomes)), resamples=200)
        held += holds(by_user, 0.65)
        blind += holds(by_pair, 0.65)
    # 95 % of 120, less three standard errors.
    assert held / 120 >= 0.89
    assert blind < held


def holds(found: Figures, truth: float) -> bool:
    assert found.accuracy.ci95
    return found.accuracy.ci95[0] <= truth <= found.accuracy.ci95[1]


def test_of_very_many_names_the_largest_are_listed_and_the_others_counted() -> None:
    outcomes = ("win", "loss", "unscored")
    items = [item(n, outcomes[n % 3], f"u{n % 9}", category=f"c{n}") for n in range(5_000)]
    items += [item(5_000 + n, "win", category=f"c{n}") for n in range(50)]
    found = figures(items, resamples=FEW)
    assert len(found.by_category) == 200
    assert {f"c{n}" for n in range(50)} <= found.by_category.keys()
    assert list(found.by_category) == sorted(found.by_category)
    assert found.unlisted == {"category": 4_800}
    # The mean is over all of them.
    shares: dict[str, list[bool]] = {}
    for each in items:
        if each.outcome != "unscored":
            shares.setdefault(str(each.category), []).append(each.outcome == "win")
    assert found.macro.category == pytest.approx(np.mean([np.mean(each) for each in shares.values()]))


def test_names_of_which_each_pair_has_its_own_take_no_more_memory_than_the_pairs() -> None:
    tracemalloc.start()
    try:
        figures((item(n, "win", f"u{n % 50}", category=f"c{n}") for n in range(20_000)), resamples=FEW)
        # Masks of all names would be 400 MB.
        assert tracemalloc.get_traced_memory()[1] < 60_000_000
    finally:
        tracemalloc.stop()


def test_seed_and_number_of_resamples_count() -> None:
    items = [item(n, "win" if n % 3 else "loss") for n in range(60)]
    intervals = {figures(items, seed=seed, resamples=400).accuracy.ci95 for seed in range(3)}
    assert len(intervals) > 1
    assert figures(items, seed=2, resamples=400).resamples == 400


def test_reasons_are_counted_without_what_is_particular_to_one_pair() -> None:
    said = ("the call failed: 503 one", "the call failed: 503 two", "too long")
    found = figures(item(number, "unscored", reason=reason) for number, reason in enumerate(said))
    assert found.reasons == {"the call failed": 2, "too long": 1}
