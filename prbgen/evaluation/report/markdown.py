"""A report as Markdown, with tables as GitHub shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from prbgen.evaluation.report import tables
from prbgen.evaluation.report.report import Evaluated, Report
from prbgen.evaluation.report.wording import outcome, repeat, size
from prbgen.text import one_line

# What stands for more than itself anywhere in a line; @ would call a person.
_MARKS = re.compile(r"([\\`*_\[\]#|~$<>&])")


def render_markdown(report: Report) -> str:
    """The report's tables. Equal reports give equal text."""
    lines = ["# Reward models", ""]
    if len(report.sets) > 1:
        lines += ["These results are on different pairs: each set has leaderboards of its own.", ""]
    for evaluated in report.sets:
        lines += _set(evaluated)
    return "\n".join(lines).rstrip() + "\n"


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return _MARKS.sub(r"\\\1", one_line(text)).replace("@", "&#64;")


def _set(evaluated: Evaluated) -> Iterator[str]:
    splits = ", ".join(split or "none" for split in evaluated.splits)
    yield f"## {escaped(', '.join(evaluated.names))}"
    yield ""
    yield f"{size(evaluated.pairs, evaluated.users)}, split: {escaped(splits)}."
    yield ""
    yield from _table(tables.conditions_table(evaluated))
    yield escaped(tables.LEGEND)
    yield ""
    for contrast in evaluated.contrasts:
        yield from _table(tables.gains_table(contrast))
        yield f"{escaped(contrast.meaning)} {escaped(outcome(contrast))}"
        yield ""
    for board in evaluated.boards:
        yield from _table(tables.board_table(board))
    yield escaped(f"{tables.GROUPS}.")
    yield ""
    if evaluated.repeats:
        yield "Left out, as each repeats a result that is shown:"
        yield ""
        for each in evaluated.repeats:
            yield f"- {escaped(repeat(each))}"
        yield ""


def _table(table: tables.Table) -> Iterator[str]:
    yield f"### {escaped(table.title)}"
    yield ""
    yield _line(table.heads)
    yield "| --- |" + " ---: |" * (len(table.heads) - 1)
    yield from map(_line, table.rows)
    yield ""


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(escaped(cell) for cell in cells)} |"
