"""The columns of a sheet: what is shown in them, and what they ask for."""

from __future__ import annotations

import re
from collections.abc import Iterable

from prbgen.annotation.form.asked import NONE, Asked, Form
from prbgen.annotation.items import Content, Item
from prbgen.schema import Round
from prbgen.text import one_line, storable

ITEM = "item"
_SHOWN: dict[Round, tuple[str, ...]] = {
    "quality": ("question", "answer_a", "answer_b"),
    "blind": ("question", "posts", "answer_a", "answer_b"),
    "rubric": ("question", "posts", "aspects", "answer_a", "answer_b"),
}
# A spreadsheet runs what begins so; it may also take a semicolon or a tab inside a text for the end of a cell.
_RUNS = re.compile(r"\A(?=[=+\-@\t\r\n＝＋－＠])|(?<=[;\t])(?=[=@])")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_LONGEST = 32_000  # characters; spreadsheets hold 32,767 in a cell and move the rest to another row
# Keeps spreadsheets from reading an id as a number.
_MARK = "#"


def header(form: Form) -> list[str]:
    """The first row: the names of the columns and, for those to be filled in, what may stand there."""
    asked = (f"{each.name}: {one_line(each.title)} [{entries(each)}]" for each in form.asked)
    return [f"{ITEM}: leave this column as it is", *_SHOWN[form.round], *map(storable, asked)]


def name_of(cell: str) -> str:
    """Which column a cell of the first row heads."""
    return cell.partition(":")[0].strip().casefold()


def entries(asked: Asked) -> str:
    """What may stand in a cell of a column."""
    if asked.kind == "text":
        return "any text" if asked.required else "any text, or nothing"
    if asked.kind == "aspects":
        return f"numbers of aspects such as 1;3, or {NONE}"
    return one_line(", ".join(value if value == text else f"{value} = {text}" for value, text in asked.options))


def row(form: Form, item: Item, content: Content) -> list[str]:
    """The row of an item, to be filled in."""
    shown = {
        "question": content.question,
        "posts": _numbered(
            (f"[{each.category}] {each.text}" if each.category else each.text) for each in content.posts
        ),
        "aspects": _numbered(
            (f"{each.aspect} ({each.reason})" if each.reason else each.aspect) for each in content.aspects
        ),
        "answer_a": content.a,
        "answer_b": content.b,
    }
    return [f"{_MARK}{item.id}", *(harmless(shown[name]) for name in _SHOWN[form.round]), *("" for _ in form.asked)]


def item_of(cell: str) -> str:
    """Which item a row is about; "" for none."""
    return cell.strip().removeprefix("'").removeprefix(_MARK).strip()


def harmless(text: str) -> str:
    """A text as a spreadsheet can show it, and does not run it."""
    plain = _CONTROL.sub(" ", storable(text).replace("\r\n", "\n"))
    if len(plain) > _LONGEST:
        plain = f"{plain[:_LONGEST]} … [the rest does not fit into a cell]"
    return _RUNS.sub("'", plain)


def _numbered(texts: Iterable[str]) -> str:
    return "\n\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))
