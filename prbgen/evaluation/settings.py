"""What one evaluation is: which data, which reward model, and what that model sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Self, TypeAlias, get_args

from pydantic import JsonValue

from prbgen.errors import InputError
from prbgen.evaluation.address import reward_server, server_address, shown
from prbgen.model_settings import ModelSettings
from prbgen.recipe import LimitSettings
from prbgen.registry import SCORERS

Condition = Literal["none", "profile", "planner", "shuffled", "oracle"]
# One of `registry.SCORERS`.
Kind: TypeAlias = str
Protocol = Literal["prbgen", "released"]

CONDITIONS: tuple[Condition, ...] = get_args(Condition)
# The public protocol judges each pair in one order, drawn with this seed, and takes so many tokens.
RELEASED_SEED = 42
RELEASED_TOKENS = 8192


def says_to() -> dict[str, tuple[Kind, ...]]:
    """Which kinds of scorers a setting, or a limit, says something to; of those that say nothing to some kind."""
    names = dict.fromkeys(name for kind in SCORERS.values() for name in kind.takes)
    return {name: tuple(kind for kind, its in SCORERS.items() if name in its.takes) for name in names}


@dataclass(frozen=True)
class DataSettings:
    """Which pairs: `data` as the user wrote it; no `subsets` means all; "" as `split` means the first that people have
    validated; 0 as `limit` means all.
    """

    data: str
    subsets: tuple[str, ...] = ()
    split: str = ""
    limit: int = 0


@dataclass(frozen=True)
class ScorerSettings:
    """A reward model and how to run it: for `http`, `model` is the whole address.

    `max_tokens` of one input, at most. For `scalar`: `device` ("" is CUDA where there is one), `dtype` ("auto" is
    float32 on a CPU, else what the weights are stored as), `batch_tokens` in one batch, padding included (0: as the
    device allows), `share_prefix`, `trust_remote_code`, `revision` (of a model on the Hub). For models behind an
    address: `api_base`, `limits`; for an LLM also `options`, whatever LiteLLM takes. For `rate`: `samples` for each
    answer, or `token_probabilities` to weigh one by.
    """

    kind: Kind
    model: str
    max_tokens: int = RELEASED_TOKENS
    protocol: Protocol = "prbgen"
    device: str = ""
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    batch_tokens: int = 0
    share_prefix: bool = True
    trust_remote_code: bool = False
    revision: str = ""
    api_base: str = ""
    samples: int = 1
    token_probabilities: bool = False
    options: Mapping[str, JsonValue] = field(default_factory=dict)
    limits: LimitSettings = field(default_factory=LimitSettings)

    def __post_init__(self) -> None:
        if self.kind == "pooling" and self.api_base:
            server_address(self.api_base, "--api-base")

    @classmethod
    def parsed(cls, scorer: str) -> Self:
        """The settings of KIND:MODEL, all else as by default.

        Raises:
            InputError: it is not of that form, or an address in it holds a key.
        """
        kind, _, model = scorer.partition(":")
        if kind not in SCORERS or not model:
            raise InputError(
                f"--scorer {shown(scorer)}: should be KIND:MODEL, where KIND is one of {', '.join(SCORERS)}"
            )
        return cls(kind, reward_server(model) if kind == "http" else model)

    @property
    def name(self) -> str:
        """KIND:MODEL."""
        return f"{self.kind}:{self.model}"

    @property
    def short(self) -> str:
        """The model as folders are named after it."""
        return self.model.partition("://")[2] if self.kind == "http" else self.model

    @property
    def recorded(self) -> dict[str, JsonValue]:
        """What results say of how the model was asked."""
        names = ("max_tokens", "samples", "token_probabilities")
        return {name: getattr(self, name) for name in names} | {"options": dict(self.options)}


@dataclass(frozen=True)
class PlannerSettings:
    """The model that infers rubrics, and the file that keeps its replies, for all reward models."""

    model: ModelSettings
    ledger: Path


def refuse_planner(condition: Condition, planner: PlannerSettings | None) -> None:
    """The condition `planner` has a planner, and no other.

    Raises:
        InputError: it is not so.
    """
    if condition == "planner" and not planner:
        raise InputError("--condition planner: name the model that infers rubrics with --planner MODEL")
    if planner and condition != "planner":
        raise InputError(f"--planner goes with --condition planner, not with {condition}")


@dataclass(frozen=True)
class Evaluation:
    """One reward model on one set of pairs under one condition; `posts` are shown at most. The condition `planner` has
    a planner, and no other.

    Raises:
        InputError: its parts do not go together.
    """

    data: DataSettings
    condition: Condition
    scorer: ScorerSettings
    posts: int = 10
    planner: PlannerSettings | None = None

    def __post_init__(self) -> None:
        refuse_planner(self.condition, self.planner)
        if self.scorer.protocol == "released" and self.scorer.max_tokens != RELEASED_TOKENS:
            raise InputError(
                f"--protocol released: inputs have {RELEASED_TOKENS} tokens at most; leave out --max-tokens"
            )
