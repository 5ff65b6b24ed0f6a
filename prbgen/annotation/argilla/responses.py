"""What raters have answered so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime

from prbgen.annotation.argilla.accounts import users_seen
from prbgen.annotation.argilla.connection import Connection
from prbgen.annotation.argilla.dataset import Dataset
from prbgen.annotation.argilla.pages import records
from prbgen.annotation.response import Response
from prbgen.errors import InputError


def usernames(connection: Connection, dataset: Dataset) -> dict[str, str]:
    """Usernames by the server's user ids. An admin sees only who is in the workspace at the moment."""
    return {user["id"]: user["username"] for user in users_seen(connection, dataset.workspace)}


def responses(
    connection: Connection, dataset: Dataset, names: Mapping[str, str], alias: Callable[[str], str]
) -> Iterator[Response]:
    """All responses in the order of their records; `names` are usernames by user ids, `alias` gives their pseudonyms.

    `submitted_at` is when it was last sent or discarded, null for a draft. Argilla deletes a user's responses along
    with the user. The `item` of a record that somebody made there without an id is "argilla-record-" and the server's
    id, which is no item of any round.

    Raises:
        InputError: a name is missing, without which a rater would look like a new person.
        PrbgenError: the server does not answer, or with something else.
    """
    for record in records(connection, dataset.id, include="responses"):
        item = record["external_id"] or f"argilla-record-{record['id']}"
        for response in record["responses"]:
            if (name := names.get(response["user_id"])) is None:
                raise InputError(_unseen(connection, dataset))
            status = response["status"]
            yield Response(
                item=item,
                rater=alias(name),
                status=status,
                values={question: given["value"] for question, given in (response["values"] or {}).items()},
                begun_at=utc(response["inserted_at"]),
                submitted_at=None if status == "draft" else utc(response["updated_at"]),
            )


def _unseen(connection: Connection, dataset: Dataset) -> str:
    if connection.role == "owner":
        return f"{connection.url}: a rater got an account a moment ago; run the same command again"
    return (
        f'{connection.url}: "{connection.username}", an admin, does not see who was taken out of the workspace'
        f' "{dataset.workspace.name}": use the key of an owner'
    )


def utc(text: str) -> str:
    """Argilla's times are in UTC and don't say so."""
    time = datetime.fromisoformat(text)
    time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    return time.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
