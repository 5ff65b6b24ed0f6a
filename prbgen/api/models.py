"""Models and their limits, from keywords that are named as the flags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from pydantic import JsonValue, ValidationError

from prbgen.errors import InputError
from prbgen.model_settings import ModelSettings
from prbgen.recipe import LimitSettings
from prbgen.settings_file import said


class LimitKeywords(TypedDict, total=False):
    """What may be sent to a model at most; what is missing or None is as by default.

    `concurrency`: calls at once (64). `rpm`, `tpm`: requests and tokens a minute (no limit). `timeout`: seconds for one
    call (120). `budget_usd`: to be spent (no limit).
    """

    concurrency: int | None
    rpm: int | None
    tpm: int | None
    timeout: float | None
    budget_usd: float | None


# Their names.
LIMITS = tuple(LimitKeywords.__annotations__)


def limits_of(given: Mapping[str, Any]) -> LimitSettings:
    """The limits that were given, among other things.

    Raises:
        InputError: there can be no such limit.
    """
    limits = {name: value for name in LIMITS if (value := given.get(name)) is not None}
    try:
        return LimitSettings.model_validate(limits)
    except ValidationError as error:
        fault = error.errors()[0]
        flag = str(fault["loc"][0]).replace("_", "-")
        raise InputError(f"--{flag}: {said(fault)}") from None


def model_of(flag: str, name: str, api_base: str | None, options: Mapping[str, JsonValue]) -> ModelSettings:
    """The model that `flag` and its companions name.

    Raises:
        InputError: there can be no such model.
    """
    try:
        return ModelSettings.model_validate({"name": name, "api_base": api_base} | dict(options))
    except ValidationError as error:
        fault = error.errors()[0]
        raise InputError(f"{flag}: {': '.join([*map(str, fault['loc']), said(fault)])}") from None
