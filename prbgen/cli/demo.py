"""Bundled questions and an embedded model give pairs and a staged dataset: no key, and no network after once."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from prbgen.errors import FellShortError
from prbgen.recipe import shipped_recipe
from prbgen.text import one_line

if TYPE_CHECKING:
    from prbgen.api.generate import Generated

_ASPECTS = 3  # of a rubric, in the table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`demo [--out DIR]`."""
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path("demo-run"), help="the run folder: %(default)s")
    parser.add_argument("--limit", metavar="N", type=int, default=0, help="the first N questions only")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Generate from the demo recipe and show each pair."""
    from prbgen.api.generate import generate
    from prbgen.cli.showing import Terminal

    made = generate(shipped_recipe("demo"), run=arguments.out, limit=arguments.limit, display=Terminal())
    if not made.pairs:
        raise FellShortError(f"the demo made no pair: {'; '.join(made.reasons)}")
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(made.document())
    else:
        _show(made)
    return 0


def _show(made: Generated) -> None:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    from prbgen.cli.console import stdout

    table = Table(box=box.SIMPLE_HEAD, show_lines=True, expand=True)
    for title, ratio in (("question", 3), ("rubric", 4), ("chosen", 4), ("rejected", 4)):
        table.add_column(title, ratio=ratio, overflow="fold")
    for pair in made.read_pairs():
        rubric = "\n".join(f"- {escape(one_line(each.aspect, 60))}" for each in pair.rubric_aspects[:_ASPECTS])
        if (more := len(pair.rubric_aspects) - _ASPECTS) > 0:
            rubric += f"\n[dim]and {more} more[/]"
        answers = [escape(one_line(text, 160)) for text in (pair.chosen, pair.rejected)]
        table.add_row(
            f"{escape(one_line(pair.question, 120))}\n[dim]{escape(pair.provenance.subset)}[/]", rubric, *answers
        )
    out = stdout()
    out.print(table)
    out.print(
        f"{made.pairs} pairs of {made.pairs + made.rejects} questions, written by an embedded"
        " 135M-parameter model: its text shows that the pipeline works and is no dataset.",
        soft_wrap=True,
    )
    out.print(f"\nrun      {escape(str(made.run))}      pairs.jsonl, rejects.jsonl, ledger.sqlite", soft_wrap=True)
    dataset = str(made.dataset)
    out.print(f"dataset  {escape(dataset)}   datasets.load_dataset({dataset!r})", soft_wrap=True)
    command = sys.argv[0] if Path(sys.argv[0]).name == "prbgen" else "prbgen"
    out.print(f"next     {escape(command)} status {escape(str(made.run))}", soft_wrap=True)
