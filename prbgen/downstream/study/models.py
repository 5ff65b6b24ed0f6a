"""A reward model in a study: what `prbgen evaluate` takes as flags, as keys of a table."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, JsonValue, model_validator

from prbgen.errors import InputError
from prbgen.evaluation.scorers.llm_model import model_of
from prbgen.evaluation.settings import Protocol, ScorerSettings, says_to
from prbgen.recipe import LimitSettings, Settings

_LIMITS = ("concurrency", "timeout", "rpm", "tpm", "budget_usd", "budget_tokens")


class ModelEntry(Settings):
    """One of [[models]]: `scorer` is KIND:MODEL, all else as `ScorerSettings` and `LimitSettings` have it, and with
    their defaults: a key that is left out is null here.
    """

    scorer: str
    max_tokens: int | None = Field(default=None, ge=1)
    protocol: Protocol | None = None
    device: str | None = None
    dtype: Literal["auto", "float32", "bfloat16", "float16"] | None = None
    batch_tokens: int | None = Field(default=None, ge=0)
    share_prefix: bool | None = None
    trust_remote_code: bool | None = None
    revision: str | None = None
    api_base: str | None = None
    samples: int | None = Field(default=None, ge=1)
    token_probabilities: bool | None = None
    options: dict[str, JsonValue] | None = None
    concurrency: int | None = Field(default=None, ge=1)
    timeout: float | None = Field(default=None, gt=0)
    rpm: int | None = Field(default=None, ge=0)
    tpm: int | None = Field(default=None, ge=0)
    budget_usd: float | None = Field(default=None, ge=0)
    budget_tokens: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _can_be_run(self) -> Self:
        try:
            settings = self.settings()
            if settings.kind in ("judge", "rate"):
                model_of(settings)
        except InputError as error:
            raise ValueError(_as_keys(str(error))) from None
        for name in self._given:
            if (goes_with := says_to().get(name)) and settings.kind not in goes_with:
                kinds = ", ".join(goes_with)
                raise ValueError(f"{name} says nothing to a {settings.kind} scorer: it goes with {kinds}")
        return self

    def settings(self, limits: LimitSettings | None = None) -> ScorerSettings:
        """How it is run, within these limits where its own table says nothing.

        Raises:
            InputError: it cannot be.
        """
        given = self._given
        own = {name: given.pop(name) for name in _LIMITS if name in given}
        parsed = ScorerSettings.parsed(self.scorer)
        within = (limits or LimitSettings()).model_copy(update=own)
        return ScorerSettings(parsed.kind, parsed.model, limits=within, **given)

    @property
    def _given(self) -> dict[str, Any]:
        return self.model_dump(exclude_none=True, exclude={"scorer"})


def _as_keys(message: str) -> str:
    """What is wrong with a flag, said of the key of that name."""
    return message.removeprefix("--scorer ").replace("--api-base", "api_base").replace("--scorer", "scorer")
