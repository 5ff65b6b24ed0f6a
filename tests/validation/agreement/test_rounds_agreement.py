from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prbgen.recipe import ValidationSettings
from prbgen.schema import Rating, Shown
from prbgen.validation.agreement import agreement
from prbgen.validation.pairs import RatedPair
from prbgen.validation.report import Agreement, Coefficients, Figure
from tests.validation.agreement.rated import BETTER, COVERS, MARKS, care, pair, pairs_by_id, rated_round, rating

QUICK = ValidationSettings(resamples=100)
SIDES: tuple[Shown, Shown] = ("A", "B")


def a_round(count: int = 12, seed: int = 0) -> tuple[list[Rating], dict[str, RatedPair]]:
    """Three raters on some pairs of two subsets, who agree on most."""
    rng = random.Random(seed)
    pairs = pairs_by_id(*(pair(f"p{n:02}", f"u{n // 2}", "hobbies" if n % 3 else "arts") for n in range(count)))
    ratings = []
    for pair_id in pairs:
        truth = {side: rng.randint(1, 5) for side in SIDES}
        for rater in ("ann", "bob", "cem"):
            for side in SIDES:
                mark = min(5, max(1, truth[side] + rng.choice([0, 0, 0, 1, -1])))
                ratings.append(rating(rater, pair_id, "helpfulness", mark, side))
                ticked = tuple(number for number in (1, 2, 3) if (number + truth[side]) % 2 or rng.random() < 0.1)
                ratings.append(rating(rater, pair_id, "covers", ticked, side))
            ratings.append(rating(rater, pair_id, "better", "A" if truth["A"] >= truth["B"] else "B"))
    return ratings, pairs


def of(found: tuple[Agreement, ...], question: str, subset: str = "") -> Agreement:
    return next(each for each in found if (each.question, each.subset) == (question, subset))


def values(found: Coefficients) -> tuple[float | None, ...]:
    return found.alpha.value, found.raw.value, found.ac1.value


def test_questions_in_their_order_over_all_then_in_each_subset() -> None:
    ratings, pairs = a_round()
    found = agreement(rated_round((MARKS, BETTER, COVERS), ratings, pairs), pairs, (), QUICK)
    assert [(each.question, each.subset, each.level) for each in found] == [
        (question, subset, level)
        for question, level in (("helpfulness", "ordinal"), ("better", "nominal"), ("covers", "nominal"))
        for subset in ("", "arts", "hobbies")
    ]
    assert of(found, "helpfulness").everybody.units == 24
    assert of(found, "helpfulness", "arts").everybody.units == 8
    assert of(found, "better").everybody.units == 12
    assert of(found, "covers").everybody.units == 72
    assert of(found, "better").everybody.raw.value == 1


def test_one_subset_is_not_told_twice() -> None:
    ratings, pairs = a_round(1)
    found = agreement(rated_round((MARKS,), ratings, pairs), pairs, (), QUICK)
    assert [each.subset for each in found] == [""]


def test_gold_and_repeated_items_are_not_among_the_units() -> None:
    ratings, pairs = a_round()
    more = [
        rating(rater, "p00", "helpfulness", 1, "A", kind) for rater in ("ann", "bob") for kind in ("gold", "repeat")
    ]
    plain, with_more = (
        agreement(rated_round((MARKS,), each, pairs), pairs, (), QUICK) for each in (ratings, [*ratings, *more])
    )
    assert with_more == plain


def test_every_coefficient_with_and_without_those_left_out() -> None:
    ratings, pairs = a_round()
    careless = [rating("dot", pair_id, "better", "equal") for pair_id in pairs]
    rated = rated_round((BETTER,), [*ratings, *careless], pairs)
    all_in, without = (of(agreement(rated, pairs, out, QUICK), "better") for out in ((), ("dot",)))
    assert all_in.counted == all_in.everybody
    assert without.everybody == all_in.everybody
    assert (without.everybody.raters, without.counted.raters) == (4, 3)
    assert without.everybody.raw.value == pytest.approx(0.5)
    assert without.counted.raw.value == 1


def test_a_question_that_nobody_answered_says_so() -> None:
    ratings, pairs = a_round()
    rated = rated_round((MARKS,), [each for each in ratings if each.question != "helpfulness"], pairs)
    found = of(agreement(rated, pairs, (), QUICK), "helpfulness")
    assert found.everybody.raw == Figure(value=None, reason="nobody answered it")


def test_intra_rater_agreement_with_and_without_those_left_out() -> None:
    ratings, pairs = a_round()
    raters = [
        care("ann", again={"helpfulness": (7, 8), "better": (1, 1)}),
        care("bob", again={"helpfulness": (1, 2)}),
        care("cem", again={"helpfulness": (0, 9)}),
    ]
    found = agreement(rated_round((MARKS, COVERS), ratings, pairs, raters), pairs, ("cem",), QUICK)
    everybody, counted = (getattr(of(found, "helpfulness"), name).intra_rater for name in ("everybody", "counted"))
    assert (everybody.value, everybody.n) == (pytest.approx(8 / 19), 19)
    assert (counted.value, counted.n) == (0.8, 10)
    for figure in (everybody, counted):
        assert figure.ci95[0] < figure.value < figure.ci95[1]
    in_subset = of(found, "helpfulness", "arts")
    assert in_subset.everybody.intra_rater is in_subset.counted.intra_rater is None
    assert of(found, "covers").counted.intra_rater == Figure(value=None, reason="nobody rated anything twice")


def test_raters_who_differ_in_how_steady_they_are_make_intra_rater_agreement_less_sure() -> None:
    ratings, pairs = a_round()

    def width(*same: int) -> float:
        raters = [care(f"r{n}", again={"helpfulness": (each, 20)}) for n, each in enumerate(same)]
        figure = of(agreement(rated_round((MARKS,), ratings, pairs, raters), pairs, (), QUICK), "helpfulness")
        found = figure.everybody.intra_rater
        assert found
        assert found.value == 0.5
        assert found.ci95
        return found.ci95[1] - found.ci95[0]

    assert width(20, 20, 20, 0, 0, 0) > 2 * width(11, 9, 10, 10, 9, 11)


def test_one_rater_with_themself_has_no_interval() -> None:
    ratings, pairs = a_round()
    rated = rated_round((MARKS,), ratings, pairs, [care("ann", again={"helpfulness": (7, 8)})])
    found = of(agreement(rated, pairs, (), QUICK), "helpfulness").everybody.intra_rater
    assert found == Figure(value=7 / 8, n=8, reason="fewer than two raters: nothing tells how sure it is")


def test_agreement_is_about_sides_not_about_labels() -> None:
    """Nine of ten pairs go one way: labels hardly vary, sides do."""
    rng = random.Random(4)
    pairs = pairs_by_id(*(pair(f"p{n:03}") for n in range(300)))
    ratings, labels = [], []
    for pair_id in pairs:
        chosen = rng.choice(SIDES)
        for rater in ("ann", "bob", "cem"):
            for_chosen = rng.random() < 0.97
            ratings.append(rating(rater, pair_id, "better", chosen if for_chosen else "AB"[chosen == "A"]))
            labels.append(rating(rater, pair_id, "better", "A" if for_chosen else "B"))
    shown, labelled = (
        of(agreement(rated_round((BETTER,), each, pairs), pairs, (), QUICK), "better").everybody
        for each in (ratings, labels)
    )
    assert shown.raw.value == labelled.raw.value == pytest.approx(0.94, abs=0.02)
    assert shown.alpha.value == pytest.approx(0.88, abs=0.03)
    assert labelled.alpha.value == pytest.approx(0.0, abs=0.1)


@given(st.integers(0, 1000), st.randoms(use_true_random=False))
@settings(max_examples=20, deadline=None)
def test_the_order_of_ratings_changes_nothing_at_all(seed: int, rng: random.Random) -> None:
    ratings, pairs = a_round(6, seed)
    shuffled = rng.sample(ratings, len(ratings))
    raters = [care(name) for name in ("ann", "bob", "cem")]
    one, two = (
        agreement(rated_round((MARKS, BETTER, COVERS), each, pairs, raters), pairs, (), QUICK)
        for each in (ratings, shuffled)
    )
    assert [each.model_dump_json() for each in one] == [each.model_dump_json() for each in two]


@given(st.integers(0, 1000), st.sets(st.integers(0, 7)), st.permutations(("ann", "bob", "cem")))
@settings(max_examples=20, deadline=None)
def test_sides_of_items_changed_over_and_other_names_of_raters_leave_the_values(
    seed: int, turned: set[int], names: list[str]
) -> None:
    ratings, pairs = a_round(8, seed)
    name = dict(zip(("ann", "bob", "cem"), names, strict=True))

    def other(each: Rating) -> Rating:
        update: dict[str, Any] = {"rater": name[each.rater]}
        if int(str(each.pair_id)[1:]) in turned and each.shown:
            update["shown"] = "AB"[each.shown == "A"]
        return each.model_copy(update=update)

    one, two = (
        agreement(rated_round((MARKS, COVERS), each, pairs), pairs, (), QUICK)
        for each in (ratings, [other(each) for each in ratings])
    )
    for before, after in zip(one, two, strict=True):
        assert values(after.everybody) == pytest.approx(values(before.everybody), abs=1e-8)


def test_one_rater_alone_is_null_with_the_reason() -> None:
    ratings, pairs = a_round()
    rated = rated_round((MARKS,), [each for each in ratings if each.rater == "ann"], pairs)
    for each in agreement(replace(rated, senior=tuple(ratings)), pairs, (), QUICK):
        assert each.everybody.alpha == Figure(value=None, reason="only one rater answered it")
