"""Judge every candidate once by its asker's rubric: 0, 1 or 2 for each aspect, from 0 to 1 in all.

What it may take is counted and told before anything is sent. What has been judged is on record, and the same command
goes on; a reply that cannot be used leaves its candidate unjudged.
"""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from prbgen.api.clusters import cluster_of
from prbgen.cli.bon.flags import add_candidates_flag, add_data, add_which_questions, answers_of
from prbgen.cli.console import print_json
from prbgen.cli.limit_flags import add_limit_flags, limits_of, model_option
from prbgen.cli.ray_flag import add_ray_flag
from prbgen.cli.which_flags import data_settings
from prbgen.downstream.best_of_n.judge_settings import JudgeSettings, judge_model
from prbgen.llm.templates import Prompts
from prbgen.terminal import stderr

if TYPE_CHECKING:
    from prbgen.cluster.cluster import Cluster
    from prbgen.downstream.best_of_n.estimate_judging import JudgingEstimate
    from prbgen.downstream.facts import Judging
    from prbgen.downstream.folders import Answers, JudgedBy


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`bon judge DATA --judge MODEL [...]`."""
    add_data(parser)
    add_which_questions(parser)
    add_candidates_flag(parser)
    parser.add_argument("--prompts", metavar="DIR", type=Path, help="templates that come before the shipped ones")
    parser.add_argument("--estimate", action="store_true", help="count calls, tokens and money, and send nothing")
    parser.add_argument("--json", action="store_true", help="print what is found, or estimated, as JSON")
    add_ray_flag(parser)
    group = parser.add_argument_group("the judge")
    add_judge_flags(group)
    add_limit_flags(group)


def add_judge_flags(group: argparse._ArgumentGroup) -> None:
    """`--judge` and how it is reached."""
    group.add_argument("--judge", required=True, metavar="MODEL", help="its LiteLLM name")
    group.add_argument("--judge-api-base", metavar="URL", help="where it is served")
    option = "anything else that LiteLLM takes, such as max_tokens=2000 (repeatable)"
    group.add_argument("--judge-option", metavar="KEY=VALUE", type=model_option, action="append", help=option)


def run(arguments: argparse.Namespace) -> int:
    """Estimate, then judge and show the figures. Returns 1 if a candidate stayed unjudged."""
    from prbgen.cli.bon.judge_tables import show_estimate

    settings, answers = judge_of(arguments), answers_of(arguments)
    if not arguments.estimate:
        return judge_and_show(settings, answers, arguments)
    estimate = _estimated(settings, answers, answers.judged(settings.folder), Prompts(arguments.prompts))
    if arguments.json:
        print_json(asdict(estimate))
    else:
        show_estimate(estimate)
    return 0


def judge_of(arguments: argparse.Namespace) -> JudgeSettings:
    """The judge that the flags ask for.

    Raises:
        InputError: there can be no such model.
    """
    options = dict(arguments.judge_option or ())
    model = judge_model(arguments.judge, api_base=arguments.judge_api_base, options=options)
    return JudgeSettings(data_settings(arguments), model, limits_of(arguments))


def judge_and_show(settings: JudgeSettings, answers: Answers, arguments: argparse.Namespace) -> int:
    """Say what it will take, then judge and show the figures. Returns 1 if a candidate stayed unjudged."""
    from prbgen.cli.bon.judge_tables import show
    from prbgen.downstream.best_of_n.judging_words import in_words

    prompts, judged = Prompts(arguments.prompts), answers.judged(settings.folder)
    stderr().print(in_words(_estimated(settings, answers, judged, prompts)), markup=False, soft_wrap=True)
    with cluster_of(getattr(arguments, "ray", None)) as cluster:
        found = _judged(settings, answers, judged, prompts, cluster)
    if arguments.json:
        print_json(found.model_dump(mode="json"))
    else:
        show(found, judged)
    return 1 if found.unjudged else 0


def _estimated(settings: JudgeSettings, answers: Answers, judged: JudgedBy, prompts: Prompts) -> JudgingEstimate:
    from prbgen.cli.live_line import live_line
    from prbgen.downstream.best_of_n.estimate_judging import estimate_judging

    if warning := settings.partiality(answers.sampling().policy):
        stderr().print(warning, markup=False, soft_wrap=True)

    with live_line(lambda: "Counting what is to be asked ...", stderr()):
        return asyncio.run(estimate_judging(settings, answers, judged, prompts))


def _judged(
    settings: JudgeSettings, answers: Answers, judged: JudgedBy, prompts: Prompts, cluster: Cluster | None
) -> Judging:
    from prbgen.api.lines import scoring_line
    from prbgen.cli.working import Say, worked
    from prbgen.downstream.best_of_n.judge import judge
    from prbgen.evaluation.scoring import Tally

    tally = Tally()

    async def work(stop: asyncio.Event, say: Say) -> Judging:
        return await judge(settings, answers, judged, prompts, stop=stop, tally=tally, say=say, cluster=cluster)

    return worked(work, lambda: scoring_line(tally))
