"""A command with actions: `prbgen bon sample`, `prbgen bon score` ..."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import Protocol


class Action(Protocol):
    """A module with the flags of an action, and what it does."""

    @property
    def add_arguments(self) -> Callable[[argparse.ArgumentParser], None]:
        """Adds its flags."""
        ...

    @property
    def run(self) -> Callable[[argparse.Namespace], int]:
        """Does it, and returns the exit code."""
        ...


def add_actions(parser: argparse.ArgumentParser, actions: Mapping[str, tuple[Action, str]]) -> None:
    """The actions by their names, each with what is said of it; its module's docstring says more."""
    parsers = parser.add_subparsers(metavar="ACTION", required=True)
    for name, (module, told) in actions.items():
        action = parsers.add_parser(name, help=told, description=module.__doc__)
        module.add_arguments(action)
        action.set_defaults(action=module.run)


def run_action(arguments: argparse.Namespace) -> int:
    """Do what the action says."""
    return int(arguments.action(arguments))
