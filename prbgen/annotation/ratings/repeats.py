"""Whether a rater who got an item twice, with its sides changed over, said the same both times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from prbgen.annotation.form.asked import Asked, Form
from prbgen.annotation.items import Item, opposite
from prbgen.annotation.ratings.values import Value


def agreement(
    form: Form, items: Mapping[str, Item], repeats: Iterable[Item], values: Mapping[str, Mapping[str, Value]]
) -> list[tuple[str, bool]]:
    """For each question that one rater answered both times (free text left out): its name without the answer that it
    asks about, and whether the answers are the same.

    `values` are the rater's, by item and by the names of what was asked. Sides are changed back first.
    """
    asked = {(each.question, each.shown): each for each in form.asked}
    found = []
    for repeat in repeats:
        first = items.get(repeat.repeats or "")
        if first is None or first.id not in values or repeat.id not in values:
            continue
        swapped = first.chosen != repeat.chosen
        then, again = values[first.id], values[repeat.id]
        for question in form.asked:
            side = opposite(question.shown) if swapped and question.shown else question.shown
            counterpart = asked.get((question.question, side))
            if counterpart and question.kind != "text" and question.name in then and counterpart.name in again:
                same = then[question.name] == _changed_back(question, again[counterpart.name], swapped)
                found.append((question.question, same))
    return found


def _changed_back(asked: Asked, value: Value, swapped: bool) -> Value:
    match value:
        case "A" | "B" if swapped and asked.kind == "choice":
            return opposite(value)
    return value
