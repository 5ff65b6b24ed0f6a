"""Judge every candidate once by its asker's rubric: 0, 1 or 2 for each aspect, from 0 to 1 in all.

What it may take is counted and told before anything is sent. What has been judged is on record, and the same command
goes on; a reply that cannot be used leaves its candidate unjudged.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from prbgen.cli.bon.flags import add_candidates_flag, add_data, add_which_questions
from prbgen.cli.console import print_json
from prbgen.cli.limit_flags import add_limit_flags, model_option
from prbgen.cli.ray_flag import add_ray_flag
from prbgen.cli.showing import as_keywords


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
    """Estimate, or judge and show the figures. Returns 1 if a candidate stayed unjudged."""
    from prbgen.api.bon import estimate, judge
    from prbgen.cli.bon.judge_tables import show, show_estimate

    if arguments.estimate:
        estimated = estimate(**as_keywords(arguments, "estimate", "ray"))
        if arguments.json:
            print_json(asdict(estimated))
        else:
            show_estimate(estimated)
        return 0
    judged = judge(**as_keywords(arguments, "estimate"))
    if arguments.json:
        print_json(judged.model_dump(mode="json"))
    else:
        show(judged)
    return 1 if judged.unjudged else 0
