"""A round of ratings as it was laid out: what is frozen at the first push, and the folder that holds it."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import ValidationError

from prbgen.annotation.items import Item
from prbgen.errors import InputError
from prbgen.recipe import AnnotationSettings
from prbgen.run import Run, as_line, cannot_write, read_records, whole_file
from prbgen.schema import Record, Round

# Whoever has done a later round knows too much for an earlier one.
ROUNDS: tuple[Round, ...] = ("quality", "blind", "rubric")
Way: TypeAlias = Literal["argilla", "sheets"]
CAMPAIGN = "campaign.json"
_ADJUDICATION = "adjudication"
EARLIER = "earlier"  # the folder of rounds that were begun afresh since


class Campaign(Record):
    """What holds for a whole round, or for its adjudication (`senior`).

    `id` (8 hex digits) is part of the dataset's name, by which it is known on any server. `salt` goes into the raters'
    pseudonyms and is the same in all rounds of a run; `key_check` tells whether a key is the one they were made with.
    `raters` are pseudonyms, `items` how many there were when it was saved. `server` is the address that was pushed to
    last, null on sheets; `complete` tells that a push has brought all of it once. Times are ISO 8601 in UTC:
    `opened_at` when raters were first let in (null: it is laid out, and can still be laid out otherwise), `closed_at`
    when they were taken out.
    """

    id: str
    round: Round
    senior: bool
    way: Way
    workspace: str
    dataset: str
    settings: AnnotationSettings
    salt: str
    key_check: str
    raters: tuple[str, ...] = ()
    items: int = 0
    server: str | None = None
    opened_at: str | None = None
    complete: bool = False
    closed_at: str | None = None


@dataclass(frozen=True)
class Place:
    """The folder of a round, RUN/annotation/ROUND, or of what it had adjudicated, RUN/annotation/ROUND/adjudication."""

    folder: Path

    @classmethod
    def of(cls, run: Run, round_: Round) -> Place:
        """Where a round of a run lives."""
        return cls(run.annotation / round_)

    @property
    def adjudication(self) -> Place:
        """Where the adjudication of this round lives."""
        return Place(self.folder / _ADJUDICATION)

    @property
    def campaign(self) -> Path:
        """What holds for the whole round."""
        return self.folder / CAMPAIGN

    @property
    def items(self) -> Path:
        """What is to be rated, one item a line, in the order that raters get them."""
        return self.folder / "items.jsonl"

    @property
    def form(self) -> Path:
        """Guidelines, questions and layout as they were used; an adjudication asks what its round asked."""
        return (self.folder.parent if self.folder.name == _ADJUDICATION else self.folder) / "form"

    @property
    def assigned(self) -> Path:
        """On sheets: who got which items."""
        return self.folder / "assigned.json"

    @property
    def ratings(self) -> Path:
        """One rating a line, as pulled."""
        return self.folder / "ratings.jsonl"

    @property
    def unsubmitted(self) -> Path:
        """Drafts and discarded items, one a line, as pulled."""
        return self.folder / "unsubmitted.jsonl"

    def load(self) -> Campaign | None:
        """The round as it was laid out, null if it never was.

        Raises:
            InputError: the file cannot be read as such.
        """
        try:
            return Campaign.model_validate_json(self.campaign.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValidationError) as error:
            what = error.strerror if isinstance(error, OSError) else "not as it was written"
            raise InputError(f"{self.campaign}: {what}; restore it from a copy") from None

    def read_items(self) -> tuple[Item, ...]:
        """The items, in the order that raters get them.

        Raises:
            InputError: the file is missing or not as it was written.
        """
        items = tuple(read_records(self.items, Item))
        campaign = self.load()
        if len({item.id for item in items}) < len(items) or (campaign and len(items) < campaign.items):
            raise InputError(
                f"{self.items}: not as it was written: lines are missing or doubled; restore it from a copy"
            )
        return items

    def save(self, campaign: Campaign) -> Campaign:
        """Write the campaign, whole or not at all, and return it."""
        self._make()
        with whole_file(self.campaign) as file:
            file.write(campaign.model_dump_json(indent=2) + "\n")
        return campaign

    def write_items(self, items: Iterable[Item]) -> None:
        """Write items.jsonl, whole or not at all."""
        self._make()
        with whole_file(self.items) as file:
            file.writelines(map(as_line, items))

    def set_aside(self, campaign: Campaign) -> None:
        """Close the round and its adjudication, and move them with all that was rated to RUN/annotation/earlier."""
        for place in (self, self.adjudication):
            if (there := place.load()) and not there.closed_at:
                place.save(there.model_copy(update={"closed_at": now()}))
        aside = self.folder.parent / EARLIER / f"{campaign.round}-{campaign.id}"
        try:
            aside.parent.mkdir(parents=True, exist_ok=True)
            self.folder.rename(aside)
        except OSError as error:
            raise cannot_write(aside, error) from None

    def _make(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(self.folder, error) from None


def begin(run: Run, round_: Round, way: Way, settings: AnnotationSettings, salt: str, key_check: str) -> Campaign:
    """A campaign with a new id, and the names that follow from it: what raters see, and how it is known."""
    id_ = secrets.token_hex(4)
    workspace = own_workspace(run, round_, id_)
    return Campaign(
        id=id_,
        round=round_,
        senior=False,
        way=way,
        workspace=workspace,
        dataset=workspace.replace("-", " "),
        settings=settings,
        salt=salt,
        key_check=key_check,
    )


def own_workspace(run: Run, round_: Round, id_: str) -> str:
    """What the workspace of a campaign is called, if it was not given one."""
    # Argilla takes letters, digits, "_" and "-".
    name = re.sub(r"[^A-Za-z0-9]+", "-", run.folder.resolve().name).strip("-")[:40] or "run"
    return f"{name}-{round_}-{id_}"


def now() -> str:
    """The time as it is written everywhere: ISO 8601 in UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
