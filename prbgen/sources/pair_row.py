"""One row of pairs: raw values in, either checked fields or a list of everything that is wrong with them out."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from prbgen.schema import Post, RubricAspect
from prbgen.sources.fields import FaultyRow, Fields, Notes, kind_of
from prbgen.sources.files import some
from prbgen.sources.turns import ANSWER_COLUMNS, QUESTION_COLUMNS, Turns, read_turns
from prbgen.text import one_line

_OWN = ("id", "profile", "rubric_aspects", "narrative", "category", "pair_id", "user_key", "strategy", "generator")
COLUMNS = frozenset({*_OWN, *ANSWER_COLUMNS, *QUESTION_COLUMNS, "provenance", "subset"})


@dataclass(frozen=True, slots=True)
class Origin:
    """What the provenance of prbgen's own pairs says; null is what it does not."""

    subset: str | None = None
    split: str | None = None
    calls: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class PairRow:
    """A row that is in order. Null is what it does not have; `subset` is what its column says, not its origin."""

    id: str | None
    pair_id: str | None
    turns: Turns
    profile: tuple[Post, ...] | None
    rubric_aspects: tuple[RubricAspect, ...] | None
    narrative: str | None
    category: str | None
    subset: str | None
    user_key: str | None
    strategy: str | None
    generator: str | None
    origin: Origin


def read_pair_row(value: object, unread: Collection[str] = ()) -> PairRow | FaultyRow:
    """Check one row: any JSON value, or what Parquet holds; `unread` are further columns, which do not matter."""
    if not isinstance(value, dict):
        return FaultyRow((f"is {kind_of(value)}, should be an object",))
    missing = [f"no {name}" for name in ANSWER_COLUMNS if name not in value]
    if missing:
        names = some([one_line(name, 40) for name in (*value, *unread)], most=20)
        return FaultyRow((f"{', '.join(missing)}; columns are: {names}",))
    notes = Notes()
    row = Fields(value, "", notes)
    checked = PairRow(
        id=row.optional_name("id"),
        pair_id=row.optional_text("pair_id"),
        turns=read_turns(row),
        profile=None if value.get("profile") is None else row.posts("profile"),
        rubric_aspects=row.aspects("rubric_aspects"),
        narrative=row.optional_text("narrative"),
        category=row.optional_text("category"),
        subset=row.optional_text("subset"),
        user_key=row.optional_name("user_key"),
        strategy=row.optional_text("strategy"),
        generator=row.optional_text("generator"),
        origin=_origin(row),
    )
    return FaultyRow(tuple(notes.faults)) if notes.faults else checked


def _origin(row: Fields) -> Origin:
    """Only a row with a pair_id is prbgen's own: elsewhere, `provenance` may be anything."""
    provenance = row.value.get("provenance")
    if provenance is None or row.value.get("pair_id") is None:
        return Origin()
    if not isinstance(provenance, dict):
        row.fault("provenance", f"is {kind_of(provenance)}, should be an object")
        return Origin()
    own = Fields(provenance, "provenance.", row.notes)
    return Origin(own.optional_text("subset"), own.optional_text("split"), _calls(own))


def _calls(provenance: Fields) -> tuple[int, int] | None:
    calls = provenance.value.get("calls")
    if calls is None:
        return None
    sides = [calls.get(name) for name in ANSWER_COLUMNS] if isinstance(calls, dict) else [None]
    counts = [len(each) for each in sides if isinstance(each, list)]
    if len(counts) != len(ANSWER_COLUMNS):
        provenance.fault("calls", "should list those of chosen and of rejected")
        return None
    return counts[0], counts[1]
