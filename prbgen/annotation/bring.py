"""What was laid out is brought to those who rate, in Argilla or on sheets. Whatever is there already is left alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from prbgen.annotation.argilla.accounts import ensure_raters
from prbgen.annotation.argilla.connection import connect
from prbgen.annotation.argilla.dataset import ensure_dataset, find_dataset
from prbgen.annotation.argilla.records import push, withdraw
from prbgen.annotation.argilla.workspace import ensure_workspace, find_workspace
from prbgen.annotation.campaign import Campaign, Place
from prbgen.annotation.laid import Laid
from prbgen.annotation.plan import contents
from prbgen.annotation.pseudonyms import pseudonyms
from prbgen.annotation.pull import end
from prbgen.annotation.server import Server
from prbgen.annotation.sheets.names import refuse_taken
from prbgen.annotation.sheets.write import check_sheets, write_sheets
from prbgen.errors import InputError
from prbgen.run import Run


@dataclass(frozen=True)
class Watch:
    """Whom to tell. `password` gets a new account's name and password before it is made, `done` how many records of
    how many are dealt with.
    """

    password: Callable[[str, str], None]
    done: Callable[[int, int], None]


@dataclass(frozen=True)
class Brought:
    """What a push did, in numbers of records, and `where` they are rated.

    `updated` took the place of one whose pair has another text now; `kept` ones nobody is asked for any more, but
    somebody has rated them. `sheets` were written, null in Argilla. For `overtaken` usernames somebody else made the
    account: the password shown is void.
    """

    campaign: Campaign
    created: int
    updated: int
    unchanged: int
    kept: int
    where: str
    sheets: int | None = None
    reworded: bool = False
    overtaken: tuple[str, ...] = ()


def to_argilla(run: Run, laid: Laid, server: Server, watch: Watch) -> Brought:
    """Bring it to a server: workspace, raters, dataset, records.

    Raises:
        InputError: the server does not allow it, or what is there was changed by somebody.
        PrbgenError: the server does not answer any more; the same push goes on.
    """
    with connect(server.url, server.key) as connection:
        campaign = laid.campaign
        ours = [each.dataset for each in (campaign, laid.replaced) if each]
        if laid.replaced:
            # What is refused must not have ended the round that is there.
            if connection.role != "owner" or find_workspace(connection, campaign.workspace):
                ensure_workspace(connection, campaign.workspace, ours=ours)
            end(connection, laid.place)
        laid.freeze()
        alias = pseudonyms(campaign.salt, campaign.key_check)
        workspace = ensure_workspace(connection, campaign.workspace, ours=ours)
        if laid.before and laid.before.complete and not find_dataset(connection, workspace, campaign.dataset):
            raise InputError(
                f'{connection.url}: the dataset "{campaign.dataset}", pushed to {laid.before.server}, is not there: use'
                " that server, or, if it was deleted, begin afresh with push --new"
            )
        accounts = ensure_raters(
            connection, workspace, laid.raters, watch.password, lambda name: alias(name) in campaign.raters
        )
        campaign = laid.open(connection.url)
        dataset = ensure_dataset(connection, workspace, campaign, laid.form, campaign.settings.raters_per_item)
        live = [item for item in laid.items if not item.withdrawn]
        done = 0

        def tell(number: int) -> None:
            nonlocal done
            done += number
            watch.done(done, len(live))

        pushed = push(connection, dataset, contents(run.pairs, live, campaign.round), tell)
        kept = withdraw(connection, dataset, [item.id for item in laid.items if item.withdrawn])
        campaign = _complete(laid.place, campaign)
    updated = len(laid.replacing.intersection(pushed.created))
    return Brought(
        campaign=campaign,
        created=len(pushed.created) - updated,
        updated=updated,
        unchanged=pushed.unchanged,
        kept=len(kept),
        where=f"{connection.url}/dataset/{dataset.id}/annotation-mode",
        reworded=dataset.updated,
        overtaken=accounts.overtaken,
    )


def to_sheets(run: Run, laid: Laid, folder: Path) -> Brought:
    """Write it as one CSV a rater, for `laid.raters`.

    Raises:
        InputError: raters are missing, or the folder can't be used.
        PrbgenError: the folder cannot be written to; the same push goes on.
    """
    campaign = laid.campaign
    alias = pseudonyms(campaign.salt, campaign.key_check)
    names = [rater.username for rater in laid.raters]
    if not names:
        raise InputError("sheets are written by name, and the run has no names: --raters FILE says who gets the items")
    # Later on only those have to be named who get more.
    check_sheets(folder, names, 1 if laid.before else campaign.settings.raters_per_item)
    if laid.before is None:
        refuse_taken(folder)
    laid.freeze()
    campaign = laid.open(None)
    shown = contents(run.pairs, laid.items, campaign.round)
    written = write_sheets(folder, laid.place.assigned, campaign, laid.form, names, alias, shown)
    campaign = _complete(laid.place, campaign)
    updated = len(laid.replacing.intersection(written.created))
    return Brought(
        campaign=campaign,
        created=len(written.created) - updated,
        updated=updated,
        unchanged=written.unchanged,
        kept=0,
        where=str(folder),
        sheets=written.sheets,
    )


def _complete(place: Place, campaign: Campaign) -> Campaign:
    return place.save(campaign.model_copy(update={"complete": True}))
