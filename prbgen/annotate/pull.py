"""Ratings come back into the run, laid over those of earlier pulls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from prbgen.annotate.answers import Answers, from_argilla
from prbgen.annotate.argilla.connection import Connection
from prbgen.annotate.campaign import Campaign, Place, now
from prbgen.annotate.ratings.files import write
from prbgen.annotate.ratings.history import Merged, merged, merged_unsubmitted
from prbgen.annotate.ratings.rating import ratings_of
from prbgen.annotate.ratings.unsubmitted import Unsubmitted, unsubmitted_of
from prbgen.annotate.standing import Standing, standing
from prbgen.errors import InputError
from prbgen.run import read_records
from prbgen.schema import Rating


@dataclass(frozen=True)
class Pulled:
    """What a pull brought. `merged` are all ratings that the round ever had, `standing` how far it is. On sheets,
    `missing` is how many raters' sheets were not there.
    """

    place: Place
    campaign: Campaign
    merged: Merged
    unsubmitted: tuple[Unsubmitted, ...]
    standing: Standing
    missing: int


def pull(answers: Iterable[Answers], *, closing: bool = False) -> list[Pulled]:
    """Write what came to ratings.jsonl and unsubmitted.jsonl, once all has come; `closing` notes the end of the round.

    Raises:
        InputError: an earlier file is not as it was written.
        PrbgenError: the server does not answer any more (nothing was changed), or the disk refuses.
    """
    pulled = [_merged(each) for each in answers]
    for each in pulled:
        write(each.place, each.merged.ratings, each.unsubmitted)
    if closing:
        pulled = [_closed(each) for each in pulled]
    return pulled


def end(connection: Connection, place: Place) -> None:
    """Close a round that another is to replace, and bring what is rated, as far as it is still on the server."""
    for each in (place, place.adjudication):
        campaign = each.load()
        if campaign and campaign.opened_at and campaign.way == "argilla":
            try:
                pull(from_argilla([(each, campaign)], connection, closing=True), closing=True)
            except InputError:
                # It was deleted there: no reason not to begin afresh.
                continue


def _merged(came: Answers) -> Pulled:
    place, campaign, form, items = came.place, came.campaign, came.form, came.items
    ratings = merged(_earlier(place), ratings_of(campaign, form, items, came.responses), form, items, came.scope)
    before = read_records(place.unsubmitted, Unsubmitted) if place.unsubmitted.exists() else ()
    unsubmitted = merged_unsubmitted(before, unsubmitted_of(campaign, items, came.responses), items, came.scope)
    missing = len(set(campaign.raters) - came.names.keys()) if came.assigned is not None else 0
    return Pulled(place, campaign, ratings, tuple(unsubmitted), standing(came), missing)


def _earlier(place: Place) -> Iterator[Rating]:
    if place.ratings.exists():
        yield from read_records(place.ratings, Rating)


def _closed(pulled: Pulled) -> Pulled:
    closed_at = pulled.campaign.closed_at or now()
    campaign = pulled.place.save(pulled.campaign.model_copy(update={"closed_at": closed_at}))
    return replace(pulled, campaign=campaign)
