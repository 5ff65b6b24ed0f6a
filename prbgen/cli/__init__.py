"""The command line: one file a command. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import argparse
import difflib
import importlib
import io
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from prbgen import __version__
from prbgen.errors import PrbgenError

COMMANDS = {
    "demo": "bundled questions and an embedded model: pairs and a dataset, without any key",
    "init": "a recipe, a study, and editable copies of prompts, guidelines and card",
    "estimate": "calls, tokens and money, before any is spent",
    "generate": "rubrics and chosen / rejected pairs, as a recipe says",
    "status": "what is done, what failed and why, tokens and money",
    "audit": "can a shallow model tell chosen from rejected without the user? several sets: side by side",
    "annotate": "have people rate the pairs, in Argilla",
    "validate": "rater quality, agreement, equivalence: which pairs people have validated",
    "publish": "the dataset with card and evaluation script, in a folder or on the Hub",
    "evaluate": "how often a reward model prefers the answer that suits this person",
    "compare": "two datasets or two results, same questions: what changed",
    "report": "results of evaluations as a leaderboard page, Markdown and LaTeX",
    "bon": "Best-of-N: which of N answers does a reward model choose, and how well does it suit the asker?",
    "ppo": "policies trained with a reward model: data, reward server, training, answers",
    "correlate": "does a benchmark rank reward models as what they bring downstream does?",
    "study": "all of it for a list of reward models, in one report",
    "ledger": "share the replies of a run without anything private",
}


class Parser(argparse.ArgumentParser):
    """An argument parser that says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """Report wrong arguments. Exit code 2."""
        raise PrbgenError(f"{message}; see `{self.prog} --help`")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 done, 1 fell short, 2 wrong input, 130 interrupted."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    _prepare_streams()
    try:
        # Like Ctrl-C, wherever it comes in.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            return _run(words)
        finally:
            # Here, not at exit, where it is too late to deal with what goes wrong.
            sys.stdout.flush()
    except PrbgenError as error:
        from prbgen.llm.secrets import redact
        from prbgen.text import one_line

        print(f"prbgen: {one_line(redact(str(error)), 2000)}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("prbgen: stopped; the same command goes on from here", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Whoever read our output has gone (`| head`): keep Python from complaining about it at exit, too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"prbgen: {where}{error.strerror or error}", file=sys.stderr)
        return 2


def _prepare_streams() -> None:
    """Print what can be printed, also where stdout is closed or knows few characters."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _run(words: list[str]) -> int:
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise PrbgenError(f"{word!a}: an argument is not UTF-8 text") from None
    if not words or words[0] in ("-h", "--help", "help"):
        print(_help())
        return 0
    if words[0] in ("-V", "--version"):
        print(f"prbgen {__version__}")
        return 0
    name = words[0]
    if name not in COMMANDS:
        near = difflib.get_close_matches(name, COMMANDS, n=1)
        raise PrbgenError(f"no command {name!r}{f'; did you mean {near[0]!r}?' if near else ''}; see `prbgen --help`")
    command = importlib.import_module(f"prbgen.cli.{name}")
    parser = Parser(prog=f"prbgen {name}", description=command.__doc__)
    command.add_arguments(parser)
    return int(command.run(parser.parse_args(words[1:])))


def _help() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {summary}" for name, summary in COMMANDS.items()]
    return "\n".join(
        [
            "usage: prbgen COMMAND [ARGUMENTS]",
            "",
            "Build personalised reward benchmarks: LaMP-QA profiles in, chosen / rejected pairs out.",
            "",
            *lines,
            "",
            "prbgen COMMAND --help says more. Exit codes: 0 done, 1 done but something fell short,",
            "2 the input or the settings are wrong, 130 interrupted (the same command goes on).",
        ]
    )
