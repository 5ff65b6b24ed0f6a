import json
from collections.abc import Collection, Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.annotation.campaign import Campaign
from prbgen.annotation.items import Bound, Item
from prbgen.annotation.ratings.progress import Coverage, Progress, progress
from prbgen.annotation.ratings.work import Work
from prbgen.annotation.response import Response
from prbgen.schema import ItemKind
from tests.annotation.forms import campaign_of, form_of, item_of, response_of

START = datetime(2026, 1, 1, 10, tzinfo=UTC)
NOW = START + timedelta(hours=2)


def at(seconds: float) -> str:
    return (START + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def shown(
    items: list[Item],
    responses: list[Response],
    campaign: Campaign | None = None,
    now: datetime = NOW,
    assigned: Mapping[str, Collection[str]] | None = None,
) -> Progress:
    campaign = campaign or campaign_of(raters_per_item=2)
    return progress(campaign, form_of(campaign.round), items, responses, now, assigned)


def work(of: Progress, rater: str = "r1") -> Work:
    return next(each.total for each in of.raters if each.rater == rater)


def items_of(count: int) -> list[Item]:
    return [item_of(f"i{number}") for number in range(count)]


def test_an_item_with_enough_ratings_is_not_pending_for_the_others() -> None:
    responses = [
        response_of("i0", "r1"),
        response_of("i0", "r2"),
        response_of("i1", "r1"),
        response_of("i2", "r1", status="draft"),
        response_of("i3", "r1", status="discarded"),
    ]
    found = shown(items_of(5), responses)
    first = work(found)
    assert (first.done, first.drafts, first.discarded, first.pending) == (2, 1, 1, 1)
    assert work(found, "r3").pending == 4
    assert (found.total.items, found.total.complete, found.total.wanted, found.total.there) == (5, 1, 10, 3)


def test_more_ratings_than_wanted_do_not_make_up_for_missing_ones() -> None:
    found = shown(items_of(2), [response_of("i0", rater) for rater in ("r1", "r2", "r3")])
    assert (found.total.wanted, found.total.there, found.total.complete) == (4, 2, 1)


def test_gaps_longer_than_ten_minutes_are_breaks() -> None:
    times = (0, 60, 150, 210, 811, 901)
    found = work(shown(items_of(6), [response_of(f"i{n}", at=at(time)) for n, time in enumerate(times)]))
    assert found.median_seconds == 75
    assert found.pace == 4 * 3600 / 300
    assert found.last_seen == at(901)


def test_few_submissions_and_untimed_ones_tell_no_pace() -> None:
    few = work(shown(items_of(3), [response_of(f"i{n}", at=at(60 * n)) for n in range(3)]))
    untimed = work(shown(items_of(9), [response_of(f"i{n}", at=None) for n in range(9)]))
    at_once = work(shown(items_of(9), [response_of(f"i{n}", at=at(0)) for n in range(9)]))
    assert [each.pace for each in (few, untimed, at_once)] == [None] * 3
    assert [each.median_seconds for each in (few, untimed, at_once)] == [None, None, 0]
    assert untimed.last_seen is None


def test_time_left_counts_on_those_who_were_active_within_a_day() -> None:
    responses = [response_of(f"i{n}", rater, at=at(60 * n)) for n in range(4) for rater in ("r1", "r2")]
    found = shown(items_of(10), responses)
    assert found.total.hours_left == 12 / 120
    assert work(found).hours_left == 6 / 60
    assert shown(items_of(10), responses, now=NOW + timedelta(days=1)).total.hours_left is None
    assert shown(items_of(4), responses, now=NOW + timedelta(days=9)).total.hours_left == 0


def test_time_left_is_unknown_while_only_somebody_without_a_pace_can_fill_what_is_missing() -> None:
    def left(*more: Response, per_item: int = 3, assigned: Mapping[str, Collection[str]] | None = None) -> float | None:
        paced = [response_of(f"i{n}", rater, at=at(60 * n)) for n in range(4) for rater in ("r1", "r2")]
        campaign = campaign_of(raters_per_item=per_item)
        return shown(items_of(6), [*paced, *more], campaign, assigned=assigned).total.hours_left

    third = [response_of(f"i{n}", "r3", at=at(60 * n)) for n in range(4)]
    assert left() is None
    assert left(per_item=2) == 4 / 120
    assert left(*third[:2], per_item=2) == 4 / 120
    assert left(*third[:2]) is None
    assert left(*third) == 6 / 180
    assert left(response_of("i4", "r1", status="discarded"), per_item=2) is None
    sheets = {f"i{n}": ("r1", "r2") for n in range(6)}
    assert left(assigned=sheets) == 4 / 120
    assert left(assigned=sheets | {"i5": ("r1", "r3")}) is None


def test_a_subset_that_waits_for_nobody_without_a_pace_has_a_time_of_its_own() -> None:
    items = [*items_of(5), item_of("slow", subset="other")]
    assigned = {**{item.id: ("r1",) for item in items}, "slow": ("r2",)}
    found = shown(items, [response_of(f"i{n}", at=at(60 * n)) for n in range(4)], assigned=assigned)
    assert [each.hours_left for each in (found.total, *found.subsets.values())] == [None, 1 / 60, None]


def test_a_closed_round_has_no_time_left() -> None:
    responses = [response_of(f"i{n}", rater, at=at(60 * n)) for n in range(4) for rater in ("r1", "r2")]
    closed = campaign_of(raters_per_item=2, closed_at="2026-01-01T11:00:00Z")
    for count in (4, 10):
        found = shown(items_of(count), responses, closed)
        lefts: list[Coverage | Work] = [found.total, *found.subsets.values(), *(each.total for each in found.raters)]
        assert {each.hours_left for each in lefts} == {None}


def test_each_subset_has_its_own_figures() -> None:
    items = [item_of("i0", subset="one"), item_of("i1", subset="two"), item_of("i2", subset="two")]
    found = shown(items, [response_of("i1")])
    assert {name: each.items for name, each in found.subsets.items()} == {"one": 1, "two": 2}
    first = found.raters[0].subsets
    assert [(first[name].done, first[name].pending) for name in ("one", "two")] == [(0, 1), (1, 1)]


GOLD = item_of("g", kind="gold", gold=(Bound(name="relevance_a", most=2), Bound(name="relevance_b", least=1, most=2)))


@pytest.mark.parametrize(
    ("values", "right"),
    [
        ({"relevance_a": 1, "relevance_b": 2}, 1),
        ({"relevance_a": 3, "relevance_b": 2}, 0),
        ({"relevance_a": 0, "relevance_b": 2}, 0),
        ({"relevance_a": 1}, 0),
        ({"relevance_a": True, "relevance_b": 2}, 0),
    ],
)
def test_a_gold_item_is_right_if_all_that_is_known_of_it_holds(values: dict[str, Any], right: int) -> None:
    found = shown([GOLD], [response_of("g", **values)])
    assert (work(found).gold_right, work(found).gold_done, work(found).gold_to_come) == (right, 1, 0)
    assert work(found, "r2").gold_to_come == 1


@pytest.mark.parametrize(
    ("better", "covered", "right"), [("B", ["1", "2"], 1), ("A", ["1", "2"], 0), ("B", ["none"], 0)]
)
def test_gold_choices_and_aspects_are_told_by_value_and_number(better: str, covered: list[str], right: int) -> None:
    item = item_of(
        "g", kind="gold", gold=(Bound(name="better", values=("B", "equal")), Bound(name="covers_b", least=2))
    )
    found = shown([item], [response_of("g", better=better, covers_b=covered)], campaign_of("rubric"))
    assert work(found).gold_right == right


SHEETS = {"i0": ("r1", "r2"), "i1": ("r1",), "g": ("r1", "r2", "r3")}


def test_on_sheets_an_item_wants_a_rating_from_each_who_has_it() -> None:
    campaign = campaign_of(way="sheets", raters_per_item=3)
    found = shown([*items_of(3), GOLD], [], campaign, assigned=SHEETS)
    assert (found.total.items, found.total.complete, found.total.wanted, found.total.there) == (4, 1, 6, 0)
    assert [(each.total.pending, each.total.gold_to_come) for each in found.raters] == [(3, 1), (2, 1), (1, 1)]


def test_on_sheets_only_those_who_have_an_item_fill_it() -> None:
    responses = [response_of("i0", "r3"), response_of("i0", "r2", status="draft"), response_of("g", "r1")]
    found = shown([*items_of(2), GOLD], responses, campaign_of(way="sheets"), assigned=SHEETS)
    assert (found.total.complete, found.total.wanted, found.total.there) == (0, 6, 1)
    assert [each.total.pending for each in found.raters] == [2, 1, 1]
    assert work(found, "r3").done == 1


@pytest.mark.parametrize("assigned", [None, {"i0": ("r1",), "old": ("r1", "r2"), "old gold": ("r1",)}])
def test_nobody_is_asked_for_a_withdrawn_item_but_what_was_done_stays(
    assigned: Mapping[str, Collection[str]] | None,
) -> None:
    kinds: dict[str, ItemKind] = {"old": "pair", "old gold": "gold"}
    old, gold = (
        item_of(name, kind=kind, subset="gone").model_copy(update={"withdrawn": True}) for name, kind in kinds.items()
    )
    responses = [response_of("old gold"), response_of("old", "r2")]
    found = shown([*items_of(1), old, gold], responses, campaign_of(raters_per_item=1), assigned=assigned)
    assert (found.total.items, found.total.wanted, found.total.there, found.total.complete) == (1, 1, 0, 0)
    assert (found.subsets["gone"].items, found.subsets["gone"].wanted) == (0, 0)
    first, second, _ = (each.total for each in found.raters)
    assert (first.done, first.pending, first.gold_done, first.gold_to_come) == (1, 1, 1, 0)
    assert second.done == 1


def test_repeats_of_a_withdrawn_item_still_count_as_done() -> None:
    first = item_of("i").model_copy(update={"withdrawn": True})
    again = item_of("again", kind="repeat", chosen="B", repeats="i").model_copy(update={"withdrawn": True})
    found = shown([first, again], [response_of("i", relevance_a=3), response_of("again", relevance_b=3)])
    assert (work(found).repeats_equal, work(found).repeats_answers) == (1, 1)


def test_repeats_agree_when_the_sides_are_changed_back() -> None:
    items = [item_of("i", chosen="A"), item_of("again", kind="repeat", chosen="B", repeats="i")]
    responses = [
        response_of("i", covers_a=["1", "2"], covers_b=["none"], adherence_a=5, adherence_b=2, better="A", comment="x"),
        response_of("again", covers_a=["none"], covers_b=["2", "1"], adherence_a=3, adherence_b=5, better="B"),
        response_of("again", "r2", adherence_a=3),
    ]
    found = shown(items, responses, campaign_of("rubric"))
    assert (work(found).repeats_equal, work(found).repeats_answers) == (0.8, 5)
    assert (work(found, "r2").repeats_equal, work(found, "r2").repeats_answers) == (None, 0)


def test_an_outsider_is_shown_but_does_not_count() -> None:
    found = shown(items_of(1), [response_of("i0", "guest"), response_of("elsewhere", "r1")])
    assert [(each.rater, each.known) for each in found.raters][-1] == ("guest", False)
    assert (work(found, "guest").done, work(found, "guest").pending, found.total.there) == (1, 0, 0)
    assert work(found).done == 0


RESPONSES = st.lists(
    st.builds(
        lambda item, rater, status, time, marks: response_of(item, rater, status, time and at(time), **marks),
        st.sampled_from(["i0", "i1", "i2", "g", "again"]),
        st.sampled_from(["r1", "r2", "r3", "guest"]),
        st.sampled_from(["submitted", "draft", "discarded"]),
        st.none() | st.integers(1, 7200),
        st.dictionaries(st.sampled_from(["relevance_a", "relevance_b"]), st.integers(-1, 6)),
    ),
    max_size=20,
    unique_by=lambda each: (each.item, each.rater),
)


ASSIGNED = st.dictionaries(
    st.sampled_from(["i0", "i1", "i2", "g", "again"]), st.sets(st.sampled_from(["r1", "r2", "r3"]))
)


@given(RESPONSES, st.none() | ASSIGNED, st.sets(st.sampled_from(["i0", "g", "again"])))
def test_figures_add_up_and_are_numbers_or_unknown(
    responses: list[Response], assigned: Mapping[str, Collection[str]] | None, withdrawn: set[str]
) -> None:
    items = [*items_of(3), GOLD, item_of("again", kind="repeat", chosen="B", repeats="i0")]
    items = [item.model_copy(update={"withdrawn": item.id in withdrawn}) for item in items]
    found = shown(items, responses, assigned=assigned)
    assert found.total.items == len(items) - len(withdrawn)
    assert 0 <= found.total.there <= found.total.wanted
    if assigned is not None:
        drafts = {(each.item, each.rater) for each in responses if each.status != "submitted"}
        untouched = sum(each.total.pending for each in found.raters)
        begun = sum((item, rater) in drafts for item, of in assigned.items() for rater in of if item not in withdrawn)
        assert found.total.wanted - found.total.there == untouched + begun
    json.dumps(asdict(found), allow_nan=False)
    for rater in found.raters:
        parts = rater.subsets.values()
        for name in ("done", "drafts", "discarded", "pending", "gold_right", "gold_done", "gold_to_come"):
            assert getattr(rater.total, name) == sum(getattr(part, name) for part in parts)
        touched = rater.total.done + rater.total.drafts + rater.total.discarded
        assert touched == sum(each.rater == rater.rater for each in responses)
        assert touched + rater.total.pending <= len(items)
    assert found == shown(items, responses[::-1], assigned=assigned)
