"""Two results on the same pairs: against statsmodels and scipy, and what must hold of any."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from prbgen.evaluation.item import ScoredItem
from prbgen.evaluation.metrics.bootstrap import Bootstrap
from prbgen.evaluation.metrics.comparison import as_family, compared
from prbgen.evaluation.metrics.joined import Judged, by_question
from prbgen.evaluation.metrics.standings import standings
from prbgen.evaluation.metrics.swapping import holm, swap_test
from tests.evaluation.metrics.scored import item, item_lists

FEW = 50


def judged(outcomes: str, *, users: int = 0, start: int = 0) -> Judged:
    """A result by its outcomes' first letters: w, l, t, u; all of different users unless told otherwise."""
    names = {"w": "win", "l": "loss", "t": "tie", "u": "unscored"}
    return Judged.of(
        item(start + n, names[letter], f"u{n % users}" if users else "") for n, letter in enumerate(outcomes)
    )


def drawn(share: float, n: int, seed: int) -> str:
    rolls = random.Random(seed)
    return "".join("w" if rolls.random() < share else "l" for _ in range(n))


@given(first=st.text("wlt", min_size=1, max_size=60), data=st.data())
def test_mcnemar_is_that_of_statsmodels(first: str, data: st.DataObject) -> None:
    second = data.draw(st.text("wlt", min_size=len(first), max_size=len(first)))
    found = compared(judged(first), judged(second), resamples=FEW)
    one, two = np.array(list(first)) == "w", np.array(list(second)) == "w"
    table = [[(one & two).sum(), (one & ~two).sum()], [(~one & two).sum(), (~one & ~two).sum()]]
    assert found.mcnemar == pytest.approx(mcnemar(table, exact=True).pvalue)
    assert (found.only_first, found.only_second) == (table[0][1], table[1][0])
    # Every user has one pair: then users are pairs.
    assert found.p == pytest.approx(found.mcnemar)
    assert found.difference.value == pytest.approx(two.mean() - one.mean())


@given(st.lists(st.integers(-6, 6), max_size=9))
def test_the_swap_test_is_what_going_through_all_swaps_gives(differences: list[int]) -> None:
    sums = [sum(np.multiply(differences, signs)) for signs in product((-1, 1), repeat=len(differences))]
    expected = np.mean(np.abs(sums) >= abs(sum(differences)))
    assert swap_test(np.array(differences, dtype=np.int64)) == pytest.approx(expected)


def test_the_swap_test_of_many_users_is_near_scipys_permutation_test() -> None:
    differences = np.random.default_rng(5).integers(-4, 6, size=300)
    expected = stats.permutation_test(
        (differences, np.zeros_like(differences)),
        lambda one, two, axis: np.sum(one - two, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=20_000,
        rng=np.random.default_rng(0),
    ).pvalue
    assert swap_test(differences) == pytest.approx(expected, abs=0.01)


def test_the_swap_test_takes_a_hundred_thousand_differences() -> None:
    differences = np.random.default_rng(0).integers(-3, 4, size=100_000)
    found = swap_test(differences)
    assert found == pytest.approx(2 * stats.norm.sf(abs(differences.sum()) / np.sqrt((differences**2).sum())), abs=0.01)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
@settings(max_examples=20)
def test_holms_correction_is_that_of_statsmodels(ps: list[float]) -> None:
    assert holm(ps) == pytest.approx(multipletests(ps, method="holm")[1])


@given(one=item_lists(), two=item_lists())
def test_exchanging_the_results_turns_the_sign_and_nothing_else(one: list[ScoredItem], two: list[ScoredItem]) -> None:
    # The same pairs are the same users'.
    users = {each.key: each.user_key for each in one}
    two = [each.model_copy(update={"user_key": users.get(each.key, each.user_key)}) for each in two]
    forth = compared(Judged.of(one), Judged.of(two), resamples=FEW)
    back = compared(Judged.of(two), Judged.of(one), resamples=FEW)
    assert (back.first, back.second, back.p, back.mcnemar) == (forth.second, forth.first, forth.p, forth.mcnemar)
    assert (back.only_first, back.only_second) == (forth.only_second, forth.only_first)
    assert (back.n, back.users, back.reason) == (forth.n, forth.users, forth.reason)
    if forth.difference.ci95:
        assert back.difference.ci95 == pytest.approx([-each for each in reversed(forth.difference.ci95)])
    left = forth.left_out
    assert forth.n + left.unscored + left.only_first == len(one)
    assert forth.n + left.unscored + left.only_second == len(two)


@given(items=item_lists(min_size=1))
def test_a_result_beside_itself_differs_by_nothing(items: list[ScoredItem]) -> None:
    found = compared(Judged.of(items), Judged.of(items), resamples=FEW)
    if found.n:
        assert (found.difference.value, found.p, found.mcnemar) == (0, 1, 1)
        assert found.difference.ci95 in (None, (0, 0))


def test_what_one_left_unscored_or_does_not_have_is_left_out_and_counted() -> None:
    found = compared(judged("wwlu"), judged("wluww"), resamples=FEW)
    assert (found.n, found.first, found.second) == (2, 1, 0.5)
    assert found.left_out.model_dump() == {"only_first": 0, "only_second": 1, "unscored": 2}


def test_results_without_a_pair_in_common_say_why_there_are_no_numbers() -> None:
    found = compared(judged("ww"), judged("ll", start=10))
    assert (found.n, found.p, found.difference.value) == (0, None, None)
    assert found.reason == "nothing that both results scored"


def test_many_pairs_of_few_users_do_not_prove_much() -> None:
    # Independent, 60 wins against none would be beyond doubt.
    found = compared(judged("l" * 60, users=4), judged("w" * 60, users=4))
    assert found.p == pytest.approx(2 / 2**4)
    assert found.mcnemar is not None
    assert found.mcnemar < 1e-15
    alone = compared(judged("l" * 60, users=1), judged("w" * 60, users=1))
    assert (alone.p, alone.difference.ci95) == (1, None)


def test_equal_models_are_told_apart_no_more_often_than_the_level_says() -> None:
    drawn_users = np.random.default_rng(11)
    ps = []
    for _ in range(300):
        # What a user's pairs show is shared: 12 users, 10 pairs each.
        shares = drawn_users.beta(1, 1, size=(2, 12))
        won = drawn_users.random((2, 10, 12)) < shares[:, None, :]
        sums = won[1].sum(axis=0) - won[0].sum(axis=0)
        ps.append(swap_test(sums))
    assert np.mean(np.array(ps) < 0.05) < 0.08


def test_the_interval_of_the_difference_is_that_of_resampling_users() -> None:
    first, second = drawn(0.5, 400, 1), drawn(0.65, 400, 2)
    found = compared(judged(first, users=80), judged(second, users=80), resamples=4000)
    gaps = (np.array(list(second)) == "w").astype(int) - (np.array(list(first)) == "w")
    sums = np.array([gaps[user::80].sum() for user in range(80)])
    expected = stats.bootstrap(
        (sums / 5,), np.mean, method="percentile", n_resamples=4000, rng=np.random.default_rng(3)
    ).confidence_interval
    assert found.difference.ci95 == pytest.approx((expected.low, expected.high), abs=0.012)


def test_questions_with_several_pairs_count_once_by_their_share_of_wins() -> None:
    # The first has one pair a question, the second three.
    first = Judged.of([item(n, "win", id=f"q{n}") for n in range(4)], by_question)
    outcomes = ("win", "win", "loss")
    second = Judged.of(
        [item(10 * n + k, outcomes[k], f"u{n}", id=f"q{n}") for n in range(4) for k in range(3)], by_question
    )
    found = compared(first, second)
    assert (found.n, found.first) == (4, 1)
    assert found.second == pytest.approx(2 / 3)
    assert found.difference.value == pytest.approx(-1 / 3)
    assert found.difference.ci95 == pytest.approx((-1 / 3, -1 / 3))
    assert found.p == pytest.approx(2 / 2**4)
    assert found.mcnemar is found.only_first is None


def test_a_leaderboard_marks_what_cannot_be_told_from_the_best() -> None:
    base = "w" * 150 + "l" * 50
    results = {
        "near": judged("l" * 2 + base[2:]),
        "best": judged(base),
        "far": judged("w" * 60 + "l" * 140),
        "far too": judged("w" * 59 + "l" * 141),
        "silent": judged("u" * 200),
    }
    found = {each.name: each for each in standings(results, resamples=FEW)}
    assert list(found) == ["best", "near", "far", "far too", "silent"]
    assert [each.rank for each in found.values()] == [1, 2, 3, 4, None]
    assert [each.group for each in found.values()] == [1, 1, 2, 2, None]
    assert found["best"].best is None
    marks = {name: each.best.apart for name, each in found.items() if each.best}
    assert marks == {"near": False, "far": True, "far too": True, "silent": None}
    assert found["silent"].reason == "no pair is scored"
    assert found["near"].best
    assert found["near"].best.paired.difference.value == pytest.approx(0.01)


def test_a_leaderboard_is_the_same_whatever_order_the_results_come_in() -> None:
    results = {f"m{n}": judged(drawn(0.5 + n / 50, 120, n), users=30) for n in range(5)}
    assert standings(dict(reversed(results.items())), resamples=FEW) == standings(results, resamples=FEW)


def test_a_group_is_what_cannot_be_told_from_its_first_one_however_near_its_last_one_is() -> None:
    # Each is a little worse than the one above: only steps of two or more can be told.
    results = {f"m{n}": judged("l" * (5 * n) + "w" * (200 - 5 * n)) for n in range(6)}
    found = standings(results, resamples=FEW)
    assert [each.group for each in found] == [1, 1, 2, 2, 3, 3]


def test_equal_accuracies_share_a_rank_and_one_model_stands_alone() -> None:
    found = standings({"b": judged("wl"), "a": judged("lw"), "c": judged("ll")}, resamples=FEW)
    assert [(each.name, each.rank) for each in found] == [("a", 1), ("b", 1), ("c", 3)]
    assert standings({"a": judged("w")})[0].best is None
    assert standings({}) == []


def test_what_cannot_be_compared_with_the_first_of_a_group_is_in_none_and_it_is_said() -> None:
    results = {
        "best": judged("w" * 60 + "l" * 20),
        "elsewhere": judged("w" * 30 + "l" * 50, start=500),
        "far": judged("w" * 15 + "l" * 65),
    }
    found = {each.name: each for each in standings(results, resamples=FEW)}
    assert {name: (each.rank, each.group) for name, each in found.items()} == {
        "best": (1, 1),
        "elsewhere": (2, None),
        "far": (3, 2),
    }
    assert found["elsewhere"].reason == "beside the first of group 1: nothing that both results scored"
    assert found["elsewhere"].best
    assert (found["elsewhere"].best.p_holm, found["elsewhere"].best.apart) == (None, None)
    assert found["best"].reason is found["far"].reason is None


def test_sums_that_are_too_many_leave_p_unknown_and_everything_else_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prbgen.evaluation.metrics.swapping._MOST_SUMS", 3)
    found = compared(judged("wwwwll"), judged("llllww"), resamples=FEW)
    assert (found.p, found.n) == (None, 6)
    assert found.difference.value == pytest.approx(-1 / 3)
    assert found.reason
    assert "more sums" in found.reason
    [_, second] = standings({"a": judged("wwwwll"), "b": judged("llllww")}, resamples=FEW)
    assert second.group is None
    assert second.reason
    assert "more sums" in second.reason
    assert as_family([found])[0].apart is None


def test_tests_that_cannot_be_made_are_none_of_their_family() -> None:
    assert holm([0.01, None, 0.04]) == [0.02, None, 0.04]
    assert holm([None]) == [None]


@pytest.mark.parametrize("parts", [(40, 40), (80, 0), (30, 0)])
def test_a_small_p_is_as_exact_as_a_large_one(parts: tuple[int, int]) -> None:
    ones, twos = parts
    differences = np.array([1] * ones + [2] * twos, dtype=np.int64)
    # Only all signs alike come to the sum that is seen.
    assert swap_test(differences) == pytest.approx(2 / 2 ** (ones + twos), rel=1e-9, abs=0)


def test_a_p_that_rounding_could_have_made_is_given_as_a_bound() -> None:
    differences = np.abs(np.random.default_rng(2).integers(-3, 4, size=100_000))
    assert swap_test(differences) == 1e-9


def test_large_users_with_gaps_in_small_parts_keep_their_interval() -> None:
    # Many pairs of each question, in numbers that have no small common multiple; all of two users.
    first, second = [], []
    for n in range(400):
        for k in range(7 + n % 13):
            first.append(item(1000 * n + k, "win" if k % 2 else "loss", f"u{n % 2}", id=f"q{n}"))
            second.append(item(1000 * n + k, "loss", f"u{n % 2}", id=f"q{n}"))
    found = compared(Judged.of(first, by_question), Judged.of(second, by_question))
    assert found.difference.ci95
    assert found.difference.value is not None
    assert found.difference.ci95[0] <= found.difference.value <= found.difference.ci95[1] < 0
    interval = Bootstrap().interval(np.array([-(2**33), -(2**33)]), np.array([2**33, 2**33]))
    assert interval == (-1, -1)


def test_results_in_any_order_are_joined_by_key() -> None:
    items = [item(n, "win" if n % 3 else "loss") for n in range(30)]
    others = [item(n, "loss" if n % 4 else "win") for n in range(5, 35)]
    straight = compared(Judged.of(items), Judged.of(others), resamples=FEW)
    assert compared(Judged.of(items[::-1]), Judged.of(others[7:] + others[:7]), resamples=FEW) == straight
    assert (straight.n, straight.left_out.only_first, straight.left_out.only_second) == (25, 5, 5)
