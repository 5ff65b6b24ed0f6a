"""Raters' accounts on the server, and who may enter a workspace."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from prbgen.annotation.argilla.account_rules import check_raters
from prbgen.annotation.argilla.connection import Connection
from prbgen.annotation.argilla.patience import RefusedError
from prbgen.annotation.argilla.workspace import TAKEN, Workspace
from prbgen.annotation.password import readable_password
from prbgen.annotation.roster import Rater, name_key
from prbgen.errors import InputError

_WRONG = 401
User: TypeAlias = dict[str, Any]  # as the server describes one: id, username, role and more


@dataclass(frozen=True)
class Accounts:
    """Usernames: `created` by us, `added` to the workspace (the new ones too), and `overtaken`.

    The last are those whose account somebody else created at the same moment: a password shown for them is void.
    """

    created: tuple[str, ...]
    added: tuple[str, ...]
    overtaken: tuple[str, ...]


def ensure_raters(
    connection: Connection,
    workspace: Workspace,
    raters: Sequence[Rater],
    show: Callable[[str, str], None],
    expected: Callable[[str], bool] | None = None,
) -> Accounts:
    """Let raters into a workspace; who has no account gets one. Accounts that are there stay as they are.

    `show` gets username and password of an account that is about to be created with a password made up here.
    `expected` says of further annotators in the workspace, by username, whether they may be there; null: all may.

    Raises:
        InputError: some can't be let in, or somebody is in who may not be; then nothing was changed.
    """
    check_raters(raters)
    members = users_in(connection, workspace)
    inside = {user["id"] for user in members}
    there = {user["username"]: user for user in users_seen(connection, workspace)}
    _refuse_privileged(connection, raters, there)
    _refuse_other_spellings(connection, raters, there)
    _refuse_unknown(connection, workspace, raters, there)
    if expected:
        _refuse_strangers(connection, workspace, raters, members, expected)
    created: list[str] = []
    overtaken: list[str] = []
    added: list[str] = []
    for rater in raters:
        user = there.get(rater.username)
        if user is None:
            user, ours = _created(connection, rater, show)
            (created if ours else overtaken).append(rater.username)
        if user["id"] not in inside:
            _add(connection, workspace, user["id"])
            added.append(rater.username)
    return Accounts(tuple(created), tuple(added), tuple(overtaken))


def users_seen(connection: Connection, workspace: Workspace) -> list[User]:
    """All users for an owner; an admin sees those of the workspace only."""
    return _users(connection, "users") if connection.role == "owner" else users_in(connection, workspace)


def users_in(connection: Connection, workspace: Workspace) -> list[User]:
    """Those in a workspace: raters, and the admins who were added to it."""
    return _users(connection, f"workspaces/{workspace.id}/users")


def reset_password(connection: Connection, username: str) -> str:
    """Give a rater a new password, which is returned; the old one is void.

    Raises:
        InputError: there is no such rater.
    """
    found = [user for user in _users(connection, "users") if user["username"] == username]
    if not found or found[0]["role"] != "annotator":
        raise InputError(f'{connection.url}: there is no rater "{username}"')
    password = readable_password()
    connection.call("PATCH", f"users/{found[0]['id']}", json={"password": password})
    return password


def _users(connection: Connection, path: str) -> list[User]:
    items: list[User] = connection.call("GET", path)["items"]
    return items


def _refuse_unknown(
    connection: Connection, workspace: Workspace, raters: Sequence[Rater], there: Mapping[str, User]
) -> None:
    unknown = [rater.username for rater in raters if rater.username not in there]
    if unknown and connection.role != "owner":
        raise InputError(
            f'{connection.url}: not in the workspace "{workspace.name}": {", ".join(unknown)}; ask an owner to create'
            f" these accounts (annotator) and to add them, for an admin can't"
        )


def _refuse_strangers(
    connection: Connection,
    workspace: Workspace,
    raters: Sequence[Rater],
    members: Sequence[User],
    expected: Callable[[str], bool],
) -> None:
    known = {rater.username for rater in raters}
    inside = [user["username"] for user in members if user["role"] == "annotator"]
    strangers = [name for name in inside if name not in known and not expected(name)]
    if strangers:
        raise InputError(
            f'{connection.url}: in the workspace "{workspace.name}", but no rater of this round: '
            f"{', '.join(strangers)}; name them in --raters or take them out in Argilla"
        )


def _refuse_other_spellings(connection: Connection, raters: Sequence[Rater], there: Mapping[str, User]) -> None:
    """One person with two accounts would count twice."""
    by_key = {name_key(username): username for username in there}
    for rater in raters:
        other = by_key.get(name_key(rater.username))
        if other is not None and rater.username not in there:
            raise InputError(f'{connection.url}: "{rater.username}" is there as "{other}": write the name so')


def _refuse_privileged(connection: Connection, raters: Sequence[Rater], there: Mapping[str, User]) -> None:
    users = [there[rater.username] for rater in raters if rater.username in there]
    named = [f"{user['username']} ({user['role']})" for user in users if user["role"] != "annotator"]
    if named:
        raise InputError(
            f"{connection.url}: these can't rate, for they see what everybody answers: {', '.join(named)}; give them"
            f" accounts of their own for it"
        )


def _created(connection: Connection, rater: Rater, show: Callable[[str, str], None]) -> tuple[User, bool]:
    """The new account, and whether its password is the one that we gave it."""
    password = rater.password or readable_password()
    if rater.password is None:
        # Before it is created: it can't be had afterwards.
        show(rater.username, password)
    body = {
        "username": rater.username,
        "password": password,
        "first_name": (rater.first_name or "").strip() or rater.username,  # Argilla wants one
        "last_name": (rater.last_name or "").strip() or None,
        "role": "annotator",
    }
    try:
        return connection.call("POST", "users", json=body), True
    except RefusedError as refused:
        if refused.status != TAKEN:
            raise
    # Created just now, by somebody else or by a request of ours whose answer was lost.
    user = next(user for user in _users(connection, "users") if user["username"] == rater.username)
    _refuse_privileged(connection, [rater], {rater.username: user})
    return user, _opens(connection, rater.username, password)


def _opens(connection: Connection, username: str, password: str) -> bool:
    try:
        connection.call("POST", "token", data={"username": username, "password": password})
    except RefusedError as refused:
        if refused.status == _WRONG:
            return False
        raise
    return True


def _add(connection: Connection, workspace: Workspace, user: str) -> None:
    try:
        connection.call("POST", f"workspaces/{workspace.id}/users", json={"user_id": user})
    except RefusedError as refused:
        if refused.status != TAKEN:
            raise
