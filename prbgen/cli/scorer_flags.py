"""The flags of a scorer, and the settings that they ask for."""

from __future__ import annotations

import argparse
from typing import cast, get_args

from prbgen.api import scorers
from prbgen.api.scorers import Dtype, ScorerKeywords, ScoringKeywords
from prbgen.cli.limit_flags import add_limit_flags, model_option
from prbgen.cli.showing import as_keywords
from prbgen.cli.which_flags import count
from prbgen.evaluation.settings import RELEASED_TOKENS, ScorerSettings


def add_scorer_flags(parser: argparse.ArgumentParser, called: str = "judge, rate, http, pooling") -> None:
    """`--scorer` and how it is run; `called` names what stands behind an address."""
    parser.add_argument("--scorer", required=True, metavar="KIND:MODEL", help="the reward model")
    tokens = f"of one input, at most ({RELEASED_TOKENS})"
    parser.add_argument("--max-tokens", metavar="N", type=count, help=tokens)
    _add_scalar_flags(parser.add_argument_group("scalar"))
    group = parser.add_argument_group(called)
    group.add_argument("--api-base", metavar="URL", help="where the model is served")
    add_limit_flags(group)
    option = "judge, rate: anything else that LiteLLM takes, such as reasoning_effort=low (repeatable)"
    group.add_argument("--option", metavar="KEY=VALUE", type=model_option, action="append", help=option)
    group.add_argument("--samples", metavar="N", type=count, help="rate: asks for each answer (1)")
    weighed = "rate: weigh marks by the model's token probabilities, where its server tells them"
    group.add_argument("--token-probabilities", action="store_true", help=weighed)


def _add_scalar_flags(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--device", metavar="NAME", help="cpu, cuda:1, ... (default: cuda where there is one)")
    meaning = "auto: float32 on a CPU, else as stored"
    group.add_argument("--dtype", choices=get_args(Dtype), help=meaning)
    group.add_argument("--batch-tokens", metavar="N", type=count, help="in one batch (as the device allows)")
    group.add_argument("--revision", metavar="NAME", help="branch, tag or commit on the Hub")
    group.add_argument("--trust-remote-code", action="store_true", help="run code that comes with the model")
    group.add_argument("--no-shared-prefix", action="store_true", help="compute what answers share for each of them")


def scorer_of(arguments: argparse.Namespace) -> ScorerSettings:
    """The scorer that the flags ask for.

    Raises:
        InputError: they do not go together.
    """
    known = ScorerKeywords.__optional_keys__
    given = {name: value for name, value in as_keywords(arguments).items() if name in known}
    return scorers.scorer_of(arguments.scorer, cast("ScoringKeywords", given))
