"""Have a policy answer the questions of a benchmark, and the answers judged by the askers' rubrics, as in Best-of-N.

The policy is any model that LiteLLM reaches, a server of your own, or hf:FOLDER, such as what `ppo train` wrote. Say
with --reward-model what it was trained with, so that `prbgen correlate` knows; a policy of `ppo train` says it itself.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from prbgen.cli.bon.judge import add_judge_flags, judge_and_show, judge_of
from prbgen.cli.bon.sample import sampled, show_sampling
from prbgen.cli.bon.sample_flags import add_sample_flags, sampling_of
from prbgen.errors import InputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`ppo answer DATA --policy MODEL --judge MODEL [...]`."""
    add_sample_flags(parser, n=1)
    add_judge_flags(parser.add_argument_group("the judge"))
    default = "for answers and judgements (default: results/DATA/ppo-POLICY-CONDITION)"
    parser.add_argument("--out", metavar="DIR", type=Path, help=default)
    parser.add_argument("--json", action="store_true", help="print what the judge found")


def run(arguments: argparse.Namespace) -> int:
    """Answer, judge and show the figures. Returns 1 if an answer is missing, or stayed unjudged."""
    from prbgen.downstream.best_of_n.asking import SampleTally
    from prbgen.downstream.folders import Answers

    settings, folder = sampling_of(arguments, "ppo")
    trained_with = _trained_with(settings.policy.name)
    if trained_with and settings.reward_model not in (None, trained_with):
        raise InputError(
            f"--reward-model {settings.reward_model}: {settings.policy.name} was trained with {trained_with}"
        )
    settings = replace(settings, reward_model=settings.reward_model or trained_with)
    judge = judge_of(arguments)
    answers = Answers(folder)
    tally = SampleTally()
    sampling = sampled(settings, answers, arguments.prompts, tally)
    if not arguments.json:
        show_sampling(sampling, answers, tally)
    fell_short = judge_and_show(judge, answers, arguments)
    return 1 if sampling.missing or fell_short else 0


def _trained_with(policy: str) -> str | None:
    """The reward model of a policy that `ppo train` wrote; null where nothing tells."""
    from prbgen.downstream.best_of_n.transformers_policy import PREFIX
    from prbgen.downstream.ppo.training import Trained, read_training

    trained = Trained(Path(policy.removeprefix(PREFIX)).parent)
    if not policy.startswith(PREFIX) or not trained.about.is_file():
        return None
    return read_training(trained).reward_model
