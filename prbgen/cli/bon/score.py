"""Have a reward model score the candidates of `bon sample`. What has been scored is kept, and the same command goes on.

Any scorer of `prbgen evaluate` will do. What candidates share (question, posts) is computed once for all of them. A
judge, which compares, sees each candidate beside --opponents others; its score is the share of points that it wins.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from prbgen.cli.bon.flags import add_candidates_flag, add_data
from prbgen.cli.condition_flags import add_condition_flags
from prbgen.cli.ray_flag import add_ray_flag
from prbgen.cli.scorer_flags import add_scorer_flags
from prbgen.cli.showing import as_keywords
from prbgen.cli.which_flags import add_split_flags, count

if TYPE_CHECKING:
    from prbgen.api.bon import ScoredCandidates


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`bon score DATA --scorer KIND:MODEL --condition C [...]`."""
    add_data(parser)
    add_split_flags(parser.add_argument_group("which questions"))
    add_condition_flags(parser)
    add_candidates_flag(parser)
    parser.add_argument("--prompts", metavar="DIR", type=Path, help="templates that come before the shipped ones")
    others = "judge: others that each candidate is compared with, in both orders (4)"
    parser.add_argument("--opponents", metavar="N", type=count, help=others)
    parser.add_argument("--json", action="store_true", help="print what is known of the scoring as JSON")
    add_ray_flag(parser)
    add_scorer_flags(parser, "judge, rate, http, pooling, and the planner")


def run(arguments: argparse.Namespace) -> int:
    """Score, and say what it came to. Returns 1 if not every candidate has a score."""
    from prbgen.api.bon import score

    scored = score(**as_keywords(arguments))
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(scored.model_dump(mode="json"))
    else:
        _show(scored)
    return 1 if scored.unscored else 0


def _show(facts: ScoredCandidates) -> None:
    from prbgen.cli.console import stdout
    from prbgen.downstream.folders import Scored

    out = stdout()
    said = f"{facts.scorer}, {facts.note or facts.condition}: {facts.scored:,} candidates scored"
    if facts.unscored:
        reasons = "; ".join(f"{reason}: {number:,}" for reason, number in facts.reasons.items())
        said += f", {facts.unscored:,} unscored ({reasons})"
    if facts.truncated:
        said += f"; {facts.truncated:,} questions lost posts, as the input was too long"
    out.print(said, markup=False, soft_wrap=True)
    out.print(f"scores   {Scored(facts.folder).scores}", markup=False, soft_wrap=True)
