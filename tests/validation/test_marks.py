"""What a pair gets from its ratings, by the written rules."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.schema import Rating
from prbgen.validation.given import why_missing
from prbgen.validation.marks import PairMarks, marks
from tests.validation.marked import a_pair, a_round, quality, ratings, rubric

SAME = quality((4, 4), (4, 4), (4, 4))


def of_quality(by_rater: dict[str, Any], **more: Any) -> Any:
    (found,) = marks([a_pair()], [a_round("quality", {"p": by_rater}, **more)], {})
    return found.quality


def of_rubric(by_rater: dict[str, Any], aspects: int = 2, **more: Any) -> Any:
    (found,) = marks([a_pair(aspects=aspects)], [a_round("rubric", {"p": by_rater}, **more)], {})
    return found.rubric


def test_quality_is_the_median_over_raters_of_their_means_over_questions() -> None:
    found = of_quality(
        {
            "r1": quality((5, 4), (5, 4), (5, 4)),
            "r2": quality((1, 2), (1, 2), (1, 5)),
            "r3": quality((4, 3), (4, 3), (3, 2)),
        }
    )
    assert found.raters == 3
    assert found.marks == (pytest.approx(11 / 3), 3)
    assert found.questions == {"factuality": (4, 3), "relevance": (4, 3), "helpfulness": (3, 4)}


@pytest.mark.parametrize("side", [(None, 5), (5, None), (5, "missing"), ("missing", 5)])
def test_a_question_counts_only_if_marked_for_both_answers(side: Any) -> None:
    found = of_quality({"r1": quality(side, (4, 3), (2, 3))})
    assert found.raters == 1
    assert found.marks == (3, 3)
    assert "factuality" not in found.questions


def test_a_rater_needs_two_of_the_three_questions() -> None:
    found = of_quality({"r1": quality((None, 5), (5, None), (5, 5)), "r2": quality((4, 2), (2, 2), (None, None))})
    assert found.raters == 1
    assert found.marks == (3, 2)
    assert "helpfulness" not in found.questions


@pytest.mark.parametrize(
    ("asks", "raters"), [(("relevance",), 2), (("relevance", "helpfulness"), 1), (("relevance", "style"), 2), ((), 0)]
)
def test_a_round_that_asks_fewer_needs_all_of_them(asks: tuple[str, ...], raters: int) -> None:
    said = {
        "r1": {name: (4, 4) for name in asks if name != "helpfulness"},
        "r2": dict.fromkeys(asks, (5, 3)),
    }
    found = of_quality(said, asks=asks)
    assert found.raters == raters
    assert (found.marks is None) == (raters == 0)


def test_the_median_of_two_raters_lies_between_them() -> None:
    found = of_quality({"r1": quality((5, 4), (5, 4), (5, 4)), "r2": quality((4, 1), (4, 1), (4, 1))})
    assert found.marks == (4.5, 2.5)


def test_gold_items_repeats_and_raters_left_out_are_aside() -> None:
    low = quality((1, 1), (1, 1), (1, 1))
    more = [
        *ratings("quality", {"p": {"r1": low}}, kind="gold"),
        *ratings("quality", {"p": {"r1": low}}, kind="repeat"),
    ]
    round_ = a_round("quality", {"p": {"r1": SAME, "r2": low}}, more=more)
    (found,) = marks([a_pair()], [round_], {"quality": {"r2"}, "rubric": {"r1"}})
    assert found.quality
    assert (found.quality.raters, found.quality.marks) == (1, (4, 4))


def test_which_side_an_answer_stood_on_does_not_matter() -> None:
    said = {"p": {"r1": quality((5, 1), (5, 2), (5, 3)), "r2": quality((4, 1), (4, 1), (4, 1))}}
    turned = a_round("quality", {}, pairs=["p"], more=ratings("quality", said, a_is="rejected"))
    assert marks([a_pair()], [turned], {}) == marks([a_pair()], [a_round("quality", said)], {})


def test_a_pair_that_a_round_does_not_show_has_nothing_there() -> None:
    rounds = [a_round("quality", {"p": {"r1": SAME}})]
    first, second = marks([a_pair(), a_pair("q")], rounds, {})
    assert (first.rated, first.rubric) == (True, None)
    assert (second.rated, second.quality) == (False, None)


def test_a_pair_that_is_shown_but_not_rated_has_no_raters() -> None:
    rounds = [a_round("quality", {"p": {}}), a_round("rubric", {"p": {}})]
    (found,) = marks([a_pair()], rounds, {})
    assert found.quality
    assert found.rubric
    assert (found.quality.raters, found.quality.marks) == (0, None)
    assert (found.rubric.raters, found.rubric.adherence, found.rubric.for_chosen) == (0, None, None)
    assert not found.rated


def test_adherence_votes_and_coverage_of_the_rubric_round() -> None:
    found = of_rubric(
        {
            "r1": rubric(5, 1, "chosen", ((1, 2), ())),
            "r2": rubric(4, 2, "equal", ((1,), (2,))),
            "r3": rubric(2, 3, "rejected", ((1,), (2,))),
        }
    )
    assert found.raters == 3
    assert found.adherence == (4, 2)
    assert found.votes == (1, 1, 1)
    assert found.coverage == (pytest.approx(4 / 6), pytest.approx(2 / 6))
    assert found.ticked == ((True, False), (False, True))


def test_an_aspect_that_half_of_the_raters_tick_is_a_tie() -> None:
    found = of_rubric({"r1": rubric(5, 1, covers=((1, 2), ())), "r2": rubric(5, 1, covers=((1,), ()))})
    assert found.ticked == ((True, None), (False, False))


@pytest.mark.parametrize(
    ("votes", "most"),
    [
        (("chosen", "chosen", "rejected"), True),
        (("chosen", "rejected"), False),
        (("chosen", "equal"), False),
        (("chosen", "chosen", "equal", "rejected"), False),
        (("equal",), False),
        (("chosen",), True),
    ],
)
def test_most_say_chosen_if_more_than_half_of_all_votes_do(votes: tuple[str, ...], most: bool) -> None:
    assert of_rubric({f"r{n}": rubric(4, 2, vote) for n, vote in enumerate(votes)}).for_chosen is most


def test_who_gives_only_a_part_counts_for_that_part_alone() -> None:
    found = of_rubric({"r1": rubric(4, None, "rejected"), "r2": rubric(5, 3, None), "r3": rubric(3, 1, covers=None)})
    assert found.raters == 1
    assert found.adherence == (4, 2)
    assert found.votes == (1, 1, 0)
    assert found.coverage == (1, 0)


def test_a_rubric_without_aspects_has_no_coverage() -> None:
    found = of_rubric({"r1": rubric(4, 2, covers=((), ()))}, aspects=0)
    assert (found.coverage, found.ticked) == (None, None)


def test_ticking_none_covers_nothing() -> None:
    assert of_rubric({"r1": rubric(4, 2, covers=((), ()))}).coverage == (0, 0)


def test_senior_raters_decide_and_leave_what_raters_said_as_it_is() -> None:
    low = quality((2, 2), (2, 2), (2, 2))
    rounds = [
        a_round("quality", {"p": {"r1": low}}, senior={"p": {"s1": SAME, "s2": quality((5, 4), (5, 4), (5, 4))}}),
        a_round("rubric", {"p": {"r1": rubric(2, 2, "equal")}}, senior={"p": {"s1": rubric(5, 1)}}),
    ]
    (found,) = marks([a_pair()], rounds, {})
    assert found.quality
    assert found.quality.marks == (2, 2)
    assert found.decided_quality
    assert (found.decided_quality.raters, found.decided_quality.marks) == (2, (4.5, 4))
    assert found.rubric
    assert found.rubric.votes == (0, 0, 1)
    assert found.decided_rubric
    assert found.decided_rubric.votes == (1, 0, 0)
    assert found.adjudicated == ("quality", "rubric")


def test_a_senior_rater_who_cannot_tell_decides_nothing() -> None:
    unsure = quality((None, None), (None, 4), (4, 4))
    rounds = [
        a_round("quality", {"p": {"r1": SAME}}, senior={"p": {"s1": unsure}}),
        a_round("rubric", {"p": {"r1": rubric(4, 2)}}, senior={"p": {"s1": rubric(None, 2)}}),
    ]
    (found,) = marks([a_pair()], rounds, {})
    assert found.adjudicated == ()
    assert found.decided_quality == found.quality
    assert found.decided_rubric == found.rubric


def test_what_is_missing_has_its_reason() -> None:
    rounds = [a_round("quality", {"p": {}}, asks=("relevance",))]
    assert why_missing(rounds, "rubric", "covers") == "round rubric was not rated"
    assert why_missing(rounds, "quality", "factuality") == "round quality does not ask factuality"
    assert why_missing(rounds, "quality", "relevance") == "no rating of these pairs counts in round quality"


MARK = st.one_of(st.none(), st.integers(1, 5))
SIDES = st.tuples(MARK, MARK)
TICKS = st.frozensets(st.integers(1, 3)).map(lambda each: tuple(sorted(each)))
QUALITY_SAID = st.builds(quality, SIDES, SIDES, SIDES)
RUBRIC_SAID = st.builds(
    rubric, MARK, MARK, st.sampled_from(["chosen", "rejected", "equal", None]), st.tuples(TICKS, TICKS)
)
NAMES = ["r1", "r2", "r3", "r4", "r5"]


def by_rater(said: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(st.sampled_from(["p", "q"]), st.dictionaries(st.sampled_from(NAMES), said))


@given(by_rater(QUALITY_SAID), by_rater(RUBRIC_SAID), st.permutations(NAMES), st.randoms(use_true_random=False))
def test_neither_names_of_raters_nor_the_order_of_ratings_matter(
    of_answers: Any, of_rubrics: Any, names: list[str], random: Any
) -> None:
    new = dict(zip(NAMES, names, strict=True))

    def shuffled(given: list[Rating]) -> list[Rating]:
        renamed = [each.model_copy(update={"rater": new[each.rater]}) for each in given]
        random.shuffle(renamed)
        return renamed

    def found(change: Any) -> list[PairMarks]:
        rounds = [
            a_round(name, {}, pairs=["p", "q"], more=change(ratings(name, said)))  # type: ignore[arg-type]
            for name, said in (("quality", of_answers), ("rubric", of_rubrics))
        ]
        return marks([a_pair(aspects=3), a_pair("q", aspects=3)], rounds, {})

    assert found(shuffled) == found(list)
