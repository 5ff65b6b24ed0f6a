"""The workspace of a round: what its raters are let into, and nobody else's."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from prbgen.annotation.argilla.connection import Connection
from prbgen.annotation.argilla.patience import RefusedError
from prbgen.errors import InputError

TAKEN = 409


@dataclass(frozen=True)
class Workspace:
    """One that is there. `id` is the server's."""

    id: str
    name: str


def ensure_workspace(connection: Connection, name: str, *, ours: Collection[str]) -> Workspace:
    """The workspace of this name, made if there is none. `ours` are the names that our datasets in it may have.

    Raises:
        InputError: it holds a dataset of somebody else, or is not there and may not be made by this user.
    """
    workspace = find_workspace(connection, name) or _made(connection, name)
    others = sorted({dataset["name"] for dataset in datasets_in(connection, workspace)} - set(ours))
    if others:
        raise InputError(
            f'{connection.url}: the workspace "{name}" is somebody else\'s: it holds the dataset "{others[0]}"'
            f"{f' and {len(others) - 1} more' if others[1:] else ''}; name another with --workspace"
        )
    return workspace


def find_workspace(connection: Connection, name: str) -> Workspace | None:
    """The workspace of this name among those that this user may see."""
    found = (each for each in connection.call("GET", "me/workspaces")["items"] if each["name"] == name)
    return next((Workspace(each["id"], name) for each in found), None)


def datasets_in(connection: Connection, workspace: Workspace) -> list[dict[str, Any]]:
    """The datasets of a workspace as the server describes them: id, name, status and more."""
    items: list[dict[str, Any]] = connection.call("GET", "me/datasets", params={"workspace_id": workspace.id})["items"]
    return items


def _made(connection: Connection, name: str) -> Workspace:
    if connection.role != "owner":
        raise InputError(
            f'{connection.url}: "{connection.username}" is in no workspace "{name}" and may make none; ask an owner to'
            f" create it and to add you, or name one of yours with --workspace"
        )
    try:
        return Workspace(connection.call("POST", "workspaces", json={"name": name})["id"], name)
    except RefusedError as refused:
        made_meanwhile = find_workspace(connection, name) if refused.status == TAKEN else None
        if made_meanwhile is None:
            raise
        return made_meanwhile
