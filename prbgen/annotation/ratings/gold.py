"""Whether an item whose answer is known was answered right."""

from __future__ import annotations

from collections.abc import Mapping

from prbgen.annotation.items import Bound, Item
from prbgen.annotation.ratings.values import Value


def right(item: Item, values: Mapping[str, Value]) -> bool:
    """Whether all that is known of a gold item's answer holds for these values, by the names of what was asked.

    What was not answered, "can't tell" (null) and what is flagged (leave it out) is not right.
    """
    return all(holds(bound, values.get(bound.name)) for bound in item.gold)


def holds(bound: Bound, value: Value) -> bool:
    """Whether a value is what a gold item's known answer allows; of aspects their number counts."""
    if value is None:
        return False
    if bound.values:
        return str(value) in bound.values
    if isinstance(value, str):
        return False
    number = len(value) if isinstance(value, tuple) else value
    return (bound.least is None or bound.least <= number) and (bound.most is None or number <= bound.most)
