"""The flags of `prbgen bon sample`."""

from __future__ import annotations

import argparse
from pathlib import Path

from prbgen.api.folders import POSTS
from prbgen.cli.limit_flags import add_limit_flags, model_option
from prbgen.cli.which_flags import add_which_flags, count

_DEFAULTS = {"posts": POSTS, "max_tokens": 512, "max_prompt_tokens": 8192}


def add_sample_flags(parser: argparse.ArgumentParser, n: int = 16) -> None:
    """All flags but those of the output; `n` answers to each question by default."""
    data = "what to answer: a dataset, pairs, a run, or LaMP-QA's own questions: folder, file, Hub id"
    parser.add_argument("data", metavar="DATA", help=data)
    sees = "what the policy sees: none (the question), profile (and the asker's posts)"
    parser.add_argument("--condition", choices=("none", "profile"), default="profile", help=f"{sees} (profile)")
    parser.add_argument("--prompts", metavar="DIR", type=Path, help="templates that come before the shipped ones")
    which = parser.add_argument_group("which questions, and how much of them")
    add_which_flags(which, "questions")
    _add_number(which, "posts", "shown at most")
    _add_number(which, "max_prompt_tokens", "of one prompt, at most: longer ones lose posts")
    policy = parser.add_argument_group("the policy")
    policy.add_argument(
        "--policy",
        required=True,
        metavar="MODEL",
        help="its LiteLLM name, or hf:FOLDER-OR-NAME: transformers, on this machine",
    )
    policy.add_argument("--policy-api-base", metavar="URL", help="where it is served")
    option = "anything else that LiteLLM takes, such as top_k=40 (repeatable)"
    policy.add_argument("--policy-option", metavar="KEY=VALUE", type=model_option, action="append", help=option)
    policy.add_argument("--n", metavar="N", type=count, default=n, help=f"answers to each question, up to 128 ({n})")
    policy.add_argument("--temperature", metavar="T", type=float, default=1.0, help="(1)")
    policy.add_argument("--top-p", metavar="P", type=float, default=0.9, help="(0.9)")
    _add_number(policy, "max_tokens", "of one answer, at most")
    trained = "the reward model that the policy was trained with, if it was: as evaluate names it"
    policy.add_argument("--reward-model", metavar="KIND:MODEL", help=trained)
    add_limit_flags(policy)


def _add_number(group: argparse._ArgumentGroup, name: str, told: str) -> None:
    default = _DEFAULTS[name]
    group.add_argument(
        f"--{name.replace('_', '-')}", metavar="N", type=count, default=default, help=f"{told} ({default})"
    )
