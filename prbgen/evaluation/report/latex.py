"""A report as LaTeX tables, which need the package booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from prbgen.evaluation.report import tables
from prbgen.evaluation.report.report import Evaluated, Report
from prbgen.evaluation.report.wording import counted, repeat
from prbgen.text import one_line

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "−": "$-$",
    "–": r"\textendash{}",
    "…": r"\ldots{}",
}
_TABLE = str.maketrans(_SPECIAL)
# Two of them would be printed as another sign.
_JOINING = re.compile(r"([-,'])(?=\1)")


def render_latex(report: Report) -> str:
    """Tables for a paper to take in. Equal reports give equal text."""
    lines = [
        r"% In the preamble: \usepackage[T1]{fontenc}, \usepackage{booktabs,graphicx,textcomp}",
        "% Other alphabets than Latin need XeLaTeX or LuaLaTeX.",
    ]
    for evaluated in report.sets:
        lines += _set(evaluated)
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Text that LaTeX prints as it is, on one line."""
    return _JOINING.sub(r"\1{}", one_line(text).translate(_TABLE))


def _set(evaluated: Evaluated) -> Iterator[str]:
    about = f"{', '.join(evaluated.names)}, {counted(evaluated.pairs, 'pair')}"
    for each in evaluated.repeats:
        yield f"% Left out: {one_line(repeat(each))}"
    yield from _table(tables.conditions_table(evaluated), f"{about}. {tables.LEGEND}.")
    for contrast in evaluated.contrasts:
        yield from _table(tables.gains_table(contrast), about)
    for board in evaluated.boards:
        yield from _table(tables.board_table(board), f"{about}. {tables.LEGEND}. {tables.GROUPS}.")


def _table(table: tables.Table, about: str) -> Iterator[str]:
    yield ""
    yield r"\begin{table}"
    yield r"\centering"
    yield rf"\caption{{{escaped(table.title)}. {escaped(about)}}}"
    yield r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
    yield rf"\begin{{tabular}}{{l{'r' * (len(table.heads) - 1)}}}"
    yield r"\toprule"
    yield _line(table.heads)
    yield r"\midrule"
    yield from map(_line, table.rows)
    yield r"\bottomrule"
    yield r"\end{tabular}}"
    yield r"\end{table}"


def _line(cells: tuple[str, ...]) -> str:
    line = " & ".join(map(escaped, cells)) + r" \\"
    # After the end of a row these would be arguments of the command that ends it.
    return f"{{}}{line}" if line.startswith(("[", "*")) else line
