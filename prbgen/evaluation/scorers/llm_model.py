"""An LLM as a reward model: how it is called, and what is known of it."""

from __future__ import annotations

import importlib.metadata
from contextlib import suppress
from typing import Any

from pydantic import ValidationError

from prbgen.errors import InputError
from prbgen.evaluation.settings import Kind, ScorerSettings
from prbgen.evaluation.summary import ModelFacts
from prbgen.llm.family import family_of
from prbgen.model_settings import ModelSettings
from prbgen.settings_file import said

# Room for models that think first.
MAX_REPLY_TOKENS = 4096
# Likelier tokens than these that are no digits leave a digit little weight; providers tell no more.
_ALTERNATIVES = 20
# What takes the calls to a model, by the kind of its name.
_PACKAGES = {"scripted": (), "local": ("litellm", "xllamacpp")}


def model_of(settings: ScorerSettings) -> ModelSettings:
    """The model and how it is called: at temperature 0, or 1 where several samples are drawn; options come before that.

    Raises:
        InputError: there can be no such model, its address is none, or the settings contradict each other.
    """
    if settings.samples > 1 and settings.token_probabilities:
        raise InputError(f"--scorer {settings.name}: either several samples or token probabilities, not both")
    params: dict[str, Any] = {
        "temperature": 1 if settings.kind == "rate" and settings.samples > 1 else 0,
        "max_tokens": MAX_REPLY_TOKENS,
        # A model that takes no temperature is asked without one.
        "drop_params": True,
    }
    if settings.token_probabilities:
        params |= {"logprobs": True, "top_logprobs": _ALTERNATIVES}
    params |= {"name": settings.model, "api_base": settings.api_base or None, **settings.options}
    try:
        return ModelSettings.model_validate(params)
    except ValidationError as error:
        what = said(error.errors()[0])
        raise InputError(f"--scorer {settings.name}: {what}") from None


def facts_of(kind: Kind, model: ModelSettings) -> ModelFacts:
    """The family is told by the name, null where that tells none."""
    return ModelFacts(kind=kind, name=model.label, family=family_of(model.name))


def versions_for(model: ModelSettings) -> dict[str, str]:
    """The packages that take calls to the model, as far as they are installed."""
    found = {}
    for package in _PACKAGES.get(model.name.partition("/")[0], ("litellm",)):
        with suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found
