"""What raters have answered in a round, from Argilla or from sheets, with all that is needed to read it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from prbgen.annotation.argilla.close import close
from prbgen.annotation.argilla.connection import Connection
from prbgen.annotation.argilla.dataset import Dataset, find_dataset
from prbgen.annotation.argilla.responses import responses, usernames
from prbgen.annotation.argilla.workspace import find_workspace
from prbgen.annotation.campaign import Campaign, Place, Way
from prbgen.annotation.form.asked import Form
from prbgen.annotation.form.read import frozen
from prbgen.annotation.items import Item
from prbgen.annotation.pseudonyms import pseudonyms
from prbgen.annotation.response import Response
from prbgen.annotation.sheets.assigned import read_assigned
from prbgen.annotation.sheets.names import raters_in
from prbgen.annotation.sheets.read import read_sheets
from prbgen.errors import InputError
from prbgen.run import Run
from prbgen.schema import Round


@dataclass(frozen=True)
class Answers:
    """The answers to a round, or to its adjudication.

    `names` are usernames by pseudonym, for the eyes of who runs the campaign. On sheets `scope` has the (rater, item)
    of every row that was there, and `assigned` who got an item; null: everything, and everybody.
    """

    place: Place
    campaign: Campaign
    form: Form
    items: tuple[Item, ...]
    responses: list[Response]
    names: dict[str, str]
    scope: Collection[tuple[str, str]] | None = None
    assigned: Mapping[str, Collection[str]] | None = None


def from_argilla(
    places: Iterable[tuple[Place, Campaign]], connection: Connection, *, closing: bool = False
) -> Iterator[Answers]:
    """The answers on a server; `closing` takes the raters out first, so that nothing comes after it.

    Raises:
        InputError: a dataset is not there.
        PrbgenError: the server does not answer.
    """
    # Before any is closed.
    there = [(place, campaign, _dataset(connection, campaign)) for place, campaign in _seen_by(connection, places)]
    for place, campaign, dataset in there:
        alias = pseudonyms(campaign.salt, campaign.key_check)
        seen = usernames(connection, dataset)  # an admin can't tell who was in it afterwards
        if closing:
            close(connection, dataset.workspace)
        came = list(responses(connection, dataset, seen, alias))
        names = {alias(name): name for name in seen.values()}
        yield Answers(place, campaign, frozen(place.form, campaign.round), place.read_items(), came, names)


def from_sheets(places: Iterable[tuple[Place, Campaign]], folder: Path) -> Iterator[Answers]:
    """The answers on the sheets of a folder; a round and its adjudication have folders of their own.

    Raises:
        InputError: there is no sheet of a rater, or a cell, a file or a rater can't be.
    """
    found = False
    for place, campaign in places:
        alias = pseudonyms(campaign.salt, campaign.key_check)
        if users := raters_in(folder, campaign, alias):
            found = True
            form, items = frozen(place.form, campaign.round), place.read_items()
            sheets = read_sheets(folder, campaign, form, items, alias, users)
            names = {alias(name): name for name in users}
            assigned = read_assigned(place.assigned)
            yield Answers(place, campaign, form, items, sheets.responses, names, sheets.rows, assigned)
    if not found:
        raise InputError(f"{folder}: holds no sheet of a rater of this round; a sheet is called as it was written")


class NotThereError(InputError):
    """A campaign is not on the server."""


def _seen_by(connection: Connection, places: Iterable[tuple[Place, Campaign]]) -> list[tuple[Place, Campaign]]:
    """Those whose raters can be told: an admin sees only who is inside, and a closed round has nobody any more."""
    places = list(places)
    still = [each for each in places if connection.role == "owner" or not each[1].closed_at]
    return still or places


def laid_out(run: Run, round_: Round, way: Way) -> Iterator[tuple[Place, Campaign]]:
    """A round, then its adjudication if there is one.

    Raises:
        InputError: there is no such round, or it is rated another way.
    """
    place = Place.of(run, round_)
    campaign = place.load()
    if campaign is None or not campaign.opened_at:
        raise InputError(
            f"{run.folder}: the round {round_} was not pushed: prbgen annotate push {run.folder} --round {round_}"
        )
    if campaign.way != way:
        told = "on sheets: name their folder" if campaign.way == "sheets" else "in Argilla: name no folder"
        raise InputError(f"the round {round_} is rated {told}")
    yield place, campaign
    if (senior := place.adjudication.load()) and senior.opened_at:
        yield place.adjudication, senior


def _dataset(connection: Connection, campaign: Campaign) -> Dataset:
    workspace = find_workspace(connection, campaign.workspace)
    dataset = find_dataset(connection, workspace, campaign.dataset) if workspace else None
    if dataset is None:
        elsewhere = f"; it was pushed to {campaign.server}" if campaign.server not in (None, connection.url) else ""
        again = "adjudicate again" if campaign.senior else "begin afresh with push --new"
        raise NotThereError(
            f'{connection.url}: no dataset "{campaign.dataset}" in a workspace "{campaign.workspace}" that'
            f' "{connection.username}" may see{elsewhere}. If it was deleted, {again}'
        )
    return dataset
