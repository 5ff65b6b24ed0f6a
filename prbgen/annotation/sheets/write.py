"""Writing the sheets of a round: one CSV a rater and batch, and the guidelines beside them."""

from __future__ import annotations

import codecs
import csv
import io
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from prbgen.annotation.campaign import Campaign
from prbgen.annotation.form.asked import Form
from prbgen.annotation.items import Content, Item
from prbgen.annotation.sheets.assigned import Assigned, assigned_before
from prbgen.annotation.sheets.assignment import assign, ordered
from prbgen.annotation.sheets.columns import header, row
from prbgen.annotation.sheets.names import file_name, refuse_ambiguous, refuse_names
from prbgen.annotation.sheets.staging import together
from prbgen.errors import InputError

GUIDELINES = "guidelines.md"


@dataclass(frozen=True)
class Written:
    """The ids of the items that went to sheets now, how many had before, and how many sheets are new."""

    created: tuple[str, ...]
    unchanged: int
    sheets: int


def check_sheets(folder: Path, usernames: Sequence[str], per_item: int = 1) -> None:
    """Refuse what can be known before anything is written; each item is to go to `per_item` raters.

    Raises:
        InputError: too few raters, usernames that make no or the same file name, a folder that can't be one.
    """
    if len(set(usernames)) < per_item:
        raise InputError(
            f"{per_item} ratings an item need as many raters, named: {len(set(usernames))}; name more, or ask for less"
        )
    refuse_names(usernames)
    there = next((each for each in (folder, *folder.parents) if each.exists()), None)
    if there and not there.is_dir():
        raise InputError(f"{there}: is no folder; name one for the sheets")


def write_sheets(
    folder: Path,
    assigned: Path,
    campaign: Campaign,
    form: Form,
    usernames: Sequence[str],
    pseudonym: Callable[[str], str],
    items_contents: Iterable[tuple[Item, Content]],
) -> Written:
    """Write what is new since the last time, to whatever folder: a sheet for each rater who gets any of it.

    No sheet is ever overwritten. `assigned` is the file in the run that records, under pseudonyms, who got what. An
    interrupted write leaves nothing, or is completed by the next, in the folder that the next one names.

    Raises:
        InputError: as `check_sheets`; a sheet of that name is in the folder; the record can't be read.
        PrbgenError: the folder or the run cannot be written to.
    """
    check_sheets(folder, usernames, 1 if assigned.exists() else campaign.settings.raters_per_item)
    refuse_ambiguous(usernames, lambda name: pseudonym(name) in campaign.raters)
    names = {pseudonym(username): username for username in usernames}
    with together(folder, assigned, GUIDELINES) as partial, TemporaryFile(dir=partial) as file:
        before = assigned_before(assigned, campaign)
        rows = _Rows(file, form)
        unchanged = rows.take(items_contents, before, set(names), campaign.settings.raters_per_item)
        told, created = _divided(campaign, rows.items, names.keys(), before)
        by_rater: dict[str, list[Item]] = defaultdict(list)
        for item, raters in told.items():
            for rater in raters:
                by_rater[rater].append(rows.items[item])
        for rater, items in by_rater.items():
            path = partial / file_name(names[rater], before.batches + 1)
            rows.copy(ordered(items, rater, _seed(campaign)), path)
        if by_rater or (folder / GUIDELINES).exists():
            _write(partial / GUIDELINES, form.guidelines)
        if by_rater or not assigned.exists():
            merged = before.raters | {item: (*before.raters.get(item, ()), *raters) for item, raters in told.items()}
            after = Assigned(campaign=campaign.id, batches=before.batches + bool(by_rater), raters=merged)
            _write(partial / assigned.name, after.model_dump_json(indent=1) + "\n")
    return Written(created, unchanged, len(by_rater))


def _divided(
    campaign: Campaign, items: dict[str, Item], raters: Collection[str], before: Assigned
) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    """Who gets which item now, and which of the items nobody had before."""
    per_item = campaign.settings.raters_per_item
    new = assign(items.values(), raters, per_item, _seed(campaign), before.raters)
    created = tuple(item for item in items if item not in before.raters)
    short = sum(items[item].kind == "pair" and len(new[item]) < per_item for item in created)
    if short:
        raise InputError(f"{per_item} ratings for each of {short} new items need as many raters, named: {len(raters)}")
    # Gold items of earlier are for raters who get other work too.
    at_work = {rater for item, names in new.items() if items[item].kind != "gold" for rater in names}
    return {item: tuple(each for each in raters if each in at_work) for item, raters in new.items()}, created


def _seed(campaign: Campaign) -> str:
    return f"{campaign.settings.seed} {campaign.round}"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


class _Rows:
    """The rows of items, kept on disk until it is known in whose sheets they go."""

    def __init__(self, file: IO[bytes], form: Form) -> None:
        self._file = file
        self._form = form
        self._places: dict[str, tuple[int, int]] = {}
        self.items: dict[str, Item] = {}

    def take(
        self, items_contents: Iterable[tuple[Item, Content]], before: Assigned, raters: set[str], per_item: int
    ) -> int:
        """Take the items that are new, or wanted of somebody else; how many are not new."""
        start = unchanged = 0
        for item, content in items_contents:
            there = before.raters.get(item.id)
            unchanged += there is not None
            if item.id in self.items or (there is not None and not self._wanted(item, set(there), raters, per_item)):
                continue
            line = _line(row(self._form, item, content))
            self._file.write(line)
            self.items[item.id] = item
            self._places[item.id] = start, len(line)
            start += len(line)
        return unchanged

    def _wanted(self, item: Item, there: set[str], raters: set[str], per_item: int) -> bool:
        """Whether an item that went to some raters is to go to others as well."""
        if raters <= there:
            return False
        if item.kind == "repeat":
            return item.repeats in self.items
        return item.kind == "gold" or len(there) < per_item

    def copy(self, items: Iterable[str], path: Path) -> None:
        """Write the sheet with these items."""
        with path.open("wb") as sheet:
            # Without this mark Excel takes it for another encoding.
            sheet.write(codecs.BOM_UTF8 + _line(header(self._form)))
            for item in items:
                start, length = self._places[item]
                self._file.seek(start)
                sheet.write(self._file.read(length))


def _line(cells: Iterable[str]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerow(cells)
    return text.getvalue().encode()
