"""Flags that say which part of the data is meant, and how numbers in flags are read."""

from __future__ import annotations

import argparse

from prbgen.evaluation.settings import DataSettings


def add_which_flags(group: argparse._ArgumentGroup, what: str) -> None:
    """`--split`, `--subset` and `--limit`; `what` is there many of ("pairs")."""
    add_split_flags(group)
    group.add_argument("--limit", metavar="N", type=count, default=0, help=f"only the first N {what}")


def add_split_flags(group: argparse._ArgumentGroup) -> None:
    """`--split` and `--subset`."""
    group.add_argument("--split", metavar="NAME", default="", help="default: the first that people have validated")
    group.add_argument("--subset", metavar="NAME", action="append", default=[], help="only this one (repeatable)")


def data_settings(arguments: argparse.Namespace) -> DataSettings:
    """The data that DATA and these flags name."""
    return DataSettings(arguments.data, tuple(arguments.subset), arguments.split, getattr(arguments, "limit", 0))


def count(text: str) -> int:
    """A number from 1.

    Raises:
        ArgumentTypeError: it is none.
    """
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1")
    return int(text)
