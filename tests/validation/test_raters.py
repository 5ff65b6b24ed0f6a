from __future__ import annotations

from dataclasses import replace

import pytest

from prbgen.annotation.rated import Care
from prbgen.validation.raters import found_raters, left_out
from tests.validation.agreement.rated import care, rated_round


def reasons(rater: Care, **bar: float) -> tuple[str, ...]:
    (found,) = found_raters([rated_round((), (), {}, [rater], **bar)])
    return found.left_out


def test_too_few_gold_items_right_leave_a_rater_out() -> None:
    found = reasons(care("ann", gold_right=2, gold_done=5), least_gold=0.7)
    assert found == ("2 of 5 gold items right, less than 0.7",)


@pytest.mark.parametrize("tenths", range(11))
def test_a_share_that_just_meets_the_bar_is_enough(tenths: int) -> None:
    for tens in (1, 3, 7, 99):
        rater = care("ann", gold_right=tenths * tens, gold_done=10 * tens)
        assert reasons(rater, least_gold=float(f"{tenths / 10:.1f}")) == ()
        if tenths:
            short = replace(rater, gold_right=rater.gold_right - 1)
            assert len(reasons(short, least_gold=float(f"{tenths / 10:.1f}"))) == 1


def test_too_little_time_leaves_a_rater_out() -> None:
    assert reasons(care("ann", median_seconds=4.25), least_seconds=10) == (
        "a median of 4.25 seconds an item, less than 10",
    )
    assert reasons(care("ann", median_seconds=10.0), least_seconds=10) == ()


def test_what_is_not_known_leaves_nobody_out() -> None:
    assert reasons(care("ann", gold_right=0, gold_done=0, median_seconds=None), least_gold=1, least_seconds=60) == ()


def test_both_reasons_are_told() -> None:
    assert len(reasons(care("ann", gold_right=0, gold_done=1, median_seconds=1.0))) == 2


def test_a_rater_is_left_out_of_the_round_in_which_they_fell_short() -> None:
    careless = care("ann", gold_right=0, gold_done=4)
    first = rated_round((), (), {}, [careless, care("bob")])
    second = replace(rated_round((), (), {}, [care("ann"), care("bob")]), round="rubric")
    found = found_raters([first, second])
    assert [(each.round, each.rater, bool(each.left_out)) for each in found] == [
        ("quality", "ann", True),
        ("quality", "bob", False),
        ("rubric", "ann", False),
        ("rubric", "bob", False),
    ]
    assert left_out(found, "quality") == {"ann"}
    assert left_out(found, "rubric") == frozenset()


def test_the_bar_is_the_one_of_the_round() -> None:
    rater = care("ann", gold_right=1, gold_done=2)
    assert reasons(rater, least_gold=0.5) == ()
    assert len(reasons(rater, least_gold=0.6)) == 1


def test_what_was_rated_twice_is_summed_over_questions() -> None:
    rated = rated_round((), (), {}, [care("ann", again={"better": (1, 2), "covers": (2, 2)}), care("bob")])
    assert [each.repeats_same for each in found_raters([rated])] == [0.75, None]
