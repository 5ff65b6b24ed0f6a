"""Ratings come back into the run, laid over those of earlier pulls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from prbgen.annotation.answers import Answers, NotThereError, from_argilla
from prbgen.annotation.argilla.connection import Connection
from prbgen.annotation.campaign import Campaign, Place, now
from prbgen.annotation.ratings.files import write
from prbgen.annotation.ratings.history import Merged, merged, merged_unsubmitted
from prbgen.annotation.ratings.rating import ratings_of
from prbgen.annotation.ratings.unsubmitted import Unsubmitted, unsubmitted_of
from prbgen.run import read_records
from prbgen.schema import Rating


@dataclass(frozen=True)
class Pulled:
    """What a pull brought. `merged` are all ratings that the round ever had; `complete` of `items` have the responses
    that were asked for. On sheets, `missing` is how many raters' sheets were not there.
    """

    place: Place
    campaign: Campaign
    merged: Merged
    unsubmitted: tuple[Unsubmitted, ...]
    items: int
    complete: int
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


def pull_and_close(places: Iterable[tuple[Place, Campaign]], connection: Connection) -> list[Pulled]:
    """Take the raters out, then bring all that they have said, and note the end."""
    places = list(places)
    if connection.role == "admin":
        # Should what follows be interrupted, an admin could not tell any more whose answers they are.
        pull(from_argilla(places, connection))
    return pull(from_argilla(places, connection, closing=True), closing=True)


def end(connection: Connection, place: Place) -> None:
    """Close a round that another is to replace, and bring what is rated, if it is on the server.

    Raises:
        InputError: it cannot be read, so that it would be lost.
    """
    for each in (place, place.adjudication):
        campaign = each.load()
        if campaign and campaign.opened_at and not campaign.closed_at and campaign.way == "argilla":
            # One that was deleted there is no reason not to begin afresh.
            with suppress(NotThereError):
                pull_and_close([(each, campaign)], connection)


def _merged(came: Answers) -> Pulled:
    place, campaign, form, items = came.place, came.campaign, came.form, came.items
    ratings = merged(_earlier(place), ratings_of(campaign, form, items, came.responses), form, items, came.scope)
    before = read_records(place.unsubmitted, Unsubmitted) if place.unsubmitted.exists() else ()
    unsubmitted = merged_unsubmitted(before, unsubmitted_of(campaign, items, came.responses), items, came.scope)
    given = {(each.item, each.rater) for each in ratings.ratings if each.gone is None}
    rated = Counter(item for item, _ in given)
    wanted = {
        item.id: campaign.settings.raters_per_item if came.assigned is None else len(came.assigned.get(item.id, ()))
        for item in items
        if not item.withdrawn
    }
    complete = sum(rated[item] >= number for item, number in wanted.items())
    with_sheets = {rater for raters in (came.assigned or {}).values() for rater in raters}
    missing = len(with_sheets - came.names.keys())
    return Pulled(place, campaign, ratings, tuple(unsubmitted), len(wanted), complete, missing)


def _earlier(place: Place) -> Iterator[Rating]:
    if place.ratings.exists():
        yield from read_records(place.ratings, Rating)


def _closed(pulled: Pulled) -> Pulled:
    closed_at = pulled.campaign.closed_at or now()
    campaign = pulled.place.save(pulled.campaign.model_copy(update={"closed_at": closed_at}))
    return replace(pulled, campaign=campaign)
