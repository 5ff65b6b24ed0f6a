"""A scorer and what it sees, from keywords that are named as the flags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypedDict, get_args

from pydantic import JsonValue

from prbgen.api.given import Place, options_of, path, refuse_fewer
from prbgen.api.models import LIMITS, LimitKeywords, limits_of, model_of
from prbgen.errors import InputError
from prbgen.evaluation.settings import CONDITIONS, PlannerSettings, ScorerSettings, says_to

# Keywords that are called otherwise than what they set.
_SETS = {"no_shared_prefix": "share_prefix", "option": "options"}
_COUNTS = ("max_tokens", "batch_tokens", "samples", "concurrency", "rpm", "tpm")


Dtype = Literal["auto", "float32", "bfloat16", "float16"]


class PlannerKeywords(TypedDict, total=False):
    """The model that infers rubrics, for the condition `planner`.

    `planner`: its LiteLLM name; `planner_api_base`: where it is served; `planner_option`: whatever else LiteLLM takes;
    `planner_ledger`: keeps its replies, for all scorers (planner.sqlite beside the folder of results).
    """

    planner: str | None
    planner_api_base: str | None
    planner_option: Mapping[str, JsonValue] | None
    planner_ledger: Place | None


class ScorerKeywords(LimitKeywords, total=False):
    """How a scorer is run; what is missing or None is as by default, and what says nothing to its kind is refused.

    `max_tokens` of one input, at most (8192). For `scalar`: `device` ("cpu", "cuda:1"; CUDA where there is one),
    `dtype` ("auto": float32 on a CPU, else as stored), `batch_tokens` in one batch (as the device allows), `revision`
    (branch, tag or commit on the Hub), `trust_remote_code` (run code that comes with the model), `no_shared_prefix`
    (compute what answers share for each of them). For models behind an address: `api_base`, where it is served, and the
    limits, which are for scorer and planner each; for an LLM `option`, whatever else LiteLLM takes; for `rate`
    `samples`, asks for each answer (1), and `token_probabilities`, to weigh marks by.
    """

    max_tokens: int | None
    device: str | None
    dtype: Dtype | None
    batch_tokens: int | None
    revision: str | None
    trust_remote_code: bool
    no_shared_prefix: bool
    api_base: str | None
    option: Mapping[str, JsonValue] | None
    samples: int | None
    token_probabilities: bool


class ScoringKeywords(ScorerKeywords, PlannerKeywords, total=False):
    """Both."""


_OF_SCORERS = tuple(sorted(ScorerKeywords.__optional_keys__))


def refuse_other_condition(condition: str) -> None:
    """There are five.

    Raises:
        InputError: this is none of them.
    """
    if condition not in CONDITIONS:
        raise InputError(f"--condition {condition}: should be one of {', '.join(CONDITIONS)}")


def scorer_of(scorer: str, given: ScoringKeywords, protocol: Literal["released"] | None = None) -> ScorerSettings:
    """The scorer that was asked for. The limits may be the planner's alone.

    Raises:
        InputError: it is not of the form KIND:MODEL, or what was given does not go together.
    """
    parsed = ScorerSettings.parsed(scorer)
    settings: dict[str, Any] = {name: given[name] for name in _OF_SCORERS if given.get(name)}  # type: ignore[literal-required]
    refuse_fewer(1, **{name: given.get(name) for name in _COUNTS})  # type: ignore[arg-type]
    if (dtype := settings.get("dtype", "auto")) not in get_args(Dtype):
        raise InputError(f"--dtype {dtype}: should be one of {', '.join(get_args(Dtype))}")
    goes_with = says_to()
    for name in settings:
        kinds = goes_with[_SETS.get(name, name)]
        if parsed.kind not in kinds and not (given.get("planner") and name in LIMITS):
            flag = "--" + name.replace("_", "-")
            raise InputError(f"{flag} says nothing to a {parsed.kind} scorer: it goes with {', '.join(kinds)}")
    settings = {_SETS.get(name, name): value for name, value in settings.items() if name not in LIMITS}
    if "share_prefix" in settings:
        settings["share_prefix"] = False
    if "options" in settings:
        settings["options"] = options_of(settings["options"], "option")
    return replace(parsed, protocol=protocol or "prbgen", limits=limits_of(given), **settings)


def planner_of(given: ScoringKeywords, folder: Path) -> PlannerSettings | None:
    """The planner that was named, null if none; `folder` is that of the results.

    Raises:
        InputError: there can be no such model.
    """
    name = given.get("planner")
    if not name:
        return None
    options = options_of(given.get("planner_option"), "planner_option")
    model = model_of("--planner", name, given.get("planner_api_base"), options)
    return PlannerSettings(
        model, path(given.get("planner_ledger"), "planner_ledger") or folder.absolute().parent / "planner.sqlite"
    )
