"""A policy writes N answers to each question of a dataset; reward models will choose among them.

The policy is any model that LiteLLM reaches, or a server of your own (--policy hosted_vllm/NAME --policy-api-base URL).
It sees what reward models see. Every reply is on record: the same command goes on, asks again for what failed, and with
a larger --n asks for the rest alone.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from prbgen.cli.bon.sample_flags import add_sample_flags
from prbgen.cli.ray_flag import add_ray_flag
from prbgen.cli.showing import as_keywords


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`bon sample DATA --policy MODEL [...]`."""
    add_sample_flags(parser)
    default = "for candidates.jsonl and sampling.json (default: results/DATA/bon-POLICY-CONDITION)"
    parser.add_argument("--out", metavar="DIR", type=Path, help=default)
    parser.add_argument("--json", action="store_true", help="print sampling.json")
    add_ray_flag(parser)


def run(arguments: argparse.Namespace) -> int:
    """Sample and say what came of it. Returns 1 if candidates are missing."""
    from prbgen.api.bon import sample

    sampled = sample(**as_keywords(arguments))
    if arguments.json:
        from prbgen.cli.console import print_json

        print_json(sampled.model_dump(mode="json"))
    else:
        from prbgen.cli.bon.sample_lines import show

        show(sampled)
    return 1 if sampled.missing else 0
