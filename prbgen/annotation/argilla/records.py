"""Records go to the server, each once, and superseded ones are taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from prbgen.annotation.argilla.connection import Connection
from prbgen.annotation.argilla.dataset import Dataset
from prbgen.annotation.items import Content, Item

BATCH = 200  # records a request: more are no faster, and progress would come in jumps
_WITHDRAWN_AT_ONCE = 10  # few, so that little can happen between the check and the deletion
_Any = TypeVar("_Any")


@dataclass(frozen=True)
class Pushed:
    """The ids of the records that were sent, and how many the server had already."""

    created: tuple[str, ...]
    unchanged: int


def push(
    connection: Connection, dataset: Dataset, items: Iterable[tuple[Item, Content]], done: Callable[[int], None]
) -> Pushed:
    """Send the records that the server hasn't, in order; `done` gets the number of those dealt with after each batch.

    A batch is there whole or not at all. Two pushes at once do no harm: the database keeps an id from being there
    twice, and the server takes the second for an update that changes nothing.

    Raises:
        PrbgenError: the server does not answer any more; the same push goes on.
    """
    # It imports the SDK, which is slow.
    from prbgen.annotation.argilla.settings import fields_of

    created: list[str] = []
    unchanged = 0
    for batch in _batches(items, BATCH):
        there = _there(connection, dataset, [item.id for item, _ in batch])
        missing = [(item, content) for item, content in batch if item.id not in there]
        if missing:
            new = [
                {"external_id": item.id, "fields": fields_of(content), "metadata": {"subset": item.subset}}
                for item, content in missing
            ]
            connection.call("PUT", f"datasets/{dataset.id}/records/bulk", json={"items": new})
        created += [item.id for item, _ in missing]
        unchanged += len(batch) - len(missing)
        done(len(batch))
    return Pushed(tuple(created), unchanged)


def withdraw(connection: Connection, dataset: Dataset, ids: Iterable[str]) -> tuple[str, ...]:
    """Delete the records of these items that nobody has responded to; returns the ids of those kept.

    Argilla can't delete on a condition: a response that comes in the moment between the check of a few records and
    their deletion is lost with its record. Whoever can should keep raters from rating them first.
    """
    kept: list[str] = []
    for batch in _batches(ids, _WITHDRAWN_AT_ONCE):
        found = _with_responses(connection, dataset, batch)
        kept += [record["external_id"] for record in found if record["responses"]]
        untouched = [record["id"] for record in found if not record["responses"]]
        if untouched:
            connection.call("DELETE", f"datasets/{dataset.id}/records", params={"ids": ",".join(untouched)})
    return tuple(kept)


def _there(connection: Connection, dataset: Dataset, ids: Sequence[str]) -> frozenset[str]:
    """Which of these the server has; one that its search index has lost counts as missing, and comes back by a push.

    Argilla gives no record without all its text, so at first it is only asked how many there are.
    """
    number = _found(connection, dataset, ids, limit=1)["total"]
    if number in {0, len(ids)}:
        return frozenset(ids if number else ())
    items = _found(connection, dataset, ids, limit=len(ids))["items"]
    return frozenset(item["record"]["external_id"] for item in items)


def _with_responses(connection: Connection, dataset: Dataset, ids: Sequence[str]) -> list[dict[str, Any]]:
    return [item["record"] for item in _found(connection, dataset, ids, limit=len(ids), include="responses")["items"]]


def _found(connection: Connection, dataset: Dataset, ids: Sequence[str], **params: Any) -> dict[str, Any]:
    scope = {"entity": "record", "property": "external_id"}
    body = {"filters": {"type": "and", "and": [{"type": "terms", "scope": scope, "values": list(ids)}]}}
    found: dict[str, Any] = connection.call("POST", f"datasets/{dataset.id}/records/search", params=params, json=body)
    return found


def _batches(items: Iterable[_Any], size: int) -> Iterator[list[_Any]]:
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch
