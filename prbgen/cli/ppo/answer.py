"""Have a policy answer the questions of a benchmark, and the answers judged by the askers' rubrics, as in Best-of-N.

The policy is any model that LiteLLM reaches, a server of your own, or hf:FOLDER, such as what `ppo train` wrote. Say
with --reward-model what it was trained with, so that `prbgen correlate` knows; a policy of `ppo train` says it itself.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from prbgen.api.folders import answers_folder
from prbgen.api.models import LIMITS, limits_of, model_of
from prbgen.cli.bon.judge import add_judge_flags
from prbgen.cli.bon.sample_flags import add_sample_flags
from prbgen.cli.showing import as_keywords
from prbgen.cli.which_flags import data_settings
from prbgen.downstream.best_of_n.judge_settings import judge_model
from prbgen.errors import InputError
from prbgen.model_settings import TRANSFORMERS

if TYPE_CHECKING:
    from prbgen.api.bon import SampledCandidates

_JUDGE = ("judge", "judge_api_base", "judge_option")
_BOTH = ("data", "subset", "split", "limit", "prompts", "display", *LIMITS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`ppo answer DATA --policy MODEL --judge MODEL [...]`."""
    add_sample_flags(parser, n=1)
    add_judge_flags(parser.add_argument_group("the judge"))
    default = "for answers and judgements (default: results/DATA/ppo-POLICY-CONDITION)"
    parser.add_argument("--out", metavar="DIR", type=Path, help=default)
    parser.add_argument("--json", action="store_true", help="print what the judge found")


def run(arguments: argparse.Namespace) -> int:
    """Answer, judge and show the figures. Returns 1 if an answer is missing, or stayed unjudged."""
    from prbgen.api.bon import judge

    keywords = as_keywords(arguments)
    # Before any answer is paid for.
    judge_model(arguments.judge, api_base=arguments.judge_api_base, options=keywords.get("judge_option"))
    limits_of(keywords)
    sampled = _sampled(arguments)
    if not arguments.json:
        from prbgen.cli.bon.sample_lines import show

        show(sampled)
    for_judge = {name: value for name, value in keywords.items() if name in (*_JUDGE, *_BOTH)}
    judged = judge(**for_judge, candidates=sampled.folder)
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(judged.model_dump(mode="json"))
    else:
        from prbgen.cli.bon.judge_tables import show as show_judged

        show_judged(judged)
    return 1 if sampled.missing or judged.unjudged else 0


def _sampled(arguments: argparse.Namespace) -> SampledCandidates:
    """The answers; the limits are the judge's alone where the policy is on this machine."""
    from prbgen.api.bon import sample

    policy = model_of("--policy", arguments.policy, arguments.policy_api_base, {})
    folder = answers_folder("ppo", data_settings(arguments), policy.label, arguments.condition, arguments.posts)
    idle = (*_JUDGE, *(LIMITS if arguments.policy.startswith(TRANSFORMERS) else ()))
    asked = {"out": folder} | as_keywords(arguments, *idle) | {"reward_model": _reward_model(arguments)}
    return sample(**asked)


def _reward_model(arguments: argparse.Namespace) -> str | None:
    """What the policy was trained with.

    Raises:
        InputError: the flag says something else than the training.
    """
    trained_with, said = _trained_with(arguments.policy), arguments.reward_model
    if trained_with and said not in (None, trained_with):
        raise InputError(f"--reward-model {said}: {arguments.policy} was trained with {trained_with}")
    return said or trained_with


def _trained_with(policy: str) -> str | None:
    """The reward model of a policy that `ppo train` wrote; null where nothing tells."""
    from prbgen.downstream.ppo.training import Trained, read_training

    trained = Trained(Path(policy.removeprefix(TRANSFORMERS)).parent)
    if not policy.startswith(TRANSFORMERS) or not trained.about.is_file():
        return None
    return read_training(trained).reward_model
