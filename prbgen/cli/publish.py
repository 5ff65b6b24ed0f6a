"""Publish the validated pairs of a run, in a folder or on the Hugging Face Hub.

Stages RUN/dataset (data, ratings, card, plots, evaluation script), checks it, and refuses if a gate is red. On the Hub
the dataset is private unless it is there already or you say --public.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prbgen.cli.recipe_flag import add_recipe_flag
from prbgen.cli.showing import as_keywords

if TYPE_CHECKING:
    from prbgen.publication.publish import Publication


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`publish RUN --to DIR|hub:ORG/NAME [...]`."""
    parser.add_argument("run", metavar="RUN", type=Path, help="a run folder, as `prbgen generate` names it")
    parser.add_argument("--to", metavar="DIR|hub:ORG/NAME", required=True, help="a folder, or a dataset on the Hub")
    others = "also the pairs that people have not validated, in splits of their own (SPLIT_unvalidated)"
    parser.add_argument("--include-unvalidated", action="store_true", help=others)
    red = "publish although this gate is red (repeatable)"
    parser.add_argument("--allow", metavar="GATE", action="append", default=[], help=red)
    found = "what a reward model reaches on it, for the card: what evaluate.py has written (repeatable)"
    parser.add_argument("--results", metavar="RESULTS", type=Path, action="append", default=[], help=found)
    add_recipe_flag(parser, "publication")
    parser.add_argument("--pull-request", action="store_true", help="propose it on the Hub instead of replacing")
    parser.add_argument("--public", action="store_true", help="make a new dataset on the Hub public at once")
    onto = "the commit on the Hub that may be replaced though it is not yours"
    parser.add_argument("--onto", metavar="COMMIT", help=onto)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Publish. Returns 1 if a gate is not known to hold: red and allowed, or unknown."""
    from prbgen.api.publish import publish

    published = publish(**as_keywords(arguments))
    result = _result(published)
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(result)
    else:
        _show(published, result)
    return 1 if any(gate.state != "pass" for gate in published.gates) else 0


def _result(published: Publication) -> dict[str, Any]:
    figures = published.staged.figures
    return {
        "pairs": figures.pairs,
        "validated": figures.validated,
        "parts": [asdict(part) for part in figures.parts],
        "gates": [gate.model_dump() for gate in published.gates],
        "personal_data": published.personal.counts,
        "folder": str(published.folder) if published.folder else None,
        "hub": published.hub.model_dump() if published.hub else None,
    }


def _show(published: Publication, result: dict[str, Any]) -> None:
    from rich.markup import escape

    from prbgen.cli.console import stdout
    from prbgen.cli.validate_tables import show_gate

    out = stdout()
    for gate in published.gates:
        show_gate(gate, out)
    for column, kind, count in published.personal.found:
        told = f"{column} of {count:,} pairs may hold personal data ({kind}); personal_data.json in the run says where"
        out.print(told, soft_wrap=True)
    for part in result["parts"]:
        out.print(f"{part['pairs']:,} pairs  {escape(part['subset'])}, {escape(part['split'])}", soft_wrap=True)
    if published.folder:
        out.print(f"dataset  {escape(str(published.folder))}", soft_wrap=True)
    if hub := published.hub:
        out.print(f"dataset  {escape(hub.endpoint)}/datasets/{escape(hub.repo)}", soft_wrap=True)
        where = hub.pull_request or f"commit {hub.commit[:12]}" + (f", tag {hub.tag}" if hub.tag else "")
        out.print(f"         {escape(where)}: loaded back, and the same", soft_wrap=True)
