"""Reads a source into questions: the one way in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from prbgen.errors import InputError
from prbgen.recipe import SourceSettings
from prbgen.schema import Question, Reject
from prbgen.sources.census import Census, PlacedRow, placed_rows, take_census
from prbgen.sources.fields import FaultyRow
from prbgen.sources.files import some
from prbgen.sources.lamp_qa import LampQaRow
from prbgen.sources.names import Selection
from prbgen.sources.own_posts import without_own_posts
from prbgen.sources.parts import Part, find_parts
from prbgen.text import storable


@dataclass
class SourceReport:
    """What has been read so far.

    `rows`: looked at; `questions`, `rejected`: given out; of the questions given out, `own_posts_dropped`: posts that
    repeat their own question's, `characters_replaced`: those that cannot be stored, `users`: how many asked.
    """

    rows: int = 0
    questions: int = 0
    rejected: int = 0
    own_posts_dropped: int = 0
    characters_replaced: int = 0
    users: int = 0


def check_source(source: SourceSettings) -> None:
    """See that there is something to read; what is on the Hub is fetched.

    Raises:
        InputError: the source cannot be used.
    """
    find_parts(source, Selection.of(source))


def read_questions(
    source: SourceSettings, *, strict: bool = False, report: SourceReport | None = None
) -> Iterator[Question | Reject]:
    """The questions of a source and the rows that are refused, in source order.

    Everything is read twice: users can only be told when all profiles have been seen. No more than a few rows are in
    memory at a time.

    Args:
        source: Where to read and what; paths are absolute or Hub ids.
        strict: Stop at the first fault, before anything is given out.
        report: Is filled on the way.

    Raises:
        InputError: the source cannot be used; with `strict` also the first refused row, or an id that is not there.
    """
    report = SourceReport() if report is None else report
    selection = Selection.of(source)
    parts = find_parts(source, selection)
    census = take_census(parts, selection)
    _refuse_nothing(parts, selection, census)
    if strict:
        # Before the first question is given out: whoever works on them spends money.
        for item in _limited(source, _items(source, parts, selection, census, SourceReport())):
            if isinstance(item, Reject):
                raise InputError(described(item))
    askers = set()
    for item in _limited(source, _items(source, parts, selection, census, report)):
        if isinstance(item, Reject):
            report.rejected += 1
        else:
            report.questions += 1
            report.own_posts_dropped += item.own_posts_dropped
            askers.add(item.user_key)
            report.users = len(askers)
        yield item


def _limited(source: SourceSettings, items: Iterator[Question | Reject]) -> Iterator[Question | Reject]:
    """Up to the question that reaches the limit."""
    given = 0
    for item in items:
        yield item
        given += isinstance(item, Question)
        if given == source.limit > 0:
            return


def described(reject: Reject) -> str:
    """Where, which and why: a refused row for the screen."""
    place = [reject.where] if reject.where else []
    name = [f"id {reject.id}"] if reject.id else []
    return ": ".join([*place, *name, "; ".join(reject.reasons)])


def _items(
    source: SourceSettings, parts: list[Part], selection: Selection, census: Census, report: SourceReport
) -> Iterator[Question | Reject]:
    for placed in placed_rows(parts, selection):
        if placed.subset is not None and not selection.takes(placed.subset):
            continue
        report.rows += 1
        if not source.ids or placed.row.id is None or placed.row.id in source.ids:
            yield _item(placed, census, report)
    known = {question_id for _, question_id in census.first}
    for name in source.ids:
        if name not in known:
            yield Reject(id=storable(name), subset=None, stage="source", reasons=("no question has this id",))


def _item(placed: PlacedRow, census: Census, report: SourceReport) -> Question | Reject:
    row, name = placed.row, (placed.subset or "", placed.row.id or "")
    faults = list(row.faults) if isinstance(row, FaultyRow) else []
    if census.first.get(name, placed.where) != placed.where:
        faults.append(f"id: already used at {census.first[name]}")
    if faults or isinstance(row, FaultyRow):
        return Reject(id=row.id, subset=placed.subset, stage="source", reasons=tuple(faults), where=placed.where)
    if name not in census.users:
        raise InputError(f"{placed.where}: the source has changed while it was being read: start again")
    report.characters_replaced += row.replaced
    return _question(row, placed, census.users[name])


def _question(row: LampQaRow, placed: PlacedRow, user: str) -> Question:
    profile, dropped = without_own_posts(row.profile, row.narrative)
    return Question(
        id=row.id,
        question=row.question,
        profile=profile,
        rubric_aspects=row.rubric_aspects,
        narrative=row.narrative,
        category=row.category,
        subset=placed.subset or "",
        split=placed.split,
        user_key=user,
        own_posts_dropped=dropped,
    )


def _refuse_nothing(parts: list[Part], selection: Selection, census: Census) -> None:
    """Refuse what only the rows can show: that there are none, or none of a subset that is asked for."""
    names = some([part.label for part in parts])
    if not census.subsets:
        raise InputError(f"{names}: no rows")
    found = census.subsets | {part.subset for part in parts}
    missing = [subset for subset in selection.subsets if subset not in found]
    if missing and found != {None}:
        there = ", ".join(sorted(subset for subset in found if subset))
        raise InputError(f"{names}: no subset {', '.join(missing)}; found: {there}")
