"""Count what `prbgen generate` would ask for: calls, tokens and money, before anything is sent. No key is needed."""

from __future__ import annotations

import argparse
from typing import Any

from prbgen.cli.showing import as_keywords
from prbgen.cli.source_flags import add_source_flags


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`estimate RECIPE [...]`."""
    add_source_flags(parser)
    parser.add_argument("--batch", action="store_true", help="by the price of providers' batches, which is half")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Estimate and say what it rests on; nothing is sent and no file is written."""
    from prbgen.api.estimate import estimate

    document = estimate(**as_keywords(arguments)).document()
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(document)
    else:
        _show(document)
    return 0


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
