from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chi2, norm, t

from prbgen.errors import InputError
from prbgen.validation.clustered import equivalence
from prbgen.validation.power import draws, pairs_for_power, simulated_power, tost_power
from prbgen.validation.report import Figure


def holds(figure: Figure, value: float) -> bool:
    """Whether a value lies within twice the simulation's interval."""
    assert figure.value is not None
    assert figure.ci95 is not None
    low, high = figure.ci95
    return 2 * low - figure.value <= value <= 2 * high - figure.value


def test_pairs_for_the_study_in_mind() -> None:
    pairs = pairs_for_power(0.9, sd=0.8, margin=0.2)
    assert 173 <= pairs <= 175
    assert tost_power(pairs, 0.8, 0.2) >= 0.9 > tost_power(pairs - 1, 0.8, 0.2)


@pytest.mark.parametrize(("pairs", "sd", "margin"), [(2, 0.1, 0.9), (5, 0.1, 0.12), (40, 0.8, 0.5), (900, 2.0, 0.2)])
@pytest.mark.parametrize("difference", [0.0, 0.05, -0.3])
def test_the_formula_is_the_integral_over_the_variance(pairs: int, sd: float, margin: float, difference: float) -> None:
    freedom, error = pairs - 1, sd / pairs**0.5
    quantile = t.ppf(0.95, freedom)

    def at(variance: float) -> float:
        room = margin - quantile * error * (variance / freedom) ** 0.5
        both = norm.cdf((room - difference) / error) - norm.cdf((-room - difference) / error)
        return float(max(both, 0) * chi2.pdf(variance, freedom))

    most = freedom * (margin / (quantile * error)) ** 2
    low, high = max(0, freedom - 12 * (2 * freedom) ** 0.5), freedom + 12 * (2 * freedom) ** 0.5 + 40
    expected = quad(at, low, min(most, high), limit=500)[0]
    assert tost_power(pairs, sd, margin, difference) == pytest.approx(expected, abs=2e-5)


@pytest.mark.parametrize(("pairs", "difference"), [(6, 0.0), (60, 0.0), (175, 0.0), (175, 0.1)])
def test_simulated_studies_reach_the_power_of_the_formula(pairs: int, difference: float) -> None:
    sd = 0.15 if pairs == 6 else 0.8
    assert holds(simulated_power(pairs, sd, 0.2, difference), tost_power(pairs, sd, 0.2, difference))


def test_at_the_margin_one_in_twenty_passes() -> None:
    figure = simulated_power(400, 0.8, 0.2, 0.2)
    assert holds(figure, 0.05)


def test_a_constant_edge_of_04_never_passes_a_margin_of_02() -> None:
    assert simulated_power(173, 0.8, 0.2, 0.4).value == 0


@pytest.mark.parametrize(("pairs", "users", "icc"), [(40, 40, 0.0), (40, 17, 0.5)])
def test_a_simulated_study_passes_where_rated_pairs_would(pairs: int, users: int, icc: float) -> None:
    starts = np.arange(users) * pairs // users
    names = [str(user) for user in np.searchsorted(starts, np.arange(pairs), side="right")]
    differences = 0.1 + 0.5 * draws(np.random.default_rng(5), 300, pairs, starts, icc)
    passed = [equivalence(list(each), names, 0.2, "").equivalent for each in differences]
    simulated = simulated_power(pairs, 0.5, 0.2, 0.1, users=users, icc=icc, repetitions=300, seed=5)
    assert simulated.value is not None
    assert simulated.value == np.mean(np.array(passed))
    assert 0 < simulated.value < 1


def test_pairs_of_a_user_that_are_alike_cost_power_as_the_design_effect_says() -> None:
    alone = simulated_power(180, 0.8, 0.2)
    alike = simulated_power(180, 0.8, 0.2, users=60, icc=0.5)
    enough = simulated_power(360, 0.8, 0.2, users=120, icc=0.5)  # design effect 1 + 2 * .5
    assert alone.value is not None
    assert alike.value is not None
    assert alike.value < alone.value - 0.2
    assert enough.value == pytest.approx(alone.value, abs=0.03)


@pytest.mark.parametrize(("pairs", "users", "icc"), [(100, 70, 0.3), (200, 100, 0.88)])
def test_several_pairs_a_user_however_alike_keep_the_level(pairs: int, users: int, icc: float) -> None:
    assert holds(simulated_power(pairs, 0.8, 0.2, 0.2, users=users, icc=icc), 0.05)


def test_the_same_seed_simulates_the_same() -> None:
    assert simulated_power(50, 0.8, 0.3, seed=1) == simulated_power(50, 0.8, 0.3, seed=1)
    assert simulated_power(50, 0.8, 0.3, seed=1) != simulated_power(50, 0.8, 0.3, seed=2)


@pytest.mark.parametrize("users", [1, 11])
def test_a_study_needs_two_users_with_a_pair_each(users: int) -> None:
    with pytest.raises(InputError, match=f"{users} users for 10 pairs"):
        simulated_power(10, 0.8, 0.2, users=users)
