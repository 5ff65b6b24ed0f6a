"""How often does a reward model prefer the answer that suits this person? Scores every pair of a dataset.

A scorer is scalar:MODEL (a transformers sequence classifier: Hub id or folder), judge:MODEL (an LLM that compares two
answers, in both orders), rate:MODEL (an LLM that gives an answer 0 to 10), http:URL (a reward server) or pooling:MODEL
(a vLLM server, with --api-base). What has been scored is kept, and the same command goes on.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from prbgen.cli.evaluate_flags import add_evaluate_flags
from prbgen.cli.ray_flag import add_ray_flag
from prbgen.cli.showing import as_keywords


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`evaluate DATA --scorer KIND:MODEL --condition C [...]`."""
    add_evaluate_flags(parser)
    default = "for items.jsonl and summary.json (default: results/DATA/KIND-MODEL-CONDITION)"
    parser.add_argument("--out", metavar="DIR", type=Path, help=default)
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    add_ray_flag(parser)


def run(arguments: argparse.Namespace) -> int:
    """Evaluate and show the figures. Returns 1 if not every pair could be scored."""
    from prbgen.api.evaluate import evaluate

    summary = evaluate(**as_keywords(arguments))
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(summary.model_dump(mode="json"))
    else:
        from prbgen.cli.evaluate_tables import show
        from prbgen.evaluation.results import Results

        show(summary, Results(summary.folder))
    return 1 if summary.unscored else 0
