"""What raters began or put aside: kept apart from ratings, which it must not be taken for."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Literal

from pydantic import JsonValue

from prbgen.annotation.campaign import Campaign
from prbgen.annotation.items import Item
from prbgen.annotation.response import Response
from prbgen.schema import ItemKind, Record, Round
from prbgen.text import storable


class Unsubmitted(Record):
    """A draft, or an item that a rater discarded, with what was answered to it so far.

    `values` are as the server or the sheet gave them. `pair_id` and `kind` are null where the round has no such item.
    """

    round: Round
    item: str
    pair_id: str | None
    kind: ItemKind | None
    rater: str
    senior: bool
    status: Literal["draft", "discarded"]
    values: dict[str, JsonValue]
    begun_at: str | None
    submitted_at: str | None


def unsubmitted_of(campaign: Campaign, items: Iterable[Item], responses: Iterable[Response]) -> list[Unsubmitted]:
    """The drafts and discards among the responses: in the order of the items, then by rater."""
    known: dict[str, tuple[int, Item | None]] = {item.id: (place, item) for place, item in enumerate(items)}
    found = []
    for response in responses:
        if response.status == "submitted":
            continue
        place, item = known.get(response.item, (len(known), None))
        line = Unsubmitted(
            round=campaign.round,
            item=response.item,
            pair_id=item.pair_id if item else None,
            kind=item.kind if item else None,
            rater=response.rater,
            senior=campaign.senior,
            status=response.status,
            values=json.loads(storable(json.dumps(response.values, ensure_ascii=False, sort_keys=True))),
            begun_at=response.begun_at,
            submitted_at=response.submitted_at,
        )
        found.append((place, line.item, line.rater, line.model_dump_json(), line))
    return [line for *_, line in sorted(found, key=lambda each: each[:4])]
