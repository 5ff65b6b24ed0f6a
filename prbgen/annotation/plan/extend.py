"""The items of a round: laid out at first, extended when pairs have been added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from pathlib import Path

from prbgen.annotation.items import Item
from prbgen.annotation.plan.batch import Batch
from prbgen.annotation.plan.earlier import Earlier
from prbgen.annotation.plan.eligible import eligible
from prbgen.annotation.plan.index import indexed
from prbgen.annotation.plan.sample import drawn
from prbgen.annotation.plan.wording import TEMPLATE, Wording
from prbgen.recipe import AnnotationSettings
from prbgen.resources import resource
from prbgen.schema import ItemKind, Round


@dataclass(frozen=True)
class Plan:
    """The items of a round in the order that raters get them: the earlier ones first, then `added` more.

    Of the earlier ones only the mark `withdrawn` is set anew, by what their pairs are now. `replacing` are ids of added
    items that take the place of a withdrawn one of the same pair and kind; that of a pair has the chosen answer on the
    same side. `left_out` counts pairs that can't be rated, by reason. `remarks` say what could not be done.
    """

    items: tuple[Item, ...]
    added: int
    replacing: frozenset[str]
    left_out: dict[str, int]
    remarks: tuple[str, ...]


def extend(
    pairs: Path,
    earlier: Sequence[Item],
    round: Round,  # noqa: A002 - the project's word for it
    settings: AnnotationSettings,
    max_aspects: int | None,
    wording: str | None = None,
) -> Plan:
    """Plan the items of a round: those that it has already, then those that it lacks.

    The same pairs (in any order), earlier items, round and settings give the same plan. In each subset and strategy the
    chosen answer stands on A as often as on B (they differ by one at most) over the items of kind "pair" that
    are not withdrawn, unless pairs have gone. A pair that the round has, and can still rate, has one such item.

    Args:
        pairs: The run's pairs.jsonl.
        earlier: The items so far, as the last plan has them; empty the first time.
        round: The round.
        settings: What was asked for; frozen with the first items.
        max_aspects: How many aspects the round can ask about; null: any number.
        wording: The template of what ends gold items' better answers; null: the one that ships with prbgen.

    Raises:
        InputError: there are no pairs, a line is none, or the wording cannot be used.
    """
    if wording is None:
        wording = (resource("annotation/gold") / TEMPLATE).read_text(encoding="utf-8")
    with indexed(pairs) as index:
        entries, left_out = eligible(index.entries.values(), round, max_aspects)
        before = Earlier.of(earlier, index, round)
        again = {pair_id: side for pair_id, side in before.changed.items() if pair_id in entries}
        new = drawn(entries.values(), before.rated.keys() | again.keys(), settings)
        batch = Batch(index, round, settings.seed, before, Wording(wording))
        batch.take(new, again)
        count = len(batch.pairs)
        batch.add_gold(entries.values(), _owed(settings.gold, "gold", earlier, count))
        batch.add_repeats(_owed(settings.repeats, "repeat", earlier, count))
    rated = len(before.rated) + count
    remarks = list(batch.remarks)
    if rated < settings.sample:
        remarks.insert(0, f"the sample is to have {settings.sample} pairs, but only {rated} can be rated")
    added = batch.items
    vacant = {(item.kind, item.pair_id) for item in before.items if item.withdrawn}
    replacing = frozenset(item.id for item in added if (item.kind, item.pair_id) in vacant)
    return Plan((*before.items, *added), len(added), replacing, left_out, tuple(remarks))


def most_aspects(pairs: Path) -> int:
    """The most aspects that any pair has.

    Raises:
        InputError: there are no pairs, or a line is none.
    """
    with indexed(pairs) as index:
        return max(entry.aspects for entry in index.entries.values())


def _owed(share: float, kind: ItemKind, earlier: Sequence[Item], new: int) -> int:
    """How many items of a kind `new` further pairs call for; none without new pairs."""
    pairs = sum(item.kind == "pair" for item in earlier) + new
    # As written, not as stored: .07 of 100 is 7, not a little more.
    wanted = ceil(Fraction(str(share)) * pairs)
    return max(0, wanted - sum(item.kind == kind for item in earlier)) if new else 0
