"""Bundled questions and an embedded model give pairs and a staged dataset: no key, and no network after once."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from prbgen.errors import FellShortError
from prbgen.recipe import load_recipe, shipped_recipe
from prbgen.run import Run, read_records
from prbgen.schema import Pair
from prbgen.text import one_line

_ASPECTS = 3  # of a rubric, in the table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`demo [--out DIR]`."""
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path("demo-run"), help="the run folder: %(default)s")
    parser.add_argument("--limit", metavar="N", type=int, default=0, help="the first N questions only")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Generate from the demo recipe and show each pair."""
    from prbgen.cli.generate import generate_and_stage

    path = shipped_recipe("demo")
    recipe = load_recipe(path, {"source": {"limit": arguments.limit}})
    run_folder = Run(arguments.out)
    result = generate_and_stage(recipe, run_folder, beside=path.parent)
    if not result["pairs"]:
        raise FellShortError(f"the demo made no pair: {'; '.join(result['reasons'])}")
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(result)
    else:
        _show(run_folder, result)
    return 0


def _show(run: Run, result: dict[str, Any]) -> None:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    from prbgen.cli.console import stdout

    table = Table(box=box.SIMPLE_HEAD, show_lines=True, expand=True)
    for title, ratio in (("question", 3), ("rubric", 4), ("chosen", 4), ("rejected", 4)):
        table.add_column(title, ratio=ratio, overflow="fold")
    for pair in read_records(run.pairs, Pair):
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
        f"{result['pairs']} pairs of {result['pairs'] + result['rejects']} questions, written by an embedded"
        " 135M-parameter model: its text shows that the pipeline works and is no dataset.",
        soft_wrap=True,
    )
    out.print(f"\nrun      {escape(result['run'])}      pairs.jsonl, rejects.jsonl, ledger.sqlite", soft_wrap=True)
    out.print(f"dataset  {escape(result['dataset'])}   datasets.load_dataset({result['dataset']!r})", soft_wrap=True)
    command = sys.argv[0] if Path(sys.argv[0]).name == "prbgen" else "prbgen"
    out.print(f"next     {escape(command)} status {escape(result['run'])}", soft_wrap=True)
