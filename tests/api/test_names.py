"""`import prbgen`: what it offers, that it is quick, and that type checkers see it."""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import json
import sys
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path

import pytest

import prbgen
from prbgen.api.models import LimitKeywords
from prbgen.api.scorers import ScoringKeywords
from prbgen.cli import COMMANDS, bon
from prbgen.errors import PrbgenError
from tests.processes import python

STAGES = {"estimate", "generate", "audit", "validate", "publish", "evaluate", "compare", "report", "correlate", "study"}
ACTIONS = {"sample", "score", "judge", "curve"}  # of bon
FURTHER = {"Unpack[ScoringKeywords]": ScoringKeywords, "Unpack[LimitKeywords]": LimitKeywords}


def test_every_public_name_is_there_and_named_as_its_module_says() -> None:
    for name in prbgen.__all__:
        found = getattr(prbgen, name)
        assert name == "__version__" or found.__name__.removeprefix("prbgen.api.") == name
    assert set(prbgen.__all__) <= set(dir(prbgen))
    assert len(set(prbgen.__all__)) == len(prbgen.__all__)


def test_the_stages_are_functions_named_as_their_commands() -> None:
    functions = {name for name in prbgen.__all__ if inspect.isfunction(getattr(prbgen, name))}
    assert functions - {"load_recipe"} == STAGES
    assert set(COMMANDS) >= STAGES


def test_type_checkers_are_told_the_same_names_from_the_same_modules() -> None:
    tree = ast.parse(Path(prbgen.__file__).read_text(encoding="utf-8"))
    told = {
        alias.name: node.module
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert set(told) == set(prbgen.__all__) - {"__version__"}
    assert told.pop("bon") == prbgen.bon.__package__.rpartition(".")[0]
    for name, module in told.items():
        assert getattr(prbgen, name).__module__ == module


def test_best_of_n_has_a_function_for_each_action_and_an_estimate() -> None:
    functions = {name for name in prbgen.bon.__all__ if inspect.isfunction(getattr(prbgen.bon, name))}
    assert functions == ACTIONS | {"estimate"}
    assert set(bon._ACTIONS) == ACTIONS


def test_a_name_that_is_not_there_says_so() -> None:
    with pytest.raises(AttributeError, match="module 'prbgen' has no attribute 'evaluat'"):
        _ = prbgen.evaluat  # type: ignore[attr-defined]


def test_errors_have_one_base() -> None:
    errors = [getattr(prbgen, name) for name in prbgen.__all__ if name.endswith("Error")]
    assert len(errors) == 6
    assert all(issubclass(error, PrbgenError) for error in errors)


def test_importing_it_brings_nothing_heavy() -> None:
    told = "print(json.dumps(sorted(set(sys.modules) - before)))"
    code = f"import sys, json; before = set(sys.modules); import prbgen; {told}"
    loaded = json.loads(python(code))
    ours = {name for name in loaded if name.startswith("prbgen")}
    assert ours == {"prbgen"}
    assert not {name.partition(".")[0] for name in loaded} - {"prbgen"} - set(sys.stdlib_module_names)


def test_its_types_travel_with_it() -> None:
    assert Path(prbgen.__file__).with_name("py.typed").is_file()


@pytest.mark.parametrize("stage", sorted(STAGES) + [f"bon.{action}" for action in sorted(ACTIONS)])
def test_signatures_say_what_flags_say(stage: str) -> None:
    """Each keyword of a stage is a flag of its command, and each flag that says what to do is a keyword."""
    shows = {"help", "json", "display"}
    parser = argparse.ArgumentParser()
    importlib.import_module(f"prbgen.cli.{stage}").add_arguments(parser)
    flags = {action.dest for action in parser._actions} - shows
    if stage == "validate":  # the others are of --plan, which is no validation
        flags &= {"run", "recipe"}
    if stage == "bon.judge":  # a function of its own
        flags -= {"estimate"}
    function = attrgetter(stage)(prbgen)
    assert keywords(function) - shows == flags


def test_an_estimate_of_judging_takes_what_judging_takes() -> None:
    assert keywords(prbgen.bon.estimate) == keywords(prbgen.bon.judge) - {"ray"}


def keywords(function: Callable[..., object]) -> set[str]:
    """Those of a function, with those that it has from a TypedDict."""
    parameters = inspect.signature(function).parameters
    named = {name for name, each in parameters.items() if each.kind != each.VAR_KEYWORD}
    further = [FURTHER[each.annotation] for each in parameters.values() if each.kind == each.VAR_KEYWORD]
    return named.union(*(each.__optional_keys__ for each in further))
