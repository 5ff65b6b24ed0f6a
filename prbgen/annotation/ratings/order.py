"""The one order of ratings, so that the same ratings make the same file."""

from __future__ import annotations

from collections.abc import Iterable

from prbgen.annotation.form.asked import Form
from prbgen.annotation.items import Item
from prbgen.schema import Rating


class Order:
    """Items as they were laid out, then raters, questions as they are asked, times; what is not known comes last."""

    def __init__(self, form: Form, items: Iterable[Item]) -> None:
        self._items = {item.id: place for place, item in enumerate(items)}
        self._asked = {(each.question, each.shown): place for place, each in enumerate(form.asked)}

    def of(self, rating: Rating) -> tuple[int | str, ...]:
        """What to sort a rating by."""
        return (
            self._items.get(rating.item, len(self._items)),
            rating.item,
            rating.rater,
            self._asked.get((rating.question, rating.shown), len(self._asked)),
            rating.question,
            rating.shown or "",
            rating.submitted_at or "",
            rating.gone or "",
            # One question of one response has one value; this tells untimed ones that were replaced from each other.
            repr(rating.value),
        )
