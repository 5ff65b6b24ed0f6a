"""Write rubrics and pairs as a recipe says. The same command goes on where an earlier one stopped."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from prbgen.cli.ray_flag import add_ray_flag
from prbgen.cli.showing import as_keywords
from prbgen.cli.source_flags import add_source_flags

if TYPE_CHECKING:
    from prbgen.api.generate import Generated
    from prbgen.sources import SourceReport


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`generate RECIPE [...]`."""
    add_source_flags(parser)
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--batch", action="store_true", help="send the calls as provider batches, at half the price")
    way.add_argument("--replay", metavar="LEDGER", type=Path, help="build from these recorded replies, without a call")
    add_ray_flag(way)
    parser.add_argument("--strict", action="store_true", help="stop at the first faulty row instead of rejecting it")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Generate, stage the dataset, and say what came out. Returns 1 if anything was rejected or not judged."""
    from prbgen.api.generate import generate

    made = generate(**as_keywords(arguments))
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(made.document())
    else:
        _show(made)
    return 1 if made.fell_short else 0


def _show(made: Generated) -> None:
    from rich.markup import escape

    from prbgen.cli.console import stdout
    from prbgen.terminal import stderr

    out, remarks = stdout(), stderr()
    for reason, count in list(made.reasons.items())[:10]:
        remarks.print(f"[yellow]rejected {count} x[/] {escape(reason)}", soft_wrap=True)
    remarks.print(_source_line(made.source), soft_wrap=True)
    if made.unjudged:
        what = "could not be judged in all: those checks are unknown in pairs.jsonl, with the reason"
        remarks.print(f"{made.unjudged} of {made.pairs} pairs {what}", soft_wrap=True, markup=False)
    beside = f" ({more} more in the run)" if (more := made.pairs_in_run - made.pairs) > 0 else ""
    out.print(f"{made.pairs} pairs, {made.rejects} rejected{beside}")
    out.print(f"run      {escape(str(made.run))}", soft_wrap=True)
    if made.dataset:
        out.print(f"dataset  {escape(str(made.dataset))}", soft_wrap=True)
    elif not made.pairs:
        out.print("no pair came out, so there is no dataset")


def _source_line(source: SourceReport) -> str:
    parts = [f"{source.questions} questions by {source.users} users; {source.rejected} faulty rows"]
    if source.own_posts_dropped:
        parts.append(f"{source.own_posts_dropped} posts that repeat their own question were left out")
    if source.characters_replaced:
        parts.append(f"{source.characters_replaced} characters that cannot be stored became U+FFFD")
    return "; ".join(parts)
