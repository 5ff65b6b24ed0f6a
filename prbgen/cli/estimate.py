"""Count what `prbgen generate` would ask for: calls, tokens and money, before anything is sent. No key is needed."""

from __future__ import annotations

import argparse
import asyncio
from contextlib import nullcontext
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from prbgen.cli.source_flags import add_source_flags, recipe_of, run_of

if TYPE_CHECKING:
    from prbgen.sources import SourceReport


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`estimate RECIPE [...]`."""
    add_source_flags(parser)
    parser.add_argument("--batch", action="store_true", help="by the price of providers' batches, which is half")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Estimate and say what it rests on; nothing is sent and no file is written."""
    from prbgen.cli.live_line import live_line
    from prbgen.generate.estimate import estimate
    from prbgen.generate.remarks import assumptions, no_judge, partial_judge, remarks
    from prbgen.llm.ledger import Ledger, committed
    from prbgen.llm.templates import Prompts
    from prbgen.sources import SourceReport
    from prbgen.terminal import stderr

    recipe, folder = recipe_of(arguments), run_of(arguments)
    report = SourceReport()
    with Ledger(folder.ledger, read_only=True) if folder.ledger.is_file() else nullcontext() as ledger:
        # The run takes over what lies beside the recipe, and that alone.
        prompts = Prompts(arguments.recipe.parent / "prompts")
        with live_line(lambda: _progress(report), stderr()):
            result = asyncio.run(estimate(recipe, prompts, ledger, batch=arguments.batch, report=report))
        before = committed(ledger) if ledger else (0, 0.0)
    document = asdict(result) | {
        "batch": arguments.batch,
        "run": str(folder.folder) if folder.ledger.is_file() else None,
        "assumptions": assumptions(result),
        "remarks": [
            *filter(None, (partial_judge(recipe), no_judge(recipe))),
            *remarks(result, recipe.limits, before),
        ],
    }
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(document)
    else:
        _show(document)
    return 0


def _progress(report: SourceReport) -> str:
    return f"{report.questions:,} questions counted" if report.questions else "Reading the source ..."


def _show(document: dict[str, Any]) -> None:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    from prbgen.cli.console import stdout
    from prbgen.formatting import price, spread, whole

    out = stdout()
    rejected = ", ".join(f"{count:,} rejected ({stage})" for stage, count in document["rejected"].items())
    out.print(f"{document['questions']:,} questions" + (f"; {rejected}" if rejected else ""))
    if document["recorded"]:
        out.print(f"{document['recorded']:,} replies are on record and cost nothing more", soft_wrap=True)
    rows = [*document["stages"], {"stage": "in total", "model": ""} | document["total"]]
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("stage")
    table.add_column("model", overflow="fold")
    for title in ("calls", "prompt tokens", "reply tokens", "USD"):
        table.add_column(title, justify="right")
    for row in rows:
        counts = [
            spread(row[name]["low"], row[name]["high"], whole) for name in ("calls", "prompt_tokens", "reply_tokens")
        ]
        table.add_row(
            row["stage"], escape(row["model"]), *counts, spread(row["cost_usd"]["low"], row["cost_usd"]["high"], price)
        )
    total = document["total"]
    tokens = [whole(total[name]["at_most"]) for name in ("calls", "prompt_tokens", "reply_tokens")]
    table.add_row("at most", "", *tokens, price(total["cost_usd"]["at_most"]))
    out.print(table)
    for line in (*document["assumptions"], *document["remarks"]):
        out.print(f"- {escape(line)}", soft_wrap=True)
