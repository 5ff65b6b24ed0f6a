"""STUDY.toml: which reward models are studied, on what, and how; read into settings that have been checked."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

import tomli_w
from pydantic import Field, JsonValue, ValidationError, field_validator, model_validator

from prbgen.downstream.best_of_n.best_of_k import ks_up_to
from prbgen.downstream.best_of_n.judge_settings import judge_model
from prbgen.downstream.study.models import ModelEntry
from prbgen.downstream.study.paths import with_absolute_paths
from prbgen.errors import InputError
from prbgen.evaluation.settings import CONDITIONS, Condition, DataSettings, ScorerSettings
from prbgen.model_settings import ModelSettings
from prbgen.recipe import LimitSettings, Settings
from prbgen.settings_file import first_fault, read_tables, said
from prbgen.text import one_line


class DataTable(Settings):
    """Which pairs or questions: see `DataSettings`."""

    path: str = Field(min_length=1)
    subsets: tuple[str, ...] = ()
    split: str = ""
    limit: int = Field(default=0, ge=0)


class PlannerTable(Settings):
    """The model that infers rubrics, for the condition planner."""

    model: str = Field(min_length=1)
    api_base: str | None = None
    options: dict[str, JsonValue] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _can_be_called(self) -> Self:
        try:
            self.settings()
        except ValidationError as error:
            raise ValueError(said(error.errors()[0])) from None
        return self

    def settings(self) -> ModelSettings:
        """How it is called."""
        return ModelSettings.model_validate({**self.options, "name": self.model, "api_base": self.api_base})


class BestOfNTable(Settings):
    """The candidates: `n` by `policy` to each question of the data, or the first `limit` (0: as many as there are),
    judged by `judge` as `prbgen bon judge` has it asked. `condition` is what the policy sees, `scored_under` what the
    reward models do; a setting in its own table comes before those here.
    """

    policy: ModelSettings
    judge: ModelSettings
    n: int = Field(default=16, ge=2, le=128)
    temperature: float = Field(default=1.0, ge=0)
    top_p: float = Field(default=0.9, gt=0, le=1)
    max_tokens: int = Field(default=512, ge=1)
    condition: Literal["none", "profile"] = "profile"
    scored_under: Condition = "profile"
    limit: int = Field(default=0, ge=0)

    @field_validator("judge")
    @classmethod
    def _asked_as_ever(cls, judge: ModelSettings) -> ModelSettings:
        own = judge.model_dump(exclude_none=True, exclude={"name", "api_base"})
        return judge_model(judge.name, api_base=judge.api_base, options=own)


class PpoTable(Settings):
    """Folders of answers by policies that were trained with the reward models, judged."""

    results: tuple[Path, ...] = Field(min_length=1)


class CorrelateTable(Settings):
    """Which results of the benchmark are compared with which of Best-of-N: under these `conditions` (none: all that are
    evaluated), at this `k` (0: N).
    """

    conditions: tuple[Condition, ...] = ()
    k: int = Field(default=0, ge=0)


class Study(Settings):
    """A whole study, its paths made absolute where they are of files beside it.

    `conditions` are what reward models see when they are evaluated, with at most `posts` posts; `limits` hold for each
    model, unless its own table says otherwise; `seed` is of every draw;
    `note` stands at the top of the report.
    """

    data: DataTable
    models: tuple[ModelEntry, ...] = Field(min_length=1)
    conditions: tuple[Condition, ...] = Field(default=("none", "profile", "shuffled"), min_length=1)
    posts: int = Field(default=10, ge=1)
    planner: PlannerTable | None = None
    best_of_n: BestOfNTable | None = None
    ppo: PpoTable | None = None
    correlate: CorrelateTable = CorrelateTable()
    limits: LimitSettings = LimitSettings()
    seed: int = Field(default=0, ge=0)
    note: str = ""

    @field_validator("models")
    @classmethod
    def _each_once(cls, models: tuple[ModelEntry, ...]) -> tuple[ModelEntry, ...]:
        names = [entry.settings().name for entry in models]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"{twice} is there twice; results are joined by this name")
        return models

    @field_validator("conditions")
    @classmethod
    def _in_order(cls, conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
        """Each once, in the order in which they are always shown."""
        return tuple(each for each in CONDITIONS if each in conditions)

    @model_validator(mode="after")
    def _parts_agree(self) -> Self:
        under = {*self.conditions, *((self.best_of_n.scored_under,) if self.best_of_n else ())}
        if "planner" in under and not self.planner:
            raise ValueError("[planner]: the condition planner needs a model that infers rubrics")
        if self.planner and "planner" not in under:
            raise ValueError("[planner]: infers rubrics for the condition planner, which is not among the conditions")
        if other := [each for each in self.correlate.conditions if each not in self.conditions]:
            raise ValueError(f"[correlate] conditions: {other[0]} is not evaluated; add it to conditions")
        k, best_of_n = self.correlate.k, self.best_of_n
        if k and not best_of_n:
            raise ValueError("[correlate] k: there is no [best_of_n] to choose from")
        if k and best_of_n and k not in (ks := ks_up_to(best_of_n.n)):
            raise ValueError(f"[correlate] k: {k} is on no curve; with n = {best_of_n.n} there are {_listed(ks)}")
        return self

    @property
    def data_settings(self) -> DataSettings:
        """What is evaluated."""
        return DataSettings(self.data.path, self.data.subsets, self.data.split, self.data.limit)

    @property
    def candidates_of(self) -> DataSettings:
        """What candidates are written to: the same, or fewer."""
        limits = [each for each in (self.data.limit, self.best_of_n.limit if self.best_of_n else 0) if each]
        return DataSettings(self.data.path, self.data.subsets, self.data.split, min(limits, default=0))

    @property
    def scorers(self) -> tuple[ScorerSettings, ...]:
        """The reward models, within their limits."""
        return tuple(entry.settings(self.limits) for entry in self.models)

    @property
    def correlated(self) -> tuple[Condition, ...]:
        """The conditions whose results are compared with what comes after."""
        return self.correlate.conditions or self.conditions

    def to_toml(self) -> str:
        """The study with all that was not said, as text that `read_study` reads back to an equal one."""
        return tomli_w.dumps(self.model_dump(mode="json", exclude_none=True))


def read_study(path: Path) -> Study:
    """Read a study.

    Raises:
        InputError: the file cannot be read or is no valid study; names table, key and what would be right.
    """
    tables = read_tables(path)
    try:
        return Study.model_validate(with_absolute_paths(tables, path.resolve().parent))
    except ValidationError as error:
        raise InputError(f"{path}: {one_line(first_fault(error, Study))}") from None
    except InputError as error:
        raise InputError(f"{path}: {one_line(str(error))}") from None


def _listed(ks: tuple[int, ...]) -> str:
    return ", ".join(map(str, ks))
