"""Reading filled-in sheets back: every cell is checked, and nothing is taken if anything is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from prbgen.annotation.campaign import Campaign
from prbgen.annotation.form.asked import Form
from prbgen.annotation.items import Item
from prbgen.annotation.response import Response
from prbgen.annotation.sheets.cells import CellError, read_cell
from prbgen.annotation.sheets.columns import ITEM, item_of
from prbgen.annotation.sheets.names import among, files_in, owner_of
from prbgen.annotation.sheets.table import Table, read_table
from prbgen.errors import InputError
from prbgen.text import one_line, storable

_TABLES = {".csv", ".tsv", ".txt"}
_WORKBOOKS = {".xlsx", ".xls", ".xlsm", ".xlsb", ".ods", ".numbers"}
_NAMED = 3  # faults that are spelled out

Values = dict[str, JsonValue]


@dataclass(frozen=True)
class Sheets:
    """What some sheets say: responses in the order of the items, then by rater.

    `rows` are rater (pseudonym) and item of every row that was there, answered or not: of others they say nothing.
    """

    responses: list[Response]
    rows: frozenset[tuple[str, str]]


class _Faults:
    """What is wrong: all of it is counted, the first few are kept."""

    def __init__(self) -> None:
        self.count = 0
        self.first: list[str] = []

    def add(self, what: str) -> None:
        self.count += 1
        if len(self.first) < _NAMED:
            self.first.append(what)

    def refuse(self, folder: Path) -> None:
        """Raise what was found."""
        if self.count:
            more = f"; and {self.count - len(self.first)} more" if self.count > len(self.first) else ""
            what = f"{self.count} faults: " if self.count > 1 else ""
            raise InputError(f"{folder}: {what}{'; '.join(self.first)}{more} (nothing was taken)")


def read_sheets(
    folder: Path,
    campaign: Campaign,
    form: Form,
    items: Iterable[Item],
    pseudonym: Callable[[str], str],
    usernames: Iterable[str],
) -> Sheets:
    """The answers in the sheets of a folder.

    A row with all required answers is submitted, one with some is a draft, one with none is no response. Sheets may be
    missing, and whatever a spreadsheet does to a file is taken as long as it is clear what a cell says.

    Raises:
        InputError: something is wrong; says how much, and the first of it with file, row and column.
    """
    known = {item.id: item for item in items}
    find = among(usernames)
    faults = _Faults()
    found: dict[str, dict[str, Values]] = {}
    files: dict[tuple[str, str], str] = {}
    for path in _sheets(folder, campaign, faults):
        owner = owner_of(path, find)
        if owner is None:
            faults.add(f"{path.name}: is no rater's sheet; its name should be a username, as it was written")
            continue
        answers = _read(path, form, known, faults)
        twice = [files[owner, item] for item in answers if (owner, item) in files]
        if twice:
            faults.add(f"{path.name}: has {len(twice)} of the items in {twice[0]}; keep one of them")
        files |= {(owner, item): path.name for item in answers}
        found.setdefault(owner, {}).update(answers)
    faults.refuse(folder)
    order = {item: place for place, item in enumerate(known)}
    rows = {(pseudonym(owner), item): values for owner, answers in found.items() for item, values in answers.items()}
    responses = (_response(form, item, rater, values) for (rater, item), values in rows.items() if values)
    return Sheets(sorted(responses, key=lambda each: (order[each.item], each.rater)), frozenset(rows))


def _sheets(folder: Path, campaign: Campaign, faults: _Faults) -> list[Path]:
    files = files_in(folder)
    for path in files:
        if path.suffix.lower() in _WORKBOOKS:
            faults.add(f"{path.name}: is a workbook; save its sheet as CSV UTF-8")
    found = [path for path in files if path.suffix.lower() in _TABLES]
    if not found and not faults.count:
        raise InputError(f"{folder}: holds no sheets of the round {campaign.round} (CSV files)")
    return found


def _read(path: Path, form: Form, items: Mapping[str, Item], faults: _Faults) -> dict[str, Values]:
    """The answers in a sheet by item, empty ones too."""
    names = [each.name for each in form.asked]
    try:
        table = read_table(path, [ITEM, *names])
    except InputError as error:
        faults.add(str(error))
        return {}
    missing = (
        [ITEM]
        if ITEM not in table.columns
        else [each.name for each in form.asked if each.required and each.name not in table.columns]
    )
    if missing:
        faults.add(f"{path.name}: has no column {' and no column '.join(missing)}; its first row must stay as it was")
        return {}
    found: dict[str, tuple[int, Values]] = {}
    for number, cells in table.rows:
        where = f"{path.name}, row {number}"
        name = item_of(_cell(table, cells, ITEM))
        if name not in items:
            if name or any(_cell(table, cells, each).strip() for each in names):
                faults.add(
                    f'{where}, {ITEM}: "{_shown(name)}" is no item of this round; copy it from the sheet as written'
                )
            continue
        values = _values(where, form, items[name], table, cells, faults)
        first, before = found.get(name, (number, {}))
        if values and before and values != before:
            faults.add(f"{where}: answers the item of row {first} again, and otherwise; keep one of them")
        found[name] = (first, before) if before else (number, values)
    return {name: values for name, (_, values) in found.items()}


def _values(where: str, form: Form, item: Item, table: Table, cells: list[str], faults: _Faults) -> Values:
    values: Values = {}
    for asked in form.asked:
        cell = _cell(table, cells, asked.name)
        try:
            value = read_cell(asked, item.aspects, cell)
        except CellError as error:
            faults.add(f'{where}, {asked.name}: "{_shown(cell)}" should be {error}')
            continue
        if value is not None:
            values[asked.name] = value
    return values


def _cell(table: Table, cells: list[str], name: str) -> str:
    place = table.columns.get(name)
    return cells[place] if place is not None and place < len(cells) else ""


def _shown(cell: str) -> str:
    return one_line(storable(cell), 40)


def _response(form: Form, item: str, rater: str, values: Values) -> Response:
    complete = all(asked.name in values for asked in form.asked if asked.required)
    return Response(
        item=item,
        rater=rater,
        status="submitted" if complete else "draft",
        values=values,
        begun_at=None,
        submitted_at=None,
    )
