from __future__ import annotations

import pytest

from prbgen.recipe import ValidationSettings
from prbgen.validation.agreement.coefficients import coefficients
from prbgen.validation.report import Figure
from tests.validation.agreement.rated import example, table

QUICK = ValidationSettings(resamples=100)


def test_the_published_example_with_intervals() -> None:
    found = coefficients(example(), QUICK)
    assert (found.raters, found.units, found.ratings) == (4, 11, 41)
    assert found.alpha.value == pytest.approx(0.743, abs=5e-4)
    assert found.raw.value == pytest.approx(0.8181818182)
    assert found.ac1.value == pytest.approx(0.7754440681)
    for figure in (found.alpha, found.raw, found.ac1):
        assert figure.n == 11
        assert figure.reason is None
        assert figure.value is not None
        assert figure.ci95 is not None
        assert figure.ci95[0] < figure.value < figure.ci95[1] <= 1


def test_ordinal_alpha_of_the_published_example() -> None:
    assert coefficients(example(ordinal=True), QUICK).alpha.value == pytest.approx(0.815, abs=5e-4)


def test_without_variation_alpha_is_null_with_the_reason_and_the_others_stand() -> None:
    found = coefficients(table([[1, 1, 1], [1, 1, 1], [1, 1, None]], 3, ordinal=False), QUICK)
    assert found.alpha.value is None
    assert found.alpha.ci95 is None
    assert found.alpha.reason == "all answers are the same, so nothing tells agreement from chance"
    assert found.raw == found.ac1 == Figure(value=1.0, ci95=(1.0, 1.0), n=3)


def test_where_only_one_answer_is_possible_chance_has_nothing_to_say() -> None:
    found = coefficients(table([[0, 0, 0], [0, 0, 0], [0, 0, 0]], 1, ordinal=True), QUICK)
    reason = "only one answer was possible, so nothing tells agreement from chance"
    assert found.alpha == found.ac1 == Figure(value=None, n=3, reason=reason)
    assert found.raw.value == 1


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ([[None, None]], "nobody answered it"),
        ([[1, 0]], "only one rater answered it"),
        ([[1, None], [None, 1]], "no two raters answered it about the same"),
    ],
)
def test_what_cannot_be_known_is_null_with_the_reason(said: list[list[int | None]], reason: str) -> None:
    found = coefficients(table(said, 2, ordinal=False), QUICK)
    assert found.units == 0
    assert found.alpha == found.raw == found.ac1 == Figure(value=None, reason=reason)


def test_two_raters_have_values_and_a_reason_for_no_interval() -> None:
    found = coefficients(table([[0, 1, 0, 1], [0, 1, 1, 1]], 2, ordinal=False), QUICK)
    assert found.raw == Figure(value=0.75, n=4, reason="no interval: 2 raters are too few to resample")
    assert found.alpha.value is not None


def test_an_interval_that_many_resamples_leave_undefined_is_null_and_the_value_stands() -> None:
    """Only one of ten users has two raters who differ: two thirds of the samples lack that user or one of the two."""
    said: list[list[int | None]] = [
        [0, *[1] * 9],
        [1, *[1] * 9],
        [None, *[1] * 9],
        [None, *[1] * 9],
    ]
    found = coefficients(table(said, 2, ordinal=False), ValidationSettings(resamples=1000))
    assert found.alpha.value is not None
    assert found.alpha.ci95 is None
    assert found.alpha.reason == "no interval: undefined in too many resamples"
    assert found.raw.ci95 is not None
