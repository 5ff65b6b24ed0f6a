"""Have a reward model score the candidates of `bon sample`. What has been scored is kept, and the same command goes on.

Any scorer of `prbgen evaluate` will do. What candidates share (question, posts) is computed once for all of them. A
judge, which compares, sees each candidate beside --opponents others; its score is the share of points that it wins.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from prbgen.api.clusters import cluster_of
from prbgen.api.folders import POSTS
from prbgen.cli.bon.flags import add_candidates_flag, add_data, answers_of
from prbgen.cli.condition_flags import add_condition_flags, planner_of
from prbgen.cli.ray_flag import add_ray_flag
from prbgen.cli.scorer_flags import add_scorer_flags, scorer_of
from prbgen.cli.which_flags import add_split_flags, data_settings
from prbgen.errors import InputError
from prbgen.text import folder_name

if TYPE_CHECKING:
    from prbgen.cluster.cluster import Cluster
    from prbgen.downstream.best_of_n.score_settings import BestOfNScoring
    from prbgen.downstream.facts import ScoringFacts
    from prbgen.downstream.folders import Answers, Scored


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`bon score DATA --scorer KIND:MODEL --condition C [...]`."""
    add_data(parser)
    add_split_flags(parser.add_argument_group("which questions"))
    add_condition_flags(parser)
    add_candidates_flag(parser)
    parser.add_argument("--prompts", metavar="DIR", type=Path, help="templates that come before the shipped ones")
    others = "judge: others that each candidate is compared with, in both orders (4)"
    parser.add_argument("--opponents", metavar="N", type=_even, help=others)
    parser.add_argument("--json", action="store_true", help="print what is known of the scoring as JSON")
    add_ray_flag(parser)
    add_scorer_flags(parser, "judge, rate, http, pooling, and the planner")


def run(arguments: argparse.Namespace) -> int:
    """Score, and say what it came to. Returns 1 if not every candidate has a score."""
    from prbgen.downstream.best_of_n.score_settings import BestOfNScoring

    answers, scorer = answers_of(arguments), scorer_of(arguments)
    if arguments.opponents and scorer.kind != "judge":
        raise InputError(f"--opponents says nothing to a {scorer.kind} scorer: it goes with judge")
    posts = f"{arguments.posts}-posts" if arguments.posts != POSTS else ""
    scored = answers.scored(folder_name(scorer.kind, scorer.short, arguments.condition, posts))
    settings = BestOfNScoring(
        data=data_settings(arguments),
        condition=arguments.condition,
        scorer=scorer,
        posts=arguments.posts,
        planner=planner_of(arguments, scored.folder),
        **({"opponents": arguments.opponents} if arguments.opponents else {}),
    )
    with cluster_of(arguments.ray) as cluster:
        facts = _scored(settings, answers, scored, arguments.prompts, cluster)
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(facts.model_dump(mode="json"))
    else:
        _show(facts, scored)
    return 1 if facts.unscored else 0


def _scored(
    settings: BestOfNScoring, answers: Answers, scored: Scored, own_prompts: Path | None, cluster: Cluster | None
) -> ScoringFacts:
    from prbgen.api.lines import scoring_line
    from prbgen.cli.working import Say, worked
    from prbgen.downstream.best_of_n.score import score
    from prbgen.evaluation.scoring import Tally
    from prbgen.llm.templates import Prompts

    tally, prompts = Tally(), Prompts(own_prompts)

    async def work(stop: asyncio.Event, say: Say) -> ScoringFacts:
        return await score(settings, answers, scored, prompts, stop=stop, tally=tally, say=say, cluster=cluster)

    return worked(work, lambda: scoring_line(tally))


def _show(facts: ScoringFacts, scored: Scored) -> None:
    from prbgen.cli.console import stdout

    out = stdout()
    said = f"{facts.scorer}, {facts.note or facts.condition}: {facts.scored:,} candidates scored"
    if facts.unscored:
        reasons = "; ".join(f"{reason}: {number:,}" for reason, number in facts.reasons.items())
        said += f", {facts.unscored:,} unscored ({reasons})"
    if facts.truncated:
        said += f"; {facts.truncated:,} questions lost posts, as the input was too long"
    out.print(said, markup=False, soft_wrap=True)
    out.print(f"scores   {scored.scores}", markup=False, soft_wrap=True)


def _even(text: str) -> int:
    if not text.isdecimal() or int(text) < 2 or int(text) % 2:
        raise argparse.ArgumentTypeError(f"{text!r} is no even number from 2")
    return int(text)
