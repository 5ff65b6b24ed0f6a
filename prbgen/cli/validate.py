"""Weigh the ratings of a run: whom to trust, how far people agree, and which pairs they have validated.

Writes RUN/annotation/agreement.json (all figures) and verdicts.jsonl (every pair's verdict and why). --plan says how
many pairs and raters are needed, before or after there are ratings.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from prbgen.cli.plan import add_plan_flags, refuse_plan_flags, show_plan
from prbgen.cli.recipe_flag import add_recipe_flag
from prbgen.cli.showing import Terminal
from prbgen.run import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`validate RUN [...]`."""
    parser.add_argument("run", metavar="RUN", type=Path, help="a run folder, as `prbgen generate` names it")
    add_recipe_flag(parser, "validation")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    add_plan_flags(parser)


def run(arguments: argparse.Namespace) -> int:
    """Validate, write the verdicts, stage the dataset, show what was found. Returns 1 if a gate is red or unknown."""
    own = Run.existing(arguments.run)
    if arguments.plan:
        return show_plan(own, arguments)
    refuse_plan_flags(arguments)
    from prbgen.api.validate import validate

    validated = validate(own.folder, recipe=arguments.recipe, display=Terminal())
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(validated.report.model_dump(mode="json"))
    else:
        from prbgen.cli.validate_tables import show

        show(validated.report, own.annotation)
    return 1 if any(gate.state != "pass" for gate in validated.report.gates) else 0
