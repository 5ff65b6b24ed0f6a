"""A model as a recipe names it, and how to call it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

# Settings and headers that hold a secret, such as api_key, x-api-key, aws_secret_access_key or Authorization.
_SECRET_KEY = re.compile(
    r"(^|[_-])((api|access|secret|subscription)[_-]?key|secret(_access_key)?|private_key(_id)?|password|passwd|pwd"
    r"|passphrase|credentials|auth|authorization|cookie|((session|ad|auth|access|bearer|hf)[_-])?token)$",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"https?://(\[[0-9a-f:.]+\]|[^\s/?#:]+)(:\d{1,5})?(/\S*)?", re.IGNORECASE)
_SECRET_URL = re.compile(
    r"[a-z][a-z0-9+.-]*://([^/?#]*@|.*[?&]([a-z_-]*(key|token|secret|password|pwd)|sig|code)=)", re.IGNORECASE
)
# All that may follow the "?" of an address.
_QUERY = re.compile(r"(api-)?version=[\w.-]+")
# LiteLLM takes any key and passes it on, so a slip of the pen must be told from these.
_USUAL = (
    "name", "api_base", "api_key", "api_version", "concurrency", "timeout", "rpm", "tpm", "input_cost_per_token",
    "output_cost_per_token", "temperature", "top_p", "top_k", "min_p", "max_tokens", "max_completion_tokens", "seed",
    "stop", "presence_penalty", "frequency_penalty", "repetition_penalty", "repeat_penalty", "reasoning_effort",
    "thinking", "extra_body", "extra_headers", "organization", "service_tier",
)  # fmt: skip
_OURS = {
    "num_retries": "prbgen has a retry policy of its own",
    "max_retries": "prbgen has a retry policy of its own",
    "n": "how many samples there are is up to the command",
    "stream": "prbgen reads whole replies",
    "messages": "messages come from prompts/",
    "response_format": "the reply type belongs to the prompt",
    "model": 'the key is "name"',
}


# Before the folder, or the Hub name, of a model that transformers run on this machine.
TRANSFORMERS = "hf:"


class ModelSettings(BaseModel):
    """A model and how to call it: `name`, limits that override [limits], prices that override the known ones (USD a
    token), and anything else that LiteLLM takes.
    """

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False)
    __pydantic_extra__: dict[str, JsonValue] = Field(init=False)

    name: str = Field(min_length=1)
    api_base: str | None = None
    concurrency: int | None = Field(default=None, ge=1)
    timeout: float | None = Field(default=None, gt=0)
    rpm: int | None = Field(default=None, ge=0)
    tpm: int | None = Field(default=None, ge=0)
    input_cost_per_token: float | None = Field(default=None, ge=0)
    output_cost_per_token: float | None = Field(default=None, ge=0)

    @model_validator(mode="before")
    @classmethod
    def _a_name_alone(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _nothing_secret(self) -> Self:
        for key in self.params:
            if key in _OURS:
                raise ValueError(f'cannot set "{key}": {_OURS[key]}')
            if key not in _USUAL and (near := difflib.get_close_matches(key, _USUAL, n=1, cutoff=0.85)):
                raise ValueError(f'unknown key "{key}"; did you mean "{near[0]}"?')
        for key, value in _leaves({"api_base": self.api_base, **self.params}):
            if _SECRET_KEY.search(key) and not str(value).startswith("os.environ/"):
                raise ValueError(
                    f'"{key}" would be written into the run: set it in the environment or .env,'
                    f' or name the variable: {key} = "os.environ/NAME"'
                )
            if isinstance(value, str) and _SECRET_URL.match(value):
                raise ValueError(f"{key} holds a password or a key, which would be written into the run")
        _, asks, query = (self.api_base or "").partition("?")
        if asks and not _QUERY.fullmatch(query):
            raise ValueError('api_base: leave out what follows "?" (a key there would be written into the run)')
        if "?" in self.name and not self.on_this_machine:
            raise ValueError('no model has a "?" in its name; options, and keys, have places of their own')
        if self.api_base is not None and not (
            _ADDRESS.fullmatch(self.api_base) or self.api_base.startswith("os.environ/")
        ):
            raise ValueError('api_base is no address: write it like "http://127.0.0.1:8000/v1"')
        return self

    @property
    def params(self) -> dict[str, JsonValue]:
        """What is passed on to the model: sampling parameters and anything else that LiteLLM takes."""
        return cast("dict[str, JsonValue]", dict(self.model_extra or {}))

    @property
    def on_this_machine(self) -> bool:
        """Whether the name is that of a file here, not of a model that a server knows."""
        return self.name.startswith(("local/", "scripted/"))

    @property
    def label(self) -> str:
        """The name to record: without the folders of this machine, or of a server that calls a model by its folder.

        A policy that was trained here lies in DIR/policy, and is called after DIR.
        """
        if self.name.startswith(TRANSFORMERS):
            place = self.name.removeprefix(TRANSFORMERS)
            return TRANSFORMERS + (_folder_label(Path(place)) if _is_folder(place) else place)
        kind, _, rest = self.name.partition("/")
        return f"{kind}/{Path(rest).name}" if self.on_this_machine or Path(rest).is_absolute() else self.name


def _is_folder(place: str) -> bool:
    """Whether this is no name on the Hub, which is NAME or ORG/NAME."""
    path = Path(place)
    return path.is_absolute() or place.startswith((".", "~")) or place.count("/") > 1 or path.is_dir()


def _folder_label(path: Path) -> str:
    path = path.resolve()
    return path.parent.name if path.name == "policy" else path.name


def _leaves(value: JsonValue, key: str = "") -> Iterator[tuple[str, JsonValue]]:
    """Every setting below `value` that is no table or list, under the nearest key above it."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _leaves(each, key if _SECRET_KEY.search(key) else name)
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each, key)
    else:
        yield key, value
