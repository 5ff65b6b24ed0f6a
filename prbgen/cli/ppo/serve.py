"""Serve a reward model to a training on this machine or another one: POST /score, GET /health, GET /metrics.

Requests that arrive together are scored as one batch; when too many wait, the server says when to ask again. A score
that cannot be had is an error, and never a number. If PRBGEN_REWARD_KEY is set, clients need it as a Bearer token.
Ctrl-C answers what is in flight and stops. When the model is gone (its GPU failed, say) the server says so to all that
wait, and ends with exit code 2, so that whatever keeps it up can start it again.
"""

from __future__ import annotations

import argparse
import asyncio
from functools import partial
from pathlib import Path

from prbgen.cli.scorer_flags import add_scorer_flags, scorer_of
from prbgen.cli.which_flags import count
from prbgen.errors import InputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`serve --scorer KIND:MODEL [...]`."""
    parser.add_argument("--host", default="127.0.0.1", help="where it listens (%(default)s: this machine alone)")
    parser.add_argument("--port", metavar="N", type=int, default=8000, help="%(default)s unless told; 0: any free one")
    keyless = "clients need no key, also where others can reach the server"
    parser.add_argument("--no-key", action="store_true", help=keyless)
    batches = parser.add_argument_group("requests")
    queue = "inputs that may wait, and the most in one request (%(default)s)"
    batches.add_argument("--queue", metavar="N", type=count, default=4096, help=queue)
    together = "inputs in one batch, at most (%(default)s); a request is never split"
    batches.add_argument("--batch", metavar="N", type=count, default=256, help=together)
    wait = "a batch that is not full begins after so many milliseconds without a new request (%(default)s)"
    batches.add_argument("--batch-wait", metavar="MS", type=_milliseconds, default=5, help=wait)
    model = parser.add_argument_group("the model")
    model.add_argument("--prompts", metavar="DIR", type=Path, help="rate: templates that come before the shipped ones")
    kept = "rate: its replies, so that none is paid for twice (reward-server.sqlite)"
    model.add_argument("--ledger", metavar="FILE", type=Path, help=kept)
    add_scorer_flags(parser, "rate, http, pooling")


def run(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C. Returns 0.

    Raises:
        InputError: the flags do not go together, the address is not free, or the model cannot be used.
        PrbgenError: the model is gone.
    """
    from prbgen.api.running import run_until_interrupted
    from prbgen.downstream.ppo.serve.desk import Bounds
    from prbgen.downstream.ppo.serve.server import Serving, serve
    from prbgen.llm.secrets import load_env_file
    from prbgen.llm.templates import Prompts
    from prbgen.terminal import stderr

    scorer = scorer_of(arguments)
    for flag in ("ledger", "prompts"):
        if getattr(arguments, flag) and scorer.kind != "rate":
            raise InputError(f"--{flag} says nothing to a {scorer.kind} scorer: it goes with rate")
    load_env_file()
    serving = Serving(
        scorer=scorer,
        ledger=arguments.ledger or Path("reward-server.sqlite"),
        host=arguments.host,
        port=arguments.port,
        no_key=arguments.no_key,
        bounds=Bounds(arguments.queue, arguments.batch, arguments.batch_wait / 1000),
    )
    console, prompts = stderr(), Prompts(arguments.prompts)
    say = partial(console.print, markup=False, soft_wrap=True)

    async def work(stop: asyncio.Event) -> None:
        await serve(serving, prompts, stop=stop, say=say, ready=partial(print, flush=True))

    run_until_interrupted(work, say)
    return 0


def _milliseconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value <= 10_000:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of milliseconds from 0 to 10,000")
    return value
