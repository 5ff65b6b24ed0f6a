"""Means, shares and equivalence by user, against statsmodels and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import ttost_paired

from prbgen.validation.clustered import clustered, equivalence, mean_figure, share_figure

VALUES = st.lists(st.tuples(st.integers(-12, 12), st.sampled_from("abcdef")), min_size=1, max_size=30)


def drawn(seed: int, users: int, mean: float = 0.0) -> tuple[list[float], list[str]]:
    """Differences of users with one to six pairs each, alike within a user."""
    random = np.random.default_rng(seed)
    values: list[float] = []
    names: list[str] = []
    for user in range(users):
        size = int(random.integers(1, 7))
        values += list(random.normal(mean + random.normal(0, 0.5), 0.6, size))
        names += [f"u{user}"] * size
    return values, names


def fitted(values: list[float], users: list[str]) -> object:
    codes = np.unique(users, return_inverse=True)[1]
    ones: NDArray[np.float64] = np.ones(len(values))
    return sm.OLS(values, ones).fit(cov_type="cluster", cov_kwds={"groups": codes}, use_t=True)


@pytest.mark.parametrize("seed", range(5))
def test_mean_and_intervals_are_those_of_a_regression_clustered_by_user(seed: int) -> None:
    values, users = drawn(seed, 12)
    found, model = clustered(values, users), fitted(values, users)
    assert found.mean == pytest.approx(model.params[0])  # type: ignore[attr-defined]
    assert found.error == pytest.approx(model.bse[0])  # type: ignore[attr-defined]
    for level in (0.95, 0.9):
        assert found.interval(level) == pytest.approx(tuple(model.conf_int(1 - level)[0]))  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", range(5))
def test_equivalence_with_many_pairs_a_user_is_two_clustered_one_sided_tests(seed: int) -> None:
    values, users = drawn(seed, 40, mean=0.05)
    model = fitted(values, users)
    # One-sided p-values from the two-sided tests of the mean against each end of the margin.
    ends = []
    for end, sign in ((-0.4, 1), (0.4, -1)):
        test = model.t_test((np.ones((1, 1)), end))  # type: ignore[attr-defined]
        half, toward = float(test.pvalue) / 2, float(test.tvalue.item()) * sign > 0
        ends.append(half if toward else 1 - half)
    found = equivalence(values, users, 0.4, "")
    assert found.p == pytest.approx(max(ends))
    assert found.users == 40


@pytest.mark.parametrize(("mean", "margin"), [(0.0, 0.2), (0.1, 0.2), (-0.15, 0.2), (0.3, 0.2), (0.3, 0.8)])
def test_equivalence_with_one_pair_a_user_is_the_paired_tost_of_statsmodels(mean: float, margin: float) -> None:
    random = np.random.default_rng(7)
    chosen = random.normal(4 + mean, 0.5, 120)
    rejected = random.normal(4, 0.5, 120)
    found = equivalence(list(chosen - rejected), [str(n) for n in range(120)], margin, "")
    p, _, _ = ttost_paired(chosen, rejected, -margin, margin)
    assert found.p == pytest.approx(p)
    assert found.equivalent == (p < 0.05)


@pytest.mark.parametrize("seed", range(10))
def test_equivalent_is_when_the_90_percent_interval_lies_within_the_margin(seed: int) -> None:
    values, users = drawn(seed, 60)
    found = equivalence(values, users, 0.15, "")
    assert found.ci90
    assert found.equivalent == (found.ci90[0] > -0.15 and found.ci90[1] < 0.15)


def test_one_user_tells_nothing_of_how_sure_a_mean_is() -> None:
    figure = mean_figure([1, 2, 3], ["u"] * 3, "no pairs")
    assert (figure.value, figure.ci95, figure.n) == (2, None, 3)
    assert figure.reason == "fewer than two users: nothing tells how sure it is"
    test = equivalence([0.0, 0.1], ["u", "u"], 0.2, "")
    assert (test.p, test.ci90, test.equivalent, test.users) == (None, None, None, 1)
    assert test.reason == figure.reason


@pytest.mark.parametrize("value", [0.0, 0.1, 1 / 3, 3.7])
def test_values_without_variation_are_not_tested(value: float) -> None:
    users = [str(n) for n in range(7)]
    figure = mean_figure([value] * 7, users, "no pairs")
    assert figure.value == pytest.approx(value)
    assert figure.ci95 is None
    assert figure.reason == "no variation between users: nothing tells how sure it is"
    assert equivalence([value] * 7, users, 0.2, "").equivalent is None


def test_nothing_is_null_with_the_reason_that_is_given() -> None:
    for figure in (
        mean_figure([], [], "round quality was not rated"),
        share_figure([], [], "round quality was not rated"),
    ):
        assert (figure.value, figure.ci95, figure.n, figure.reason) == (None, None, 0, "round quality was not rated")
    test = equivalence([], [], 0.2, "round quality was not rated")
    assert (test.p, test.users, test.reason) == (None, 0, "round quality was not rated")


def test_an_interval_is_cut_off_at_what_is_possible() -> None:
    figure = mean_figure([1, 1, 1, 0.2], list("abcd"), "", bounds=(0, 1))
    assert figure.ci95
    assert figure.ci95[1] == 1
    assert 0 < figure.ci95[0] < 1


def test_the_interval_of_a_share_of_many_users_with_one_pair_each_is_wilsons() -> None:
    outcomes = [n % 4 != 0 for n in range(2000)]
    figure = share_figure(outcomes, [str(n) for n in range(2000)], "")
    assert figure.value == 0.75
    assert figure.ci95 == pytest.approx(proportion_confint(1500, 2000, method="wilson"), abs=1e-4)


@pytest.mark.parametrize("outcome", [True, False])
def test_a_share_of_all_or_none_is_as_sure_as_the_number_of_users_allows(outcome: bool) -> None:
    users = [f"u{n % 200}" for n in range(1000)]
    figure = share_figure([outcome] * 1000, users, "")
    assert figure.value == float(outcome)
    expected = proportion_confint(200 * outcome, 200, method="wilson")
    assert figure.ci95 == pytest.approx(expected, abs=1e-3)


def test_a_share_of_pairs_that_go_by_user_is_less_sure() -> None:
    outcomes = [(n // 5) % 2 == 0 for n in range(100)]
    alone = share_figure(outcomes, [str(n) for n in range(100)], "")
    by_user = share_figure(outcomes, [str(n // 5) for n in range(100)], "")
    assert alone.ci95
    assert by_user.ci95
    # Twenty users of five equal pairs are twenty trials.
    assert by_user.ci95[1] - by_user.ci95[0] > 2 * (alone.ci95[1] - alone.ci95[0])


@pytest.mark.parametrize("odd", [0, 2])
def test_users_who_differ_less_than_chance_make_a_share_no_surer(odd: int) -> None:
    """Each user has one of each, but for `odd` of them."""
    outcomes = [n % 2 == 0 or n < 2 * odd for n in range(100)]
    balanced = share_figure(outcomes, [str(n // 2) for n in range(100)], "")
    low, high = proportion_confint(50 + odd, 100, method="wilson")
    assert balanced.ci95
    assert balanced.ci95[1] - balanced.ci95[0] >= high - low


def test_a_share_of_one_user_has_no_interval() -> None:
    figure = share_figure([True, False], ["u", "u"], "", of="raters")
    assert (figure.ci95, figure.reason) == (None, "fewer than two raters: nothing tells how sure it is")


@given(VALUES, st.randoms(use_true_random=False))
def test_neither_order_nor_names_of_users_matter(values: list[tuple[int, str]], random: object) -> None:
    mixed = [(value, f"x{ord('z') - ord(user)}") for value, user in values]
    random.shuffle(mixed)  # type: ignore[attr-defined]
    one = clustered([value / 6 for value, _ in values], [user for _, user in values])
    other = clustered([value / 6 for value, _ in mixed], [user for _, user in mixed])
    assert (one.users, one.n, one.reason) == (other.users, other.n, other.reason)
    assert one.mean == pytest.approx(other.mean, abs=1e-12)
    assert (one.error or 0) == pytest.approx(other.error or 0, abs=1e-9)


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("abcdef")), min_size=1, max_size=30))
def test_the_interval_of_a_share_holds_it_and_is_possible(outcomes: list[tuple[bool, str]]) -> None:
    users = [user for _, user in outcomes]
    figure = share_figure([outcome for outcome, _ in outcomes], users, "")
    assert figure.value is not None
    if figure.ci95 is None:
        assert len(set(users)) == 1
        return
    low, high = figure.ci95
    assert 0 <= low <= figure.value + 1e-12
    assert figure.value - 1e-12 <= high <= 1
    assert low < high
