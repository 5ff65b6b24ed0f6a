"""Which ratings count at all: those that can be what they say, and that their rater still holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from prbgen.annotation.campaign import Campaign
from prbgen.annotation.form.asked import Asked, Form
from prbgen.annotation.items import Item
from prbgen.annotation.ratings.pace import moment
from prbgen.annotation.ratings.rating import label_of
from prbgen.annotation.ratings.values import Value, scale
from prbgen.errors import InputError
from prbgen.run import read_records
from prbgen.schema import Rating, Shown


@dataclass(frozen=True)
class Scale:
    """What may be answered to a question: the `marks` of a "rating", the `options` of a "choice"."""

    question: str
    kind: Literal["rating", "choice", "aspects"]
    marks: tuple[int, ...] = ()
    options: tuple[str, ...] = ()


def scales_of(form: Form) -> Iterator[Scale]:
    """The scales of a form's questions, without those in free text."""
    seen = set()
    for asked in form.asked:
        if asked.question in seen:
            continue
        seen.add(asked.question)
        if asked.kind == "rating":
            marks = tuple(mark for mark in scale(asked) if mark != asked.unknown)
            yield Scale(asked.question, "rating", marks=marks)
        elif asked.kind == "choice":
            yield Scale(asked.question, "choice", options=tuple(value for value, _ in asked.options))
        elif asked.kind == "aspects":
            yield Scale(asked.question, "aspects")


def counting(
    path: Path, campaign: Campaign, form: Form, items: Iterable[Item], uncounted: Counter[str]
) -> Iterator[Rating]:
    """What raters say now, as far as it can be what it says; free text is passed over, `uncounted` gets the rest.

    Raises:
        InputError: a rater answers one question about one item twice, or a line is no rating.
    """
    asked = {(each.question, each.shown): each for each in form.asked if each.kind != "text"}
    text = {each.question for each in form.asked if each.kind == "text"}
    there = {item.id: item for item in items}
    seen: set[tuple[str, str, str, str | None]] = set()
    for rating in read_records(path, Rating):
        if rating.question in text:
            continue
        if reason := _doubt(rating, campaign, asked, there):
            uncounted[reason] += 1
            continue
        what = (rating.item, rating.rater, rating.question, rating.shown)
        if what in seen:
            raise InputError(
                f"{path}: {rating.rater} answers {rating.question} of item {rating.item} twice; pull the round again"
            )
        seen.add(what)
        yield rating


def _doubt(
    rating: Rating, campaign: Campaign, asked: Mapping[tuple[str, Shown | None], Asked], there: Mapping[str, Item]
) -> str | None:
    """Why a rating does not count; also what only somebody who changed the file by hand can have made of it."""
    if rating.gone:
        return f"{rating.gone} by the rater"
    if rating.flag:
        return "cannot be what it says (flagged)"
    if rating.item not in there:
        return "not an item of this round"
    if rating.rater not in campaign.raters:
        return "not by a rater of this round"
    question, item = asked.get((rating.question, rating.shown)), there[rating.item]
    if question is None:
        return "not a question of this round"
    if not _possible(question, item, rating.value):
        return "out of scale"
    said = (rating.round, rating.senior, rating.pair_id, rating.kind, rating.label)
    if said != (campaign.round, campaign.senior, item.pair_id, item.kind, label_of(question, item, rating.value)):
        return "says something else of its item than the round does"
    return None if _is_time(rating.submitted_at) else "submitted at no time"


def _possible(of: Asked, item: Item, value: Value) -> bool:
    if of.kind == "rating":
        return value is None or value in scale(of)
    if of.kind == "choice":
        return value in [option for option, _ in of.options]
    return isinstance(value, tuple) and all(1 <= number <= item.aspects for number in value)


def _is_time(text: str | None) -> bool:
    try:
        return text is None or moment(text).tzinfo is not None
    except ValueError:
        return False
