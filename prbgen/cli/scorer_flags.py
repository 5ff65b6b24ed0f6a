"""The flags of a scorer, and the settings that they ask for."""

from __future__ import annotations

import argparse
from dataclasses import replace

from prbgen.cli.limit_flags import LIMITS, add_limit_flags, limits_of, model_option
from prbgen.cli.which_flags import count
from prbgen.errors import InputError
from prbgen.evaluate.settings import RELEASED_TOKENS, SAYS_TO, ScorerSettings

# Flags that are called otherwise than what they set.
_SETS = {"no_shared_prefix": "share_prefix", "option": "options"}


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
    dtypes, meaning = ("auto", "float32", "bfloat16", "float16"), "auto: float32 on a CPU, else as stored"
    group.add_argument("--dtype", choices=dtypes, help=meaning)
    group.add_argument("--batch-tokens", metavar="N", type=count, help="in one batch (as the device allows)")
    group.add_argument("--revision", metavar="NAME", help="branch, tag or commit on the Hub")
    group.add_argument("--trust-remote-code", action="store_true", help="run code that comes with the model")
    group.add_argument("--no-shared-prefix", action="store_true", help="compute what answers share for each of them")


def scorer_of(arguments: argparse.Namespace) -> ScorerSettings:
    """The scorer that the flags ask for, also where a command has no planner and no protocols.

    Raises:
        InputError: they do not go together.
    """
    scorer = ScorerSettings.parsed(arguments.scorer)
    planner, protocol = (getattr(arguments, name, None) for name in ("planner", "protocol"))
    flags = (*SAYS_TO, *_SETS)
    given = {name: value for name in flags if (value := getattr(arguments, name, None))}
    for name in given:
        kinds = SAYS_TO[_SETS.get(name, name)]
        if scorer.kind not in kinds and not (planner and name in LIMITS):
            flag = "--" + name.replace("_", "-")
            raise InputError(f"{flag} says nothing to a {scorer.kind} scorer: it goes with {', '.join(kinds)}")
    given = {name: value for name, value in given.items() if name not in LIMITS}
    if given.pop("no_shared_prefix", False):
        given["share_prefix"] = False
    if "option" in given:
        given["options"] = dict(given.pop("option"))
    return replace(scorer, protocol=protocol or "prbgen", limits=limits_of(arguments), **given)
