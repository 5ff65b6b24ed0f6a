"""What came from outside, made fit to be kept: no key that a server sent back, nothing that cannot be stored."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any, cast

from prbgen.llm.choices import as_reply
from prbgen.llm.model import Completion
from prbgen.llm.secrets import redact
from prbgen.text import one_line, storable

_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")


def _counts(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**40


def cleaned(completion: Completion) -> Completion:
    """A reply as it may be stored; of a call for several, all of them in its one text."""
    completion = replace(completion, usage=_usage(completion.usage))
    if not completion.choices:
        return replace(completion, text=storable(redact(completion.text)))
    choices = tuple(each and replace(each, text=storable(redact(each.text))) for each in completion.choices)
    return replace(completion, text=as_reply(choices), choices=choices)


def cleaned_line(error: Exception | str) -> str:
    """What an error says, or a text from outside, in one line that may be shown and stored."""
    return one_line(redact(str(error)))


def _usage(usage: dict[str, Any]) -> dict[str, Any]:
    """A record whose counts are no whole numbers, or do not add up, or that has a prompt of none, says nothing."""
    details = usage.get("prompt_tokens_details") or {}
    if not usage.get("prompt_tokens") or not isinstance(details, dict):
        return {}
    counts = [usage[name] for name in _COUNTS if name in usage] + [details.get("cached_tokens") or 0]
    if not all(_counts(each) for each in counts):
        return {}
    if usage.get("total_tokens", math.inf) < usage["prompt_tokens"] + usage.get("completion_tokens", 0):
        return {}
    try:
        text = json.dumps(usage, allow_nan=False)
    except ValueError:
        return {}
    return usage if redact(text) == text else cast("dict[str, Any]", _without_keys(usage))


def _without_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {redact(str(name)): _without_keys(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_without_keys(each) for each in value]
    return redact(value) if isinstance(value, str) else value
