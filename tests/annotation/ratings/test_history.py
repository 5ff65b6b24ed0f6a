from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from prbgen.annotation.campaign import Place
from prbgen.annotation.ratings.files import write
from prbgen.annotation.ratings.history import Merged, Scope, merged, merged_unsubmitted
from prbgen.annotation.ratings.rating import ratings_of
from prbgen.annotation.ratings.unsubmitted import Unsubmitted, unsubmitted_of
from prbgen.run import read_records
from prbgen.schema import Rating
from tests.annotation.forms import campaign_of, form_of, item_of, response_of

ITEMS = [item_of("i2"), item_of("i1")]
FORM = form_of()


def at(minute: int) -> str:
    return f"2026-01-01T10:{minute:02}:00.000000Z"


def ratings(*given_: tuple[str, str, int, int]) -> list[Rating]:
    """By (item, rater, factuality of A, minute)."""
    responses = [response_of(item, rater, at=at(minute), factuality_a=mark) for item, rater, mark, minute in given_]
    return ratings_of(campaign_of(), FORM, ITEMS, responses)


def merge(earlier: list[Rating] | Merged, now: list[Rating]) -> Merged:
    return merged(earlier.ratings if isinstance(earlier, Merged) else earlier, now, FORM, ITEMS)


def counts(of: Merged) -> tuple[int, int, int, int]:
    return of.new, of.replaced, of.withdrawn, of.unchanged


def told(of: Merged) -> list[tuple[object, str | None]]:
    return [(each.value, each.gone) for each in of.ratings]


FIRST = ratings(("i1", "r1", 4, 1), ("i2", "r1", 2, 2))


def test_a_first_pull_is_all_new() -> None:
    assert counts(merge([], FIRST)) == (2, 0, 0, 0)


def test_the_same_pull_again_changes_nothing() -> None:
    once = merge([], FIRST)
    again = merge(once, FIRST)
    assert again.ratings == once.ratings
    assert counts(again) == (0, 0, 0, 2)


def test_a_changed_value_stands_beside_the_one_it_replaced() -> None:
    found = merge(FIRST, ratings(("i1", "r1", 5, 9), ("i2", "r1", 2, 2)))
    assert told(found) == [(2, None), (4, "replaced"), (5, None)]
    assert counts(found) == (0, 1, 0, 1)


def test_a_withdrawn_rating_stays_and_comes_back_as_one() -> None:
    without = merge(FIRST, FIRST[:1])
    assert told(without) == [(2, None), (4, "withdrawn")]
    assert counts(without) == (0, 0, 1, 1)
    back = merge(without, FIRST)
    assert told(back) == [(2, None), (4, None)]
    assert counts(back) == (1, 0, 0, 1)


def test_a_rating_given_anew_stands_beside_the_withdrawn_one() -> None:
    found = merge(merge(FIRST, FIRST[:1]), ratings(("i1", "r1", 4, 30), ("i2", "r1", 2, 2)))
    assert told(found) == [(2, None), (4, "withdrawn"), (4, None)]


def test_nothing_is_lost_to_a_server_that_was_reset() -> None:
    found = merge(FIRST, [])
    assert told(found) == [(2, "withdrawn"), (4, "withdrawn")]
    assert counts(found) == (0, 0, 2, 0)
    assert counts(merge(found, [])) == (0, 0, 0, 0)


def test_a_flag_that_is_known_only_now_is_taken_over() -> None:
    known = [FIRST[0].model_copy(update={"flag": "not by a rater of this round"}), FIRST[1]]
    assert merge(known, FIRST).ratings == tuple(FIRST)


PULLS = st.lists(
    st.lists(
        st.tuples(
            st.sampled_from(["i1", "i2", "i9"]), st.sampled_from(["r1", "r2"]), st.integers(0, 5), st.integers(0, 3)
        ),
        max_size=5,
        unique_by=lambda each: each[:2],
    ).map(lambda given_: ratings(*given_)),
    max_size=5,
)  # fmt: skip


@given(PULLS, st.randoms())
def test_every_rating_of_every_pull_is_kept_once_in_one_order(pulls: list[list[Rating]], random: object) -> None:
    history = merge([], [])
    for pull in pulls:
        earlier, now = list(history.ratings), list(pull)
        before = history
        history = merge(before, pull)
        random.shuffle(earlier)  # type: ignore[attr-defined]
        random.shuffle(now)  # type: ignore[attr-defined]
        assert merge(earlier, now) == history
        assert merge(history, pull).ratings == history.ratings
        held = sum(each.gone is None for each in before.ratings)
        assert history.unchanged + history.replaced + history.withdrawn == held
        assert history.unchanged + history.replaced + history.new == len(pull)
    every = {each for pull in pulls for each in pull}
    assert {each.model_copy(update={"gone": None}) for each in history.ratings} == every
    assert len(history.ratings) == len(every)
    assert [each for each in history.ratings if each.gone is None] == (pulls[-1] if pulls else [])


def test_the_files_hold_what_was_written_and_are_the_same_bytes_again(tmp_path: Path) -> None:
    place = Place(tmp_path / "annotation" / "quality")
    responses = [
        response_of("i1", status="discarded"),
        response_of("i2", status="draft", factuality_a=True, x="\ud800"),
    ]
    drafts = unsubmitted_of(campaign_of(), ITEMS, responses)
    write(place, FIRST, drafts)
    before = place.ratings.read_bytes(), place.unsubmitted.read_bytes()
    assert list(read_records(place.ratings, Rating)) == FIRST
    assert list(read_records(place.unsubmitted, Unsubmitted)) == drafts
    write(place, merge(FIRST, FIRST).ratings, unsubmitted_of(campaign_of(), ITEMS, responses[::-1]))
    assert (place.ratings.read_bytes(), place.unsubmitted.read_bytes()) == before


def test_drafts_and_discards_are_kept_apart_with_what_was_answered() -> None:
    responses = [
        response_of("i1", status="draft", factuality_a=3),
        response_of("elsewhere", status="discarded"),
        response_of("i2", factuality_a=3),
    ]
    draft, other = unsubmitted_of(campaign_of(senior=True), ITEMS, responses)
    assert (draft.pair_id, draft.kind, draft.status, draft.values) == ("pair-i1", "pair", "draft", {"factuality_a": 3})
    assert draft.senior
    assert (other.item, other.pair_id, other.kind) == ("elsewhere", None, None)


def test_a_missing_sheet_withdraws_nothing_but_an_emptied_row_does() -> None:
    earlier = ratings(("i1", "r1", 4, 1), ("i2", "r1", 2, 2), ("i1", "r2", 5, 3))
    found = merged(earlier, [], FORM, ITEMS, {("r1", "i1")})
    assert told(found) == [(2, None), (4, "withdrawn"), (5, None)]
    assert counts(found) == (0, 0, 1, 2)
    assert counts(merged(earlier, [], FORM, ITEMS, set())) == (0, 0, 0, 3)


PLACES = [(rater, item) for rater in ("r1", "r2") for item in ("i1", "i2", "i9")]
SCOPES = st.none() | st.sets(st.sampled_from(PLACES))


@given(st.lists(st.tuples(PULLS.map(lambda pulls: pulls[:1]), SCOPES), max_size=5))
def test_nothing_outside_the_scope_is_ever_touched(pulls: list[tuple[list[list[Rating]], Scope]]) -> None:
    history = merge([], [])
    for pull, scope in pulls:
        inside = PLACES if scope is None else scope
        now = [each for some in pull for each in some if (each.rater, each.item) in inside]
        before = history
        history = merged(before.ratings, now, FORM, ITEMS, scope)
        assert merged(history.ratings, now, FORM, ITEMS, scope).ratings == history.ratings
        outside = [each for each in before.ratings if (each.rater, each.item) not in inside]
        assert [each for each in history.ratings if (each.rater, each.item) not in inside] == outside
        within = merged([each for each in before.ratings if each not in outside], now, FORM, ITEMS)
        assert sorted(map(repr, (*within.ratings, *outside))) == sorted(map(repr, history.ratings))
        held = sum(each.gone is None for each in before.ratings)
        assert history.unchanged + history.replaced + history.withdrawn == held


DRAFTS = st.dictionaries(st.sampled_from(PLACES), st.integers(0, 5)).map(
    lambda marks: unsubmitted_of(
        campaign_of(),
        ITEMS,
        [response_of(item, rater, "draft", factuality_a=mark) for (rater, item), mark in marks.items()],
    )
)


@given(DRAFTS, DRAFTS, SCOPES)
def test_drafts_outside_the_scope_stay_and_those_within_are_renewed(
    earlier: list[Unsubmitted], now: list[Unsubmitted], scope: Scope
) -> None:
    inside = PLACES if scope is None else scope
    now = [each for each in now if (each.rater, each.item) in inside]
    found = merged_unsubmitted(earlier, now, ITEMS, scope)
    assert [each for each in found if (each.rater, each.item) in inside] == now
    outside = [each for each in earlier if (each.rater, each.item) not in inside]
    assert [each for each in found if (each.rater, each.item) not in inside] == outside
    assert merged_unsubmitted(found, now, ITEMS, scope) == found
