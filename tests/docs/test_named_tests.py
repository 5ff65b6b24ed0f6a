"""A page that names a test as its witness names one that exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.processes import ROOT

_NAMED = re.compile(r"`?(tests/[\w./-]+\.py)((?:::\w+)+)(\[[^\]`]*\])?`?")
# Pages whose tables say of each row how it was tested.
_WITNESSED = ("faults.md", "security.md")


def pages() -> list[Path]:
    return sorted((ROOT / "docs").rglob("*.md"))


@cache
def functions_of(file: Path) -> frozenset[str]:
    """The tests of a file: `test_x`, and `Class::test_x` for those in classes."""
    return frozenset(_tests(ast.parse(file.read_text(encoding="utf-8")).body, ""))


def _tests(body: list[ast.stmt], within: str) -> Iterator[str]:
    for each in body:
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and each.name.startswith("test_"):
            yield within + each.name
        elif isinstance(each, ast.ClassDef):
            yield from _tests(each.body, f"{within}{each.name}::")


def missing(text: str) -> list[str]:
    """The tests that a text names and that do not exist."""
    named = {(file, name.removeprefix("::")) for file, name, _ in _NAMED.findall(text)}
    return sorted(
        f"{file}::{name}"
        for file, name in named
        if not (ROOT / file).is_file() or name not in functions_of(ROOT / file)
    )


def rows(text: str) -> list[str]:
    """The rows of all tables, without their heads."""
    lines = [line.strip() for line in text.splitlines()]
    found = []
    head = True
    for line in lines:
        if not line.startswith("|"):
            head = True
        elif set(line) <= set("|-: "):
            head = False
        elif not head:
            found.append(line)
    return found


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_test_that_a_page_names_exists(page: Path) -> None:
    assert missing(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("name", [name for name in _WITNESSED if (ROOT / "docs" / name).is_file()])
def test_every_row_says_how_it_was_tested(name: str) -> None:
    table = rows((ROOT / "docs" / name).read_text(encoding="utf-8"))
    assert table
    assert [row for row in table if not _NAMED.search(row)] == []


def test_a_test_that_is_not_there_is_found_missing() -> None:
    here = "tests/docs/test_named_tests.py"
    text = (
        f"`{here}::test_a_test_that_is_not_there_is_found_missing[x y]`, `{here}::test_nothing`, tests/none.py::test_a"
    )
    assert missing(text) == ["tests/docs/test_named_tests.py::test_nothing", "tests/none.py::test_a"]
    inside = "tests/llm/test_templates.py::test_there_are_words_for_every_problem"
    assert missing(inside) == [inside]


def test_rows_are_those_below_the_line_of_a_table() -> None:
    assert rows("| a |\n| --- |\n| 1 |\n| 2 |\n\ntext\n\n| b |\n|:-|\n| 3 |\n") == ["| 1 |", "| 2 |", "| 3 |"]
