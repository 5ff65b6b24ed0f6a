"""Responses, told apart into one rating a question answered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from prbgen.annotation.campaign import Campaign
from prbgen.annotation.form.asked import EQUAL, Asked, Form
from prbgen.annotation.items import Item
from prbgen.annotation.ratings.order import Order
from prbgen.annotation.ratings.values import Value, answered, kept, read
from prbgen.annotation.response import Response
from prbgen.schema import Rating

Label = Literal["chosen", "rejected", "equal"]


def ratings_of(campaign: Campaign, form: Form, items: Iterable[Item], responses: Iterable[Response]) -> list[Rating]:
    """The ratings in the submitted responses: in the order of the items, then by rater and question.

    What cannot be is kept with a flag. Pair and kind are null for an item that the round does not have.
    """
    known = {item.id: item for item in items}
    asked = {each.name: each for each in form.asked}
    order = Order(form, known.values())
    found = (
        rating
        for response in responses
        if response.status == "submitted"
        for rating in _ratings(campaign, asked, known.get(response.item), response)
    )
    return sorted(found, key=order.of)


def _ratings(campaign: Campaign, asked: dict[str, Asked], item: Item | None, response: Response) -> Iterator[Rating]:
    faults = ["not an item of this round"] if item is None else []
    if response.rater not in campaign.raters:
        faults.append("not by a rater of this round")
    for name, raw in response.values.items():
        if not answered(raw):
            continue
        question = asked.get(name)
        value: Value = kept(raw)
        flags = list(faults)
        if question is None:
            flags.append("not a question of this round")
        elif item is not None:
            value, flag = read(question, item.aspects, raw)
            flags += [flag] if flag else []
        yield Rating(
            round=campaign.round,
            pair_id=item.pair_id if item else None,
            item=response.item,
            kind=item.kind if item else None,
            rater=response.rater,
            senior=campaign.senior,
            question=question.question if question else name,
            shown=question.shown if question else None,
            label=label_of(question, item, value),
            value=value,
            submitted_at=response.submitted_at,
            flag="; ".join(flags) or None,
        )


def label_of(asked: Asked | None, item: Item | None, value: Value) -> Label | None:
    """What the answer that is asked about is, or the one that a choice names; null where it is neither."""
    if asked is None or item is None or item.chosen is None:
        return None
    named = value if asked.kind == "choice" else asked.shown
    if named == EQUAL:
        return "equal"
    if named not in ("A", "B"):
        return None
    return "chosen" if named == item.chosen else "rejected"
