"""Weigh the ratings of a run: whom to trust, how far people agree, and which pairs they have validated.

Writes RUN/annotation/agreement.json (all figures) and verdicts.jsonl (every pair's verdict and why). --plan says how
many pairs and raters are needed, before or after there are ratings.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from prbgen.cli.plan import add_plan_flags, refuse_plan_flags, show_plan
from prbgen.cli.recipe_of_run import add_recipe_flag, recipe_of_run
from prbgen.run import Run

if TYPE_CHECKING:
    from prbgen.validate.validation import Validation


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
    validated = _validated(own, arguments.recipe)
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(validated.report.model_dump(mode="json"))
    else:
        from prbgen.cli.validate_tables import show

        show(validated.report, own.annotation)
    return 1 if any(gate.state != "pass" for gate in validated.report.gates) else 0


def _validated(own: Run, recipe: Path | None) -> Validation:
    from prbgen.cli.live_line import live_saying
    from prbgen.publish.of_run import stage_run
    from prbgen.terminal import stderr
    from prbgen.validate.files import write
    from prbgen.validate.validate import validate

    with own.locked():
        settings = recipe_of_run(own, recipe, "validation")
        with live_saying(stderr(), "Reading ...") as say:
            validated = validate(own, settings.validation, say)
            write(own, validated)
            say("Staging the dataset ...")
            stage_run(own, settings, validated, gates=validated.report.gates)
    return validated
