"""The dataset of a round: made and published, or the one that is there brought up to date."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from prbgen.annotation.argilla.connection import Connection
from prbgen.annotation.argilla.patience import RefusedError
from prbgen.annotation.argilla.workspace import Workspace, datasets_in
from prbgen.annotation.campaign import Campaign
from prbgen.annotation.form.asked import Form
from prbgen.errors import InputError

if TYPE_CHECKING:
    import argilla as rg

_ROUNDS = 3  # so often a dataset is made that somebody else's push takes away or makes at the same moment
_OTHERS_TURN = 5.0  # seconds that another push gets to publish what it has begun
_MEANWHILE = {404, 409, 422}  # what the server says when somebody else was faster


@dataclass(frozen=True)
class Dataset:
    """A published one. `id` is the server's. `updated`: it was there, and wording or numbers were changed now."""

    id: str
    name: str
    workspace: Workspace
    updated: bool = False


def ensure_dataset(
    connection: Connection, workspace: Workspace, campaign: Campaign, form: Form, raters_per_item: int
) -> Dataset:
    """The campaign's dataset, ready for records.

    One that an interrupted push left unpublished holds no records and is made again.

    Raises:
        InputError: the one that is there differs in what Argilla can't change any more.
    """
    for more in reversed(range(_ROUNDS)):
        there = _settled(connection, workspace, campaign.dataset)
        try:
            if there is not None and there["status"] == "ready":
                return _brought_up_to_date(connection, there["id"], workspace, form, raters_per_item)
            if there is not None:
                connection.call("DELETE", f"datasets/{there['id']}")
            return _made(connection, workspace, campaign.dataset, form, raters_per_item)
        except RefusedError as refused:
            if refused.status not in _MEANWHILE or not more:
                raise
    raise AssertionError("unreachable")


def find_dataset(connection: Connection, workspace: Workspace, name: str) -> Dataset | None:
    """The published dataset of this name, null if there is none."""
    there = _described(connection, workspace, name)
    return Dataset(there["id"], name, workspace) if there and there["status"] == "ready" else None


def _described(connection: Connection, workspace: Workspace, name: str) -> dict[str, Any] | None:
    return next((each for each in datasets_in(connection, workspace) if each["name"] == name), None)


def _settled(connection: Connection, workspace: Workspace, name: str) -> dict[str, Any] | None:
    """What is there; an unpublished one only if nobody seems to be at it."""
    give_up = time.monotonic() + _OTHERS_TURN
    while True:
        there = _described(connection, workspace, name)
        if there is None or there["status"] == "ready" or time.monotonic() > give_up:
            return there
        time.sleep(0.5)


def _made(connection: Connection, workspace: Workspace, name: str, form: Form, raters_per_item: int) -> Dataset:
    made = connection.call("POST", "datasets", json={"name": name, "workspace_id": workspace.id})
    dataset = _loaded(connection, made["id"])
    dataset.settings = _wanted(connection, form, raters_per_item)
    # Not dataset.create(): when the answer to its last step is lost, it deletes what it has published.
    dataset.settings.create()
    try:
        connection.call("PUT", f"datasets/{made['id']}/publish")
    except RefusedError:
        if connection.call("GET", f"datasets/{made['id']}")["status"] != "ready":
            raise
    return Dataset(made["id"], name, workspace)


def _brought_up_to_date(
    connection: Connection, id_: str, workspace: Workspace, form: Form, raters_per_item: int
) -> Dataset:
    dataset, wanted = _loaded(connection, id_), _wanted(connection, form, raters_per_item)
    from prbgen.annotation.argilla.settings import adopt, changeable, differences

    different = differences(dataset.settings, wanted)
    if different:
        raise InputError(
            f'{connection.url}: the dataset "{dataset.name}" was published otherwise: {"; ".join(different)};'
            " undo that, or begin the round afresh with push --new"
        )
    if not changeable(dataset.settings, wanted):
        return Dataset(id_, dataset.name, workspace)
    adopt(dataset.settings, wanted)
    dataset.settings.update()
    return Dataset(id_, dataset.name, workspace, updated=True)


def _loaded(connection: Connection, id_: str) -> rg.Dataset:
    # Without get() its settings are empty.
    return connection.sdk.datasets(id=id_).get()


def _wanted(connection: Connection, form: Form, raters_per_item: int) -> rg.Settings:
    _ = connection.sdk  # the SDK makes no settings without a client
    from prbgen.annotation.argilla.settings import settings_of

    return settings_of(form, raters_per_item)
