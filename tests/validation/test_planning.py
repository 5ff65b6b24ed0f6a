from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prbgen.errors import InputError
from prbgen.recipe import AnnotationSettings
from prbgen.validation.planning import Wanted, plan
from prbgen.validation.power import pairs_for_power

SETTINGS = AnnotationSettings()


def test_the_study_in_mind() -> None:
    found = plan(Wanted(half_width=0.08), SETTINGS)
    assert 173 <= found.pairs_for_power <= 175
    assert found.pairs_for_accuracy == found.pairs_for_agreement == 151  # 1.96^2 / 4 / .08^2 = 150.06
    assert found.pairs == found.users == found.pairs_for_power


def test_the_most_of_what_each_aim_needs() -> None:
    found = plan(Wanted(half_width=0.05, accuracy=0.8, agreement=0.9), SETTINGS)
    assert found.pairs_for_accuracy == 246  # 1.96^2 * .8 * .2 / .05^2 = 245.9
    assert found.pairs_for_agreement == 139  # 138.3
    assert found.pairs == 246


def test_ratings_count_gold_and_repeated_items_and_every_round() -> None:
    lean = plan(Wanted(half_width=0.0980, power=0.01, raters=4), AnnotationSettings(gold=0.07, repeats=0))
    assert lean.pairs == 100
    assert lean.items == 107  # .07 of 100 is 7
    assert lean.ratings == 107 * 3 * 2
    assert lean.hours == pytest.approx(107 * 6 * 120 / 3600 / 4)


def test_as_many_raters_as_the_hours_of_each_allow() -> None:
    found = plan(Wanted(hours=10), SETTINGS)
    work = found.ratings * 120 / 3600
    assert found.raters == math.ceil(work / 10)
    assert found.hours <= 10
    assert plan(Wanted(hours=1e6), SETTINGS).raters == SETTINGS.raters_per_item


def test_several_pairs_a_user_need_more_of_them() -> None:
    alone, alike = (plan(Wanted(pairs_per_user=m, icc=0.25), SETTINGS) for m in (1, 3))
    assert alike.design_effect == 1.5
    assert alike.pairs_for_power == math.ceil(1.5 * alone.pairs_for_power)
    assert alike.users == math.ceil(alike.pairs / 3)


@given(
    sd=st.floats(0.2, 3),
    margin=st.floats(0.1, 1),
    power=st.floats(0.05, 0.99),
    half_width=st.floats(0.01, 0.3),
    raters=st.integers(3, 50),
)
@settings(max_examples=25, deadline=None)
def test_what_is_planned_is_enough_and_not_more(
    sd: float, margin: float, power: float, half_width: float, raters: int
) -> None:
    found = plan(Wanted(sd=sd, margin=margin, power=power, half_width=half_width, raters=raters), SETTINGS)
    assert found.pairs_for_power == pairs_for_power(power, sd, margin)
    widths = [
        1.959964 * math.sqrt(0.25 / pairs)
        for pairs in (found.pairs_for_accuracy, found.pairs_for_accuracy - 1)
        if pairs
    ]
    assert widths[0] <= half_width * (1 + 1e-6)
    assert all(width > half_width * (1 - 1e-6) for width in widths[1:])
    assert found.ratings == found.items * 6
    assert found.hours * raters == pytest.approx(found.ratings / 30)


def test_fewer_raters_than_an_item_needs_are_refused() -> None:
    with pytest.raises(InputError, match="2 raters, but each item is to be rated by 3"):
        plan(Wanted(raters=2), SETTINGS)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sd", 0.0),
        ("sd", math.inf),
        ("margin", -0.1),
        ("margin", math.nan),
        ("power", 1.0),
        ("half_width", 0.0),
        ("accuracy", 1.0),
        ("agreement", 0.0),
        ("pairs_per_user", 0.5),
        ("icc", 1.1),
        ("raters", 0),
        ("hours", 0.0),
        ("seconds", math.nan),
        ("rounds", 0),
    ],
)
def test_what_cannot_be_wanted_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(InputError, match=f"^{name} = "):
        Wanted(**{name: value})
