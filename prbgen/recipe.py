"""recipe.toml: how a dataset is to be built, read into settings that have been checked."""

from __future__ import annotations

from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, Self

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from prbgen.errors import InputError
from prbgen.model_settings import ModelSettings
from prbgen.registry import STRATEGIES
from prbgen.schema import RubricKind, StrategyName
from prbgen.settings_file import A_PATH, MODELS_HERE, absolute, first_fault, read_tables, with_names

# Sources that have a name: the dataset on the Hub, and the questions that ship with prbgen.
LAMP_QA = "alireza7/LaMP-QA"
SAMPLES = "samples"


class Settings(BaseModel):
    """A table of the recipe. Unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class SourceSettings(Settings):
    """Which questions to read. `limit` 0 means all.

    `path`: a Hub id, a folder, a file, a list of files, or "samples" (the questions that ship with prbgen).
    """

    path: str | tuple[str, ...]
    subsets: tuple[str, ...] = ()
    split: str = "test"
    limit: int = Field(default=0, ge=0)
    ids: tuple[str, ...] = ()

    @field_validator("path", mode="before")
    @classmethod
    def _some_path(cls, value: Any) -> Any:
        names = value if isinstance(value, list | tuple) else [value]
        if names and all(isinstance(name, str) and name for name in names):
            return value
        raise ValueError("should be a Hub id, a folder, a file or a list of files")


class ProfileSettings(Settings):
    """What of a profile a prompt shows: the top `posts` by relevance, as far as `tokens` reach."""

    ranker: str = "bm25"
    posts: int = Field(default=10, ge=0)
    tokens: int = Field(default=4000, ge=1)

    @field_validator("ranker")
    @classmethod
    def _known_ranker(cls, value: str) -> str:
        if value == "bm25" or (value.startswith("dense:") and value != "dense:"):
            return value
        raise ValueError('is "bm25" or "dense:NAME-OR-FOLDER"')


class RubricSettings(Settings):
    """Where rubrics come from; `gold` falls back to `extracted` where a row has none."""

    kind: RubricKind = "gold"


class PairSettings(Settings):
    """How the two answers are written. `words`: at most so many; `attempts`: how often a failing pair is written."""

    strategy: StrategyName = "avoid"
    words: int = Field(default=100, ge=10)
    attempts: int = Field(default=3, ge=1, le=1000)
    seed: int = Field(default=0, ge=0)

    @field_validator("strategy")
    @classmethod
    def _known_strategy(cls, value: str) -> str:
        if value in STRATEGIES:
            return value
        raise ValueError(f"should be one of {', '.join(STRATEGIES)}")


class CheckSettings(Settings):
    """What a pair must hold to.

    `mode`: in `gate` a failing pair is written again, then rejected; in `report` failures are recorded; `off`: none.
    `length_ratio`: words of the longer answer over those of the shorter, at most. `near_copy`: two answers whose share
    of common word pairs (0 to 1) reaches this are copies. `leaked_words`: a run of so many words of the narrative or
    the rubric gives it away. By the judge: mean `quality` (1 to 5) of each answer at least, and at most `quality_gap`
    apart; covered share of the rubric (0 to 1): `coverage_chosen` at least, `coverage_gap` between both at least, and
    `coverage_rejected` at most for the strategies avoid and counter.
    """

    mode: Literal["gate", "report", "off"] = "gate"
    length_ratio: float = Field(default=1.25, ge=1)
    near_copy: float = Field(default=0.6, gt=0, le=1)
    leaked_words: int = Field(default=8, ge=3)
    quality: float = Field(default=4.0, ge=1, le=5)
    quality_gap: float = Field(default=0.5, ge=0, le=4)
    coverage_chosen: float = Field(default=0.7, ge=0, le=1)
    coverage_gap: float = Field(default=0.4, ge=-1, le=1)
    coverage_rejected: float = Field(default=0.3, ge=0, le=1)


class LimitSettings(Settings):
    """What may be sent. 0 means no limit.

    `concurrency`, `rpm`, `tpm` (calls at once, requests and tokens a minute) and `timeout` (seconds for one request)
    hold for each model, unless its own table says otherwise; budgets for the whole run, over all its processes.
    """

    concurrency: int = Field(default=64, ge=1)
    timeout: float = Field(default=120, gt=0)
    rpm: int = Field(default=0, ge=0)
    tpm: int = Field(default=0, ge=0)
    budget_usd: float = Field(default=0, ge=0)
    budget_tokens: int = Field(default=0, ge=0)

    def of(self, model: ModelSettings) -> LimitSettings:
        """The limits that hold for a model: its own where its table says something, else these."""
        names = ("concurrency", "timeout", "rpm", "tpm")
        own = {name: value for name in names if (value := getattr(model, name)) is not None}
        return self.model_copy(update=own) if own else self


class AnnotationSettings(Settings):
    """How a rating campaign is laid out; frozen when its first items are pushed.

    `raters_per_item`: how many people rate an item. `sample`: how many pairs, in proportion to subsets and strategies
    (0: all). `gold`, `repeats`: items whose answer is known, and items shown twice, as a share of the pairs. Left out
    afterwards is a rater who gets less than `least_gold` of the gold items right, or whose median time for an item is
    below `least_seconds`. Raters disagree where their marks are `disagreement` or more apart, or where no answer has
    most of their votes. `simulated`: the raters are programs, as in a rehearsal; such ratings validate nothing.
    """

    raters_per_item: int = Field(default=3, ge=1)
    sample: int = Field(default=0, ge=0)
    gold: float = Field(default=0.05, ge=0, le=1)
    repeats: float = Field(default=0.05, ge=0, le=1)
    seed: int = Field(default=0, ge=0)
    least_gold: float = Field(default=0.7, ge=0, le=1)
    least_seconds: float = Field(default=10, ge=0)
    disagreement: int = Field(default=2, ge=1, le=4)
    simulated: bool = False


class ValidationSettings(Settings):
    """When a pair counts as validated by people, and how sure the whole has to be.

    A pair is validated with `ratings` answers or more in each of the rounds quality and rubric, both answers of a
    general quality of `quality` or more and at most `quality_gap` apart, most votes for `chosen`, and an adherence of
    `chosen` that is `adherence_gap` or more above that of `rejected`; all in marks from 1 to 5. Over all pairs, the
    general quality of chosen and rejected is to be equal within `margin` marks, and the share of pairs whose chosen
    answer was rated better is to exceed that of rejected by no more than `balance`, either way. `resamples` and `seed`
    are of bootstrap intervals.
    """

    ratings: int = Field(default=3, ge=1)
    quality: float = Field(default=3.5, ge=1, le=5)
    quality_gap: float = Field(default=1.0, ge=0, le=4)
    adherence_gap: float = Field(default=1.0, ge=-4, le=4)
    margin: float = Field(default=0.2, gt=0, le=4)
    balance: float = Field(default=0.1, gt=0, le=1)
    resamples: int = Field(default=1000, ge=100, le=100_000)
    seed: int = Field(default=0, ge=0)


class PublicationSettings(Settings):
    """What a dataset card says that no figure tells. Null and (): the card says "not stated".

    `version` becomes the tag vX.Y.Z. `license` is the Hub's id of one (null: that of the source, if prbgen knows it),
    `languages` are ISO 639 codes. `recruitment`, `pay`, `consent` and `ethics` are about the raters, `generator_terms`
    about what the providers of the models allow, `removal` says how somebody has their posts removed.
    """

    title: str = Field(default="Personalised reward pairs", min_length=1)
    version: str = Field(default="1.0.0", pattern=r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$")
    authors: tuple[str, ...] = ()
    license: str | None = Field(default=None, min_length=1)
    languages: tuple[str, ...] = ()
    recruitment: str | None = None
    pay: str | None = None
    consent: str | None = None
    ethics: str | None = None
    generator_terms: str | None = None
    removal: str | None = None


class Models(Settings):
    """Who does what: `rubric` extracts, infers and turns rubrics round, `answer` writes pairs, `judge` rates them."""

    answer: ModelSettings
    rubric: ModelSettings | None = None
    judge: ModelSettings | None = None


class Recipe(Settings):
    """A whole recipe, its paths made absolute."""

    source: SourceSettings
    profile: ProfileSettings = ProfileSettings()
    rubric: RubricSettings = RubricSettings()
    pair: PairSettings = PairSettings()
    models: Models
    checks: CheckSettings = CheckSettings()
    limits: LimitSettings = LimitSettings()
    annotation: AnnotationSettings = AnnotationSettings()
    validation: ValidationSettings = ValidationSettings()
    publication: PublicationSettings = PublicationSettings()

    @field_validator("source")
    @classmethod
    def _one_split(cls, source: SourceSettings) -> SourceSettings:
        if not source.split.strip():
            raise ValueError("split names none; a recipe is about one")
        return source

    @model_validator(mode="after")
    def _limits_agree(self) -> Self:
        limits = self.limits
        first: dict[tuple[str, str | None], tuple[str, dict[str, int]]] = {}
        for role in Models.model_fields:
            model: ModelSettings | None = getattr(self.models, role)
            if model is None:
                continue
            own = {name: getattr(limits.of(model), name) for name in ("concurrency", "rpm", "tpm")}
            other = first.setdefault((model.name, model.api_base), (role, own))
            for name, value in own.items():
                if other[1][name] != value:
                    what = f"{name} is {other[1][name]} in {other[0]} and {value} in {role}"
                    raise ValueError(
                        f"[models]: {role} and {other[0]} are one model, whose limits count once, but {what}"
                    )
            longest = model.params.get("max_completion_tokens") or model.params.get("max_tokens") or 0
            for name, most in (("tpm", own["tpm"]), ("budget_tokens", limits.budget_tokens)):
                if isinstance(longest, int) and 0 < most < longest:
                    fits = f"{name} = {most} is less than max_tokens = {longest} of {role}"
                    raise ValueError(f"[models]: {fits}: no call fits")
        return self

    @property
    def called(self) -> dict[str, ModelSettings]:
        """The models that may be called, by role."""
        models = {"answer": self.models.answer, "rubric": self.models.rubric, "judge": self.judge}
        return {role: model for role, model in models.items() if model}

    @property
    def judge(self) -> ModelSettings | None:
        """The model that judges the pairs; null: none is named, or nothing is checked."""
        return self.models.judge if self.checks.mode != "off" else None

    def to_toml(self) -> str:
        """The recipe as text that `load_recipe` reads back to an equal recipe."""
        return tomli_w.dumps(self.model_dump(mode="json", exclude_none=True))


# What may lie beside a recipe, by table and key.
_NAMED = {
    ("source", "path"): A_PATH,
    ("profile", "ranker"): ("dense:",),
    **{("models", role): MODELS_HERE for role in Models.model_fields},
}


def shipped_recipe(name: Literal["default", "demo", "study"]) -> Path:
    """A recipe, or the study, that comes with prbgen."""
    return Path(str(files("prbgen"))) / "recipes" / f"{name}.toml"


def load_recipe(path: Path, overrides: dict[str, dict[str, Any]] | None = None) -> Recipe:
    """Read a recipe; `overrides` ({table: {key: value}}, from flags) win over the file.

    Raises:
        InputError: the file cannot be read or is no valid recipe; names table, key and what would be right.
    """
    tables = read_tables(path)
    for table, values in (overrides or {}).items():
        if isinstance(tables.setdefault(table, {}), dict):
            tables[table] |= values
    try:
        return Recipe.model_validate(with_names(tables, _NAMED, partial(absolute, folder=path.resolve().parent)))
    except ValidationError as error:
        raise InputError(f"{path}: {first_fault(error, Recipe)}") from None
