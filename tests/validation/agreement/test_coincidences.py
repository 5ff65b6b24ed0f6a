from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from prbgen.validation.agreement.coincidences import Coincidences
from prbgen.validation.agreement.units import Answers
from tests.validation.agreement.rated import EXAMPLE, example, table

# By irrCAC 0.4.4, CAC(...).gwet() with digits=10: AC1 and the share of pairs of raters that agree, "pa".
IRRCAC_AC1, IRRCAC_PA = 0.7754440681, 0.8181818182
IRRCAC_AC1_OF_7 = 0.7917601868  # categories=[1, ..., 7]
TWO_KINDS = [
    [1, 1, 0, None, 0, 1, None, 1, 0, 0, 0, 0],
    [0, 0, 0, 0, 0, 1, 1, 0, None, 0, 0, None],
    [1, None, 0, 0, 1, None, 1, None, 0, 0, None, None],
]
IRRCAC_AC1_TWO_KINDS, IRRCAC_PA_TWO_KINDS = 0.4545454545, 0.6969696970


def found(answers: Answers, raters: list[float] | None = None, users: list[float] | None = None) -> tuple[float, ...]:
    """Alpha, raw agreement, AC1."""
    weights = [raters or [1.0] * answers.raters, users or [1.0] * answers.users]
    by = Coincidences(answers).weighted(*(np.array([each], dtype=float).T for each in weights))
    return float(by.alpha[0]), float(by.raw[0]), float(by.ac1[0])


@st.composite
def tables(draw: st.DrawFn, *, raters: int = 5) -> list[list[int | None]]:
    """Raters by units, some of whom two rated, with answers from 0 to 3."""
    units = draw(st.integers(1, 12))
    value = st.none() | st.integers(0, 3)
    said = draw(
        st.lists(st.lists(value, min_size=units, max_size=units), min_size=2, max_size=raters).filter(
            lambda rows: all(any(value is not None for value in row) for row in rows)
        )
    )
    assume(any(sum(row[unit] is not None for row in said) >= 2 for unit in range(units)))
    return said


@pytest.mark.parametrize(("ordinal", "published"), [(False, 0.743), (True, 0.815)])
def test_alpha_of_the_published_example(ordinal: bool, published: float) -> None:
    assert found(example(ordinal=ordinal))[0] == pytest.approx(published, abs=5e-4)


def test_raw_agreement_and_ac1_are_those_of_irrcac_with_missing_ratings() -> None:
    assert found(example())[1:] == pytest.approx((IRRCAC_PA, IRRCAC_AC1), abs=1e-9)
    two_kinds = table(TWO_KINDS, 2, ordinal=False)
    assert found(two_kinds)[1:] == pytest.approx((IRRCAC_PA_TWO_KINDS, IRRCAC_AC1_TWO_KINDS), abs=1e-9)


def test_ac1_counts_categories_that_nobody_used() -> None:
    said = [[None if value is None else value - 1 for value in row] for row in EXAMPLE]
    assert found(table(said, 7, ordinal=False))[2] == pytest.approx(IRRCAC_AC1_OF_7, abs=1e-9)


@given(tables(), st.booleans())
def test_alpha_with_weights_of_one_is_that_of_the_krippendorff_package(
    said: list[list[int | None]], ordinal: bool
) -> None:
    assume(
        len({v for unit in zip(*said, strict=True) if sum(v is not None for v in unit) > 1 for v in unit} - {None}) > 1
    )
    data = [[np.nan if value is None else value for value in row] for row in said]
    expected = krippendorff.alpha(data, level_of_measurement="ordinal" if ordinal else "nominal", value_domain=range(4))
    assert found(table(said, 4, ordinal=ordinal))[0] == pytest.approx(expected, abs=1e-9)


@given(tables(), st.booleans(), st.data())
def test_a_user_drawn_twice_counts_like_two_users(
    said: list[list[int | None]], ordinal: bool, data: st.DataObject
) -> None:
    units = len(said[0])
    rated = [unit for unit in range(units) if any(row[unit] is not None for row in said)]
    times = [data.draw(st.integers(1, 3)) for _ in rated]
    copies = [unit for unit, count in zip(rated, times, strict=True) for _ in range(count)]
    once = found(table(said, 4, ordinal=ordinal), users=[float(count) for count in times])
    copied = found(table([[row[unit] for unit in copies] for row in said], 4, ordinal=ordinal))
    assert once == pytest.approx(copied, abs=1e-9, nan_ok=True)


@given(tables(), st.booleans(), st.data())
def test_a_rater_who_was_not_drawn_is_as_if_they_were_not_there(
    said: list[list[int | None]], ordinal: bool, data: st.DataObject
) -> None:
    left = data.draw(st.integers(0, len(said) - 1))
    rest = [row for number, row in enumerate(said) if number != left]
    assume(any(sum(row[unit] is not None for row in rest) >= 2 for unit in range(len(said[0]))))
    weights = [float(number != left) for number in range(len(said))]
    without = found(table(rest, 4, ordinal=ordinal))
    assert found(table(said, 4, ordinal=ordinal), raters=weights) == pytest.approx(without, abs=1e-9, nan_ok=True)


def by_hand(said: list[list[int | None]], weights: list[float], *, ordinal: bool) -> tuple[float, float]:
    """Alpha and raw agreement of raters copied as often as they weigh, over pairs of copies of different raters."""
    copies = [(rater, row) for rater, row in enumerate(said) for _ in range(int(weights[rater]))]
    matrix, shares = np.zeros((4, 4)), []
    for unit in range(len(said[0])):
        here = [(rater, row[unit]) for rater, row in copies if row[unit] is not None]
        both = [(one[1], two[1]) for one in here for two in here if one[0] != two[0]]
        for one, two in both:
            matrix[one, two] += len(here) / len(both)
        if both:
            shares.append(sum(one == two for one, two in both) / len(both))
    if not shares:
        return float("nan"), float("nan")
    margins = matrix.sum(axis=0)
    apart = np.zeros((4, 4))
    for one in range(4):
        for two in range(one + 1, 4):
            steps = margins[one : two + 1].sum() - (margins[one] + margins[two]) / 2 if ordinal else 1
            apart[one, two] = apart[two, one] = steps**2
    expected = (np.outer(margins, margins) * apart).sum() / (margins.sum() - 1)
    return (float(1 - (matrix * apart).sum() / expected) if expected else float("nan")), float(np.mean(shares))


@given(tables(), st.booleans(), st.data())
def test_only_ratings_by_different_raters_coincide(
    said: list[list[int | None]], ordinal: bool, data: st.DataObject
) -> None:
    weights = [float(data.draw(st.integers(0, 3))) for _ in said]
    alpha, raw, _ = found(table(said, 4, ordinal=ordinal), raters=weights)
    assert (alpha, raw) == pytest.approx(by_hand(said, weights, ordinal=ordinal), abs=1e-9, nan_ok=True)


def test_a_rater_drawn_twice_never_raises_agreement_on_their_own() -> None:
    apart = table([[0, 1, 2, 3], [1, 2, 3, 0]], 4, ordinal=False)
    assert found(apart, raters=[1, 1])[1] == 0
    assert found(apart, raters=[2, 1])[1] == 0
    assert found(apart, raters=[3, 5])[1] == 0
    assert all(np.isnan(found(apart, raters=[2, 0])))


@given(tables(), st.booleans(), st.data())
def test_names_of_raters_and_the_order_of_units_do_not_matter(
    said: list[list[int | None]], ordinal: bool, data: st.DataObject
) -> None:
    raters = data.draw(st.permutations(range(len(said))))
    units = data.draw(st.permutations(range(len(said[0]))))
    other = [[said[rater][unit] for unit in units] for rater in raters]
    first, second = (found(table(each, 4, ordinal=ordinal)) for each in (said, other))
    assert first == pytest.approx(second, abs=1e-9, nan_ok=True)


def test_no_variation_leaves_alpha_alone_undefined() -> None:
    alpha, raw, ac1 = found(table([[2, 2, 2], [2, 2, None]], 4, ordinal=True))
    assert np.isnan(alpha)
    assert (raw, ac1) == (1, 1)


def test_several_replicates_are_what_each_is_alone() -> None:
    answers = example(ordinal=True)
    rng = np.random.default_rng(1)
    raters, users = (rng.integers(0, 3, (count, 7)).astype(float) for count in (answers.raters, answers.users))
    by = Coincidences(answers).weighted(raters, users)
    for column in range(7):
        alone = found(answers, list(raters[:, column]), list(users[:, column]))
        assert (by.alpha[column], by.raw[column], by.ac1[column]) == pytest.approx(alone, abs=1e-12, nan_ok=True)
