"""Prepare questions for a policy to be trained on, with verl or whatever reads its files.

Writes train.parquet, validation.parquet, verl.yaml (the settings of the paper), reward.py (rewards of `prbgen ppo
serve` for verl, OpenRLHF and TRL) and prepared.json (what was counted and left out). No user is in both files, and none
of them is in a benchmark. A prompt that is too long for the policy loses its last posts.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from prbgen.cli.which_flags import add_which_flags, count, data_settings

if TYPE_CHECKING:
    from prbgen.downstream.ppo.prepare.facts import PreparedFacts
    from prbgen.downstream.ppo.prepare.prepare import Progress
    from prbgen.downstream.ppo.prepare.settings import Preparing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`ppo prepare DATA --benchmark DATA --out DIR [...]`."""
    from prbgen.downstream.ppo.prepare.settings import POLICY, PROMPT_TOKENS, RESPONSE_TOKENS

    data = "questions: LaMP-QA or data with its columns, or a dataset of pairs: folder, file, Hub id; or a run"
    parser.add_argument("data", metavar="DATA", help=data)
    tested = "what reward models and policies will be tested with: its users are left out (repeatable)"
    parser.add_argument("--benchmark", metavar="DATA", action="append", required=True, help=tested)
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="the folder to write")
    sees = "what the policy sees: none (the question), profile (and the asker's posts; the default)"
    parser.add_argument("--condition", choices=("none", "profile"), default="profile", help=sees)
    parser.add_argument("--prompts", metavar="DIR", type=Path, help="templates that come before the shipped ones")
    which = parser.add_argument_group("which questions, and how much of them")
    add_which_flags(which, "questions")
    which.add_argument("--posts", metavar="N", type=count, default=10, help="shown at most (10)")
    apart = "a share of the questions, or their number, for validation (0.05)"
    which.add_argument("--validation", metavar="N", type=_validation, default=0.05, help=apart)
    which.add_argument("--seed", metavar="N", type=int, default=0, help="draws whose questions these are (0)")
    policy = parser.add_argument_group("the policy")
    policy.add_argument("--policy", metavar="MODEL", default=POLICY, help=f"Hub id or folder ({POLICY})")
    policy.add_argument("--tokenizer", metavar="MODEL", help="counts its tokens (default: the policy's own)")
    longest = f"of a prompt, in its chat template, at most ({PROMPT_TOKENS})"
    policy.add_argument("--max-prompt-tokens", metavar="N", type=count, default=PROMPT_TOKENS, help=longest)
    answers = f"of an answer, at most ({RESPONSE_TOKENS})"
    policy.add_argument("--max-response-tokens", metavar="N", type=count, default=RESPONSE_TOKENS, help=answers)
    where = "of the reward server (default: PRBGEN_REWARD_URL says it where training runs)"
    policy.add_argument("--reward-url", metavar="URL", default="", help=where)
    parser.add_argument("--json", action="store_true", help="print prepared.json")


def run(arguments: argparse.Namespace) -> int:
    """Prepare, and say what was left out. Returns 1 if a question that could have been trained on was."""
    from prbgen.cli.live_line import live_line
    from prbgen.downstream.ppo.prepare.prepare import Progress, prepare
    from prbgen.llm.templates import Prompts
    from prbgen.terminal import stderr

    settings, progress = _settings(arguments), Progress()
    with live_line(lambda: _progress(progress), stderr()):
        facts = prepare(settings, Prompts(arguments.prompts), progress)
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(facts.model_dump(mode="json"))
    else:
        _show(facts, settings)
    return 1 if facts.left_out else 0


def _settings(arguments: argparse.Namespace) -> Preparing:
    from prbgen.downstream.ppo.prepare.settings import Preparing
    from prbgen.evaluation.settings import DataSettings

    return Preparing(
        data=data_settings(arguments),
        benchmarks=tuple(DataSettings(each) for each in arguments.benchmark),
        folder=arguments.out,
        condition=arguments.condition,
        posts=arguments.posts,
        policy=arguments.policy,
        tokenizer=arguments.tokenizer or arguments.policy,
        prompt_tokens=arguments.max_prompt_tokens,
        response_tokens=arguments.max_response_tokens,
        validation=arguments.validation,
        seed=arguments.seed,
        reward_url=arguments.reward_url,
    )


def _progress(progress: Progress) -> str:
    if not progress.questions:
        return "reading ..."
    return f"{progress.done:,} of {progress.questions:,} questions"


def _show(facts: PreparedFacts, settings: Preparing) -> None:
    from prbgen.cli.console import stdout
    from prbgen.llm.cleaning import cleaned_line

    say = stdout().print
    for name, side in (("train", facts.train), ("validation", facts.validation)):
        shortened = f"; {side.shortened:,} prompts lost {side.posts_dropped:,} posts" if side.shortened else ""
        say(f"{name}: {side.questions:,} questions by {side.users:,} users{shortened}", markup=False)
    users = f"{facts.benchmark_users:,} users of a benchmark"
    say(f"left out: {facts.by_benchmark_users:,} of {facts.questions:,} questions, by {users}", markup=False)
    for each in facts.left_out[:10]:
        say(f"left out: {cleaned_line(each.key)}: {each.reason}", markup=False)
    if len(facts.left_out) > 10:
        say(f"left out: {len(facts.left_out) - 10:,} more, all in {settings.folder / 'prepared.json'}", markup=False)
    if facts.in_no_batch:
        say(f"batches of {facts.batch}: {facts.in_no_batch:,} questions of an epoch make none", markup=False)
    say(f"next: see {settings.folder / 'verl.yaml'}", markup=False)


def _validation(text: str) -> float | int:
    try:
        return int(text) if text.isdecimal() else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a share nor a number of questions") from None
