"""Who judges candidates by the askers' rubrics, and how that model is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue, ValidationError

from prbgen.errors import InputError
from prbgen.evaluation.settings import DataSettings
from prbgen.llm.family import related
from prbgen.model_settings import ModelSettings
from prbgen.recipe import LimitSettings
from prbgen.settings_file import said
from prbgen.text import folder_name

_MAX_REPLY_TOKENS = 1000


@dataclass(frozen=True)
class JudgeSettings:
    """`data` has the questions that the candidates answer, with their rubrics; its limit is on questions that are
    judged. The budget in `limits` is for all that this judge is asked about these candidates, over all processes.
    """

    data: DataSettings
    model: ModelSettings
    limits: LimitSettings = field(default_factory=LimitSettings)

    @property
    def folder(self) -> str:
        """The name of its folder among those of judges."""
        return folder_name(self.model.label)

    def partiality(self, policy: str) -> str | None:
        """A warning where the judge is of the family of the policy whose answers it judges."""
        if not related(self.model.label, policy):
            return None
        return (
            f"{self.model.label} judges what {policy} writes, a model of its own family: judges favour their own, so"
            " take one of another family where you can"
        )


def judge_model(
    name: str, *, api_base: str | None = None, options: Mapping[str, JsonValue] | None = None
) -> ModelSettings:
    """The judge, at temperature 0 and with replies of at most 1,000 tokens; options come before that.

    Raises:
        InputError: there can be no such model, or its address is none.
    """
    # A model that takes no temperature is asked without one.
    params: dict[str, Any] = {"temperature": 0, "max_tokens": _MAX_REPLY_TOKENS, "drop_params": True}
    params |= {"name": name, "api_base": api_base or None, **(options or {})}
    try:
        return ModelSettings.model_validate(params)
    except ValidationError as error:
        what = said(error.errors()[0])
        raise InputError(f"--judge {name}: {what}") from None
