"""When people have validated a pair, at the edges of every rule."""

from __future__ import annotations

from typing import Any

import pytest

from prbgen.annotation.rated import RatedRound
from prbgen.recipe import ValidationSettings
from prbgen.schema import Verdict
from prbgen.validation.marks import PairMarks, marks
from prbgen.validation.rules import unmet
from prbgen.validation.verdicts import counts, verdicts
from tests.validation.marked import a_pair, a_round, quality, rubric

GOOD = quality((4, 4), (4, 4), (4, 4))
FITS = rubric(5, 2)


def rounds(
    of_answers: Any = None, of_rubric: Any = None, *, senior_quality: Any = None, senior_rubric: Any = None, **more: Any
) -> list[RatedRound]:
    """Both rounds, of pair "p": three raters each who are content, unless they say otherwise."""
    first = {f"r{n}": each for n, each in enumerate([GOOD] * 3 if of_answers is None else of_answers)}
    second = {f"r{n}": each for n, each in enumerate([FITS] * 3 if of_rubric is None else of_rubric)}
    return [
        a_round("quality", {"p": first}, senior={"p": {"s": senior_quality}} if senior_quality else None, **more),
        a_round("rubric", {"p": second}, senior={"p": {"s": senior_rubric}} if senior_rubric else None, **more),
    ]


def decided(marked: list[PairMarks], given: list[RatedRound], settings: ValidationSettings) -> list[Verdict]:
    return verdicts(marked, [unmet(each, given, settings) for each in marked])


def counted(marked: list[PairMarks], given: list[RatedRound]) -> dict[str, int]:
    return counts([unmet(each, given, ValidationSettings()) for each in marked])


def verdict(given: list[RatedRound], **settings: Any) -> Verdict:
    of = ValidationSettings(**settings)
    (found,) = decided(marks([a_pair()], given, {}), given, of)
    assert found.validated == (not found.reasons)
    return found


def test_a_pair_that_meets_every_rule_is_validated() -> None:
    found = verdict(rounds())
    assert found == Verdict(
        pair_id="p",
        validated=True,
        reasons=(),
        quality_chosen=4,
        quality_rejected=4,
        adherence_chosen=5,
        adherence_rejected=2,
        votes=(3, 0, 0),
        raters_quality=3,
        raters_rubric=3,
    )


def test_too_few_raters_who_count() -> None:
    unsure = quality((None, 4), (4, None), (4, 4))
    found = verdict(rounds([GOOD, GOOD, unsure], [FITS, rubric(None, 2), rubric(5, 2, None)]))
    assert found.reasons == ("2 of 3 ratings in round quality", "1 of 3 ratings in round rubric")
    assert (found.raters_quality, found.raters_rubric) == (2, 1)


def test_how_many_are_enough_is_a_setting_whatever_the_round_asked_for() -> None:
    two = rounds([GOOD] * 2, [FITS] * 2)
    assert not verdict(two).validated
    assert verdict(two, ratings=2).validated
    assert not verdict(rounds([GOOD] * 2, [FITS] * 2, raters_per_item=2)).validated
    assert verdict(rounds(raters_per_item=4)).validated
    assert verdict(rounds(), ratings=4).reasons[0] == "3 of 4 ratings in round quality"


@pytest.mark.parametrize("side", ["chosen", "rejected"])
def test_a_quality_just_below_what_is_asked(side: str) -> None:
    def given(low: int) -> Any:
        sides = [(4, 4), (4, 4), (low, 4) if side == "chosen" else (4, low)]
        return rounds([quality(*sides)] * 3)

    assert verdict(given(3), quality=11 / 3).validated
    assert verdict(given(2), quality=3.5).reasons == (f"quality of {side} 3.33 is below 3.5",)


def test_three_and_a_half_meets_three_and_a_half() -> None:
    assert verdict(rounds([quality((4, 4), (3, 3))] * 3)).validated


def test_qualities_may_be_one_apart_and_no_more() -> None:
    # 14/3 - 11/3 is not 1 in floating point.
    assert 14 / 3 - 11 / 3 != 1
    assert verdict(rounds([quality((5, 4), (5, 4), (4, 3))] * 3)).validated
    assert verdict(rounds([quality((4, 5), (4, 5), (3, 4))] * 3)).validated
    apart = verdict(rounds([quality((5, 4), (5, 4), (5, 3))] * 3))
    assert apart.reasons == ("quality of chosen 5 and of rejected 3.67 is more than 1 apart",)


@pytest.mark.parametrize(
    ("votes", "reason"),
    [
        (["chosen", "chosen", "rejected"], None),
        (["chosen", "equal", "rejected"], "1 of 3 votes are for chosen"),
        (["chosen", "chosen", "equal", "rejected"], "2 of 4 votes are for chosen"),
        (["equal", "equal", "equal"], "0 of 3 votes are for chosen"),
    ],
)
def test_more_than_half_of_the_votes_have_to_be_for_chosen(votes: list[str], reason: str | None) -> None:
    assert verdict(rounds(of_rubric=[rubric(5, 2, vote) for vote in votes])).reasons == ((reason,) if reason else ())


def test_the_adherence_gap_may_be_one_and_no_less() -> None:
    assert verdict(rounds(of_rubric=[rubric(4, 3)] * 3)).validated
    halves = [rubric(4, 3), rubric(3, 3)]
    assert verdict(rounds(of_rubric=halves), ratings=2).reasons == ("adherence gap 0.5 is below 1",)
    assert verdict(rounds(of_rubric=[rubric(2, 4)] * 3)).reasons == ("adherence gap -2 is below 1",)


def test_a_pair_of_no_round_says_so_and_nothing_else() -> None:
    given = rounds()
    settings = ValidationSettings()
    found = decided(marks([a_pair("q"), a_pair("p")], given, {}), given, settings)
    assert [each.pair_id for each in found] == ["q", "p"]
    assert found[0].reasons == ("not in round quality", "not in round rubric")
    assert (found[0].quality_chosen, found[0].adherence_chosen, found[0].votes) == (None, None, (0, 0, 0))


def test_a_round_that_was_not_rated_validates_nothing() -> None:
    assert verdict(rounds()[:1]).reasons == ("not in round rubric",)
    assert verdict([]).reasons == ("not in round quality", "not in round rubric")


def test_an_unrated_pair_lacks_ratings_and_nothing_else() -> None:
    assert verdict(rounds([], [])).reasons == ("0 of 3 ratings in round quality", "0 of 3 ratings in round rubric")


def test_simulated_ratings_validate_nothing() -> None:
    assert verdict(rounds(simulated=True)).reasons == (
        "ratings are simulated in round quality",
        "ratings are simulated in round rubric",
    )


def test_questions_that_were_not_asked_are_named() -> None:
    given = [
        a_round("quality", {"p": {"r1": {"style": (4, 4)}}}, asks=["style"]),
        a_round("rubric", {"p": {f"r{n}": {"better": "chosen"} for n in range(3)}}, asks=["better"]),
    ]
    assert verdict(given).reasons == (
        "round quality asks none of factuality, relevance, helpfulness",
        "round rubric does not ask adherence",
    )
    given[1] = a_round("rubric", {"p": {}}, asks=["covers"])
    assert verdict(given).reasons[1:] == ("round rubric does not ask better", "round rubric does not ask adherence")


def test_a_senior_rater_is_enough_and_decides() -> None:
    divided = [rubric(5, 2), rubric(1, 4, "rejected")]
    assert not verdict(rounds(of_rubric=divided)).validated
    found = verdict(rounds(of_rubric=divided, senior_rubric=FITS))
    assert found.validated
    assert (found.votes, found.raters_rubric, found.adjudicated) == ((1, 0, 0), 1, ("rubric",))
    against = verdict(rounds(senior_quality=quality((5, 1), (5, 1), (5, 1))))
    assert against.reasons == (
        "quality of rejected 1 is below 3.5",
        "quality of chosen 5 and of rejected 1 is more than 1 apart",
    )
    assert against.adjudicated == ("quality",)


def test_a_senior_rater_does_not_make_simulated_ratings_real() -> None:
    assert not verdict(rounds(senior_quality=GOOD, senior_rubric=FITS, simulated=True)).validated


def test_pairs_are_counted_by_kind_of_reason_whatever_their_figures() -> None:
    names = ["a", "b", "c", "d"]
    answers = {name: {f"r{n}": GOOD for n in range(3)} for name in names}
    answers["b"] = {"r1": quality((4, 2), (4, 3), (4, 3))}
    answers["c"] = {f"r{n}": quality((4, 3), (4, 3), (4, 3)) for n in range(2)}
    given = [
        a_round("quality", answers),
        a_round("rubric", {name: {f"r{n}": FITS for n in range(3)} for name in names[:3]}, simulated=False),
    ]
    assert counted(marks([a_pair(name) for name in names], given, {}), given) == {
        "validated": 1,
        "quality of rejected too low": 2,
        "too few ratings in round quality": 2,
        "not in round rubric": 1,
        "quality too far apart": 1,
    }


def test_simulated_pairs_are_counted_once_though_both_rounds_are() -> None:
    given = rounds(simulated=True)
    found = counted(marks([a_pair()], given, {}), given)
    assert found == {"validated": 0, "ratings are simulated": 1}
