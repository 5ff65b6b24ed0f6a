"""The flags of `prbgen evaluate`, and the evaluation that they ask for."""

from __future__ import annotations

import argparse
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from prbgen.errors import InputError
from prbgen.evaluate.settings import (
    CONDITIONS,
    RELEASED_TOKENS,
    DataSettings,
    Evaluation,
    Kind,
    PlannerSettings,
    ScorerSettings,
)
from prbgen.model_settings import ModelSettings
from prbgen.recipe import LimitSettings

M = TypeVar("M", bound=BaseModel)

_SEES = (
    "what the model sees: none (the question), profile (and the asker's posts), planner (and a rubric inferred from"
    " them, without the posts), shuffled (and a stranger's posts: the control), oracle (and the gold rubric: an upper"
    " bound)"
)
_LLM: tuple[Kind, ...] = ("judge", "rate")
_CALLED: tuple[Kind, ...] = (*_LLM, "http", "pooling")
# Which kinds of scorers a flag says something to; a flag that says nothing is refused.
_FLAGS_OF: dict[str, tuple[Kind, ...]] = {
    "device": ("scalar",),
    "dtype": ("scalar",),
    "batch_tokens": ("scalar",),
    "revision": ("scalar",),
    "trust_remote_code": ("scalar",),
    "no_shared_prefix": ("scalar",),
    "max_tokens": ("scalar", "judge", "rate", "pooling"),
    "api_base": ("judge", "rate", "pooling"),
    "option": _LLM,
    "samples": ("rate",),
    "token_probabilities": ("rate",),
    "concurrency": _CALLED,
    "timeout": _CALLED,
    "rpm": _CALLED,
    "tpm": _LLM,
    "budget_usd": _LLM,
}
_POSTS = 10
_LIMITS = ("concurrency", "timeout", "rpm", "tpm", "budget_usd")


def add_evaluate_flags(parser: argparse.ArgumentParser) -> None:
    """All flags but those of the output."""
    data = "a dataset, or plain chosen / rejected pairs: folder, file, Hub id; or a run"
    parser.add_argument("data", metavar="DATA", help=data)
    parser.add_argument("--scorer", required=True, metavar="KIND:MODEL", help="the reward model")
    parser.add_argument("--condition", required=True, choices=CONDITIONS, help=_SEES)
    parser.add_argument("--protocol", choices=("released",), help="as published: judges see one order, by seed 42")
    parser.add_argument("--prompts", metavar="DIR", type=Path, help="templates that come before the shipped ones")
    which = parser.add_argument_group("which pairs, and how much of them")
    which.add_argument("--split", metavar="NAME", default="", help="default: the first that people have validated")
    which.add_argument("--subset", metavar="NAME", action="append", default=[], help="only this one (repeatable)")
    which.add_argument("--limit", metavar="N", type=_count, default=0, help="only the first N pairs")
    which.add_argument("--posts", metavar="N", type=_count, default=_POSTS, help=f"shown at most ({_POSTS})")
    which.add_argument("--max-tokens", metavar="N", type=_count, help=f"of one input, at most ({RELEASED_TOKENS})")
    planner = parser.add_argument_group("the planner, which infers rubrics")
    planner.add_argument("--planner", metavar="MODEL", help="its LiteLLM name")
    planner.add_argument("--planner-api-base", metavar="URL", help="where it is served")
    option = "anything else that LiteLLM takes, such as max_tokens=800 (repeatable)"
    planner.add_argument("--planner-option", metavar="KEY=VALUE", type=_option, action="append", help=option)
    reused = "its replies, for all scorers (default: planner.sqlite beside the folder of results)"
    planner.add_argument("--planner-ledger", metavar="FILE", type=Path, help=reused)
    _add_scalar_flags(parser.add_argument_group("scalar"))
    _add_call_flags(parser.add_argument_group("judge, rate, http, pooling, and the planner"))


def _add_scalar_flags(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--device", metavar="NAME", help="cpu, cuda:1, ... (default: cuda where there is one)")
    dtypes, meaning = ("auto", "float32", "bfloat16", "float16"), "auto: float32 on a CPU, else as stored"
    group.add_argument("--dtype", choices=dtypes, help=meaning)
    group.add_argument("--batch-tokens", metavar="N", type=_count, help="in one batch (as the device allows)")
    group.add_argument("--revision", metavar="NAME", help="branch, tag or commit on the Hub")
    group.add_argument("--trust-remote-code", action="store_true", help="run code that comes with the model")
    group.add_argument("--no-shared-prefix", action="store_true", help="compute what both answers share twice")


def _add_call_flags(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--api-base", metavar="URL", help="where the model is served")
    group.add_argument("--concurrency", metavar="N", type=_count, help="calls at once, at most (64)")
    group.add_argument("--rpm", metavar="N", type=_count, help="requests a minute (no limit)")
    group.add_argument("--tpm", metavar="N", type=_count, help="tokens a minute (no limit)")
    group.add_argument("--timeout", metavar="S", type=float, help="seconds for one call (120)")
    group.add_argument("--budget-usd", metavar="USD", type=float, help="to be spent at most (no limit)")
    option = "judge, rate: anything else that LiteLLM takes, such as reasoning_effort=low (repeatable)"
    group.add_argument("--option", metavar="KEY=VALUE", type=_option, action="append", help=option)
    group.add_argument("--samples", metavar="N", type=_count, help="rate: asks for each answer (1)")
    weighed = "rate: weigh marks by the model's token probabilities, where its server tells them"
    group.add_argument("--token-probabilities", action="store_true", help=weighed)


def evaluation_of(arguments: argparse.Namespace) -> tuple[Evaluation, Path]:
    """What the flags ask for, and the folder for its results.

    Raises:
        InputError: they do not go together.
    """
    scorer = _scorer(arguments)
    folder = arguments.out or _default_folder(arguments, scorer)
    planner = None
    if arguments.planner:
        named = {"name": arguments.planner, "api_base": arguments.planner_api_base}
        model = _checked(ModelSettings, named | dict(arguments.planner_option or ()))
        ledger = arguments.planner_ledger or folder.absolute().parent / "planner.sqlite"
        planner = PlannerSettings(model, ledger)
    data = DataSettings(arguments.data, tuple(arguments.subset), arguments.split, arguments.limit)
    return Evaluation(data, arguments.condition, scorer, arguments.posts, planner), folder


def _scorer(arguments: argparse.Namespace) -> ScorerSettings:
    scorer = ScorerSettings.parsed(arguments.scorer)
    given = {name: value for name in _FLAGS_OF if (value := getattr(arguments, name))}
    for name in given:
        if scorer.kind not in _FLAGS_OF[name] and not (arguments.planner and name in _LIMITS):
            kinds = ", ".join(_FLAGS_OF[name])
            raise InputError(f"{_flag(name)} says nothing to a {scorer.kind} scorer: it goes with {kinds}")
    limits = {name: given.pop(name) for name in _LIMITS if name in given}
    if given.pop("no_shared_prefix", False):
        given["share_prefix"] = False
    if "option" in given:
        given["options"] = dict(given.pop("option"))
    return replace(scorer, protocol=arguments.protocol or "prbgen", limits=_checked(LimitSettings, limits), **given)


def _default_folder(arguments: argparse.Namespace, scorer: ScorerSettings) -> Path:
    """results/DATA/KIND-MODEL-CONDITION, and whatever else of the pairs or the posts is not as by default."""
    path = Path(arguments.data)
    # The dataset of a run has the same name in every run.
    data = "/".join(path.resolve().parts[-2 if path.name == "dataset" else -1 :]) if path.exists() else arguments.data
    posts = f"{arguments.posts}-posts" if arguments.posts != _POSTS else ""
    model = scorer.model.partition("://")[2] if scorer.kind == "http" else scorer.model
    parts = (scorer.kind, model, arguments.condition, arguments.protocol, posts, arguments.split, *arguments.subset)
    return Path("results") / _file_name(data) / _file_name("-".join(filter(None, parts)))


def _file_name(text: str) -> str:
    return re.sub(r"[^\w.-]+", "-", text).strip("-.")[-100:] or "data"


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1")
    return int(text)


def _option(text: str) -> tuple[str, JsonValue]:
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    if key in ("name", "api_base", *_LIMITS):
        raise argparse.ArgumentTypeError(f"{key} is no option of a model; it has a flag of its own, if any")
    try:
        return key, json.loads(value)
    except ValueError:  # words need no quotation marks
        return key, value


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _checked(kind: type[M], values: dict[str, Any]) -> M:
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        fault = error.errors()[0]
        flag = _flag(str(fault["loc"][0])) if fault["loc"] else "--planner"
        raise InputError(f"{flag}: {fault['msg'].removeprefix('Value error, ')}") from None
