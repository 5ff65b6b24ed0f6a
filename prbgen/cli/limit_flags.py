"""The flags that limit what is sent to a model, and options of a model as flags give them."""

from __future__ import annotations

import argparse
import json

from pydantic import JsonValue

from prbgen.api.models import LIMITS
from prbgen.cli.which_flags import count


def add_limit_flags(group: argparse._ArgumentGroup) -> None:
    """`--concurrency`, `--rpm`, `--tpm`, `--timeout` and `--budget-usd`."""
    group.add_argument("--concurrency", metavar="N", type=count, help="calls at once, at most (64)")
    group.add_argument("--rpm", metavar="N", type=count, help="requests a minute (no limit)")
    group.add_argument("--tpm", metavar="N", type=count, help="tokens a minute (no limit)")
    group.add_argument("--timeout", metavar="S", type=float, help="seconds for one call (120)")
    group.add_argument("--budget-usd", metavar="USD", type=float, help="to be spent at most (no limit)")


def model_option(text: str) -> tuple[str, JsonValue]:
    """KEY=VALUE, where VALUE is JSON or a word.

    Raises:
        ArgumentTypeError: it is not of that form, or has a flag of its own.
    """
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    if key in ("name", "api_base", *LIMITS):
        raise argparse.ArgumentTypeError(f"{key} is no option of a model; it has a flag of its own, if any")
    try:
        return key, json.loads(value)
    except ValueError:  # words need no quotation marks
        return key, value
