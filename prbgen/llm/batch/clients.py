"""What of a model's settings is about the connection, and what is about the request."""

from __future__ import annotations

from typing import Any, cast

from prbgen.errors import InputError
from prbgen.llm.fingerprint import NOT_THE_WORK
from prbgen.llm.secrets import load_env_file, resolve
from prbgen.model_settings import ModelSettings

# What the online route keeps to itself, too; "user" alone of this goes into the request.
_CONNECTION = NOT_THE_WORK.keys() - {"user"}
_LITELLM = {"max_retries", "drop_params", "additional_drop_params", "allowed_openai_params"}


def client_options(model: ModelSettings) -> dict[str, Any]:
    """The arguments of an SDK's client: key, address, headers. What is not set the SDK takes from the environment.

    Raises:
        InputError: a variable that should hold the key is not set, or .env cannot be read.
    """
    load_env_file()
    params = {name: resolve(value) for name, value in model.params.items() if name in _CONNECTION}
    headers = {
        **cast("dict[str, str]", params.get("headers") or {}),
        **cast("dict[str, str]", params.get("extra_headers") or {}),
    }
    options = {
        "api_key": params.get("api_key"),
        "base_url": model.api_base or params.get("base_url"),
        "organization": params.get("organization"),
        "default_headers": headers or None,
    }
    return {name: value for name, value in options.items() if value is not None}


def without_connection(model: ModelSettings, arguments: dict[str, Any]) -> dict[str, Any]:
    """What of the arguments of an online call stands in the request.

    Raises:
        InputError: a secret would stand there, and so on disk.
    """
    for name, value in model.params.items():
        if name not in _CONNECTION and resolve(value) != value:
            raise InputError(f"{model.label}: {name} holds a secret, and batches are written to disk; leave it out")
    kept = {name: value for name, value in arguments.items() if name not in _CONNECTION | _LITELLM}
    extra = cast("dict[str, Any]", kept.pop("extra_body", None) or {})
    return kept | extra
