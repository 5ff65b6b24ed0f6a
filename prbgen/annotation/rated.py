"""What people have rated, ready for validation: the door of this stage for the next one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b

from prbgen.annotation.campaign import EARLIER, ROUNDS, Campaign, Place
from prbgen.annotation.form.read import frozen
from prbgen.annotation.items import Item
from prbgen.annotation.plan.contents import rebuild
from prbgen.annotation.plan.index import Index, indexed
from prbgen.annotation.ratings.care import Care, below_bar, care_of
from prbgen.annotation.ratings.counting import Scale, counting, scales_of
from prbgen.digest import file_sha256
from prbgen.errors import InputError
from prbgen.recipe import AnnotationSettings
from prbgen.run import Run
from prbgen.schema import Rating, Round

__all__ = ["Care", "RatedRound", "Scale", "below_bar", "rated_digest", "rated_rounds"]


@dataclass(frozen=True)
class RatedRound:
    """A round as people have rated it.

    `ratings` are what its raters say now of items whose pair still is as it was shown: nothing gone, flagged or
    doubtful, free text left out, "can't tell" (value null) kept; `senior` the same by those who adjudicated. Gold and
    repeated items are among them (`kind` tells). `uncounted` says how many others there are, by reason. `pairs` are
    those that the round shows, rated or not. `open`: it can still be rated in. `set_aside` counts earlier rounds of the
    same kind that were begun afresh.
    """

    round: Round
    settings: AnnotationSettings
    scales: tuple[Scale, ...]
    pairs: frozenset[str]
    ratings: tuple[Rating, ...]
    senior: tuple[Rating, ...]
    raters: tuple[Care, ...]
    uncounted: Mapping[str, int]
    open: bool = False
    set_aside: int = 0


def rated_rounds(run: Run) -> tuple[RatedRound, ...]:
    """The rounds of a run that were pulled, in their order; none if there are none.

    Raises:
        InputError: a file is not as it was written, or somebody rates an item twice.
    """
    places = [place for name in ROUNDS if (place := Place.of(run, name)).ratings.exists()]
    pulled = [(place, _load(place)) for place in places]
    if not pulled:
        return ()
    with indexed(run.pairs) as index:
        return tuple(_rated(run, place, campaign, index) for place, campaign in pulled)


def _load(place: Place) -> Campaign:
    campaign = place.load()
    if campaign is None:
        raise InputError(f"{place.campaign}: not there, though the round has ratings; restore it from a copy")
    return campaign


def rated_digest(run: Run) -> str:
    """16 hex digits over all of a run's rounds that `rated_rounds` goes by; pairs are not among it.

    Raises:
        InputError: a file is not as it was written.
    """
    digest = blake2b(digest_size=8)
    for name in ROUNDS:
        place = Place.of(run, name)
        for each in (place, place.adjudication):
            if (campaign := each.load()) and each.ratings.is_file():
                held = campaign.model_dump_json(include={"id", "round", "senior", "settings", "raters"})
                files = (*sorted(each.form.rglob("*.toml")), each.items, each.ratings)
                digest.update(held.encode() + "".join(map(file_sha256, files)).encode())
    return digest.hexdigest()


def _rated(run: Run, place: Place, campaign: Campaign, index: Index) -> RatedRound:
    form = frozen(place.form, campaign.round)
    items = place.read_items()
    faults = {item.id: _fault(item, index, campaign.round) for item in items}
    uncounted: Counter[str] = Counter()
    senior_place = place.adjudication
    senior_campaign = senior_place.load()
    said = tuple(counting(place.ratings, campaign, form, items, uncounted))
    ratings = tuple(_of_pairs_as_they_are(said, faults, uncounted))
    senior: tuple[Rating, ...] = ()
    if senior_campaign and senior_place.ratings.is_file():
        decided = counting(senior_place.ratings, senior_campaign, form, items, uncounted)
        senior = tuple(_of_pairs_as_they_are(decided, faults, uncounted))
    return RatedRound(
        round=campaign.round,
        settings=campaign.settings,
        scales=tuple(scales_of(form)),
        pairs=frozenset(item.pair_id for item in items if item.kind == "pair" and not faults[item.id]),
        ratings=ratings,
        senior=senior,
        raters=tuple(care_of(form, items, said)),
        uncounted=dict(sorted(uncounted.items())),
        open=campaign.closed_at is None,
        set_aside=sum(1 for _ in (run.annotation / EARLIER).glob(f"{campaign.round}-*")),
    )


def _fault(item: Item, index: Index, round_: Round) -> str | None:
    """Why ratings of an item say nothing about the pairs as they are now; null if they do."""
    if index.find(item.pair_id) is None or (item.donor and index.find(item.donor) is None):
        return "the pair is no longer in pairs.jsonl"
    if item.withdrawn or rebuild(item, index, round_) is None:
        return "the pair was edited after it was rated"
    return None


def _of_pairs_as_they_are(
    ratings: Iterable[Rating], faults: Mapping[str, str | None], uncounted: Counter[str]
) -> Iterator[Rating]:
    for rating in ratings:
        if fault := faults[rating.item]:
            uncounted[fault] += 1
        else:
            yield rating
