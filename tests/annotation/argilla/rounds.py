"""A small round for the tests: its form, its items, and raters who answer through REST as Argilla's page does."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import httpx

from prbgen.annotation.argilla.connection import Connection
from prbgen.annotation.argilla.dataset import Dataset, ensure_dataset
from prbgen.annotation.argilla.pages import records
from prbgen.annotation.argilla.patience import Patience
from prbgen.annotation.argilla.workspace import Workspace, ensure_workspace
from prbgen.annotation.campaign import Campaign
from prbgen.annotation.form.asked import Asked, Form
from prbgen.annotation.items import Content, Item
from prbgen.recipe import AnnotationSettings
from tests.annotation.server.embedded import Server

FORM = Form(
    round="quality",
    guidelines="Rate each answer by itself.",
    asked=(
        Asked(
            "factuality_a", "factuality", "A", "rating", "Is A true?", "What can be checked.", True,
            tuple((str(value), str(value)) for value in range(6)), 0,
        ),
        Asked(
            "covers_a", "covers", "A", "aspects", "What does A cover?", "", False,
            (("1", "Aspect 1"), ("2", "Aspect 2"), ("none", "None of them")),
        ),
        Asked(
            "better", "better", None, "choice", "Which is better?", "", False,
            (("A", "Answer A"), ("B", "Answer B"), ("equal", "Both alike")),
        ),
        Asked("comment", "comment", None, "text", "Anything else?", "", False),
    ),
    layout="<p>{{record.fields.item.question}}</p>",
)  # fmt: skip
HASTY = Patience(first_wait=0.01, longest_wait=0.05)


def new_name() -> str:
    """For users, workspaces and the like: the server is shared."""
    return f"t{uuid.uuid4().hex[:10]}"


def campaign(name: str | None = None) -> Campaign:
    """A round as it was laid out."""
    name = name or new_name()
    return Campaign(
        id=uuid.uuid4().hex[:8],
        round="quality",
        senior=False,
        way="argilla",
        workspace=name,
        dataset=name,
        settings=AnnotationSettings(),
        salt="",
        key_check="",
        raters=(),
        server=None,
        opened_at="2026-01-01T00:00:00Z",
    )


def laid_out(connection: Connection, form: Form = FORM) -> tuple[Workspace, Dataset]:
    """A published dataset in a workspace of its own."""
    round_ = campaign()
    workspace = ensure_workspace(connection, round_.workspace, ours=[round_.dataset])
    return workspace, ensure_dataset(connection, workspace, round_, form, 2)


def items(number: int, first: int = 0) -> Iterator[tuple[Item, Content]]:
    """Items with what is shown of them."""
    for each in range(first, first + number):
        item = Item(
            id=f"pair-{each:05}-0a1b",
            pair_id=f"pair-{each:05}",
            kind="pair",
            subset="Lifestyle_and_Personal_Development",
            strategy="avoid",
            aspects=2,
            chosen="A",
            content_hash="0a1b",
        )
        yield item, Content(question=f"What about {each}?", a=f"Yes, {each}.", b=f"No, {each} <b>never</b>.")


def ids(number: int, first: int = 0) -> list[str]:
    """The ids of such items."""
    return [item.id for item, _ in items(number, first)]


def ids_there(connection: Connection, dataset: Dataset) -> list[str]:
    """The ids on the server, in the order of insertion."""
    return [record["external_id"] for record in records(connection, dataset.id)]


def as_rater(server: Server, username: str, password: str) -> httpx.Client:
    """A rater who has logged in as on Argilla's page."""
    body = {"username": username, "password": password}
    token = httpx.post(f"{server.url}/api/v1/token", data=body, timeout=60)
    assert token.status_code == 201, token.text
    headers = {"Authorization": f"Bearer {token.json()['access_token']}"}
    return httpx.Client(base_url=f"{server.url}/api/v1", headers=headers, timeout=60)


def respond(rater: httpx.Client, record: str, status: str = "submitted", **values: Any) -> httpx.Response:
    """Send a rater's answers to a record (by the server's id)."""
    body = {"values": {name: {"value": value} for name, value in values.items()}, "status": status}
    return rater.post(f"/records/{record}/responses", json=body)
