"""What a server's headers say about its limits. Headers are other people's text: nonsense is ignored, never raised."""

from __future__ import annotations

import email.utils
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,15})?", re.ASCII)
_DURATION = re.compile(r"(?:\d{1,9}(?:\.\d{1,15})?(?:ms|us|µs|ns|d|h|m|s))+", re.ASCII)
_PART = re.compile(r"([\d.]+)(ms|us|µs|ns|d|h|m|s)")
_UNIT = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_COUNT = re.compile(r"\d{1,15}", re.ASCII)
_LITELLM = "llm_provider-"

_LONGEST = 86_400.0


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a server still allows: `remaining` of `limit`, all again after `reset` seconds. Null: it did not say."""

    limit: int | None = None
    remaining: int | None = None
    reset: float | None = None


@dataclass(frozen=True, slots=True)
class Hints:
    """What one reply's headers say. `tokens` is the tightest of its token limits, `retry_after` in seconds."""

    requests: Allowance | None = None
    tokens: Allowance | None = None
    retry_after: float | None = None


def seconds_of(value: str | None, now: float) -> float | None:
    """How long to wait, from a header's value: seconds, a duration ("6m0s", "20ms"), an HTTP date or an RFC 3339 date.

    `now` is the time since the epoch in seconds, by which dates count. A date that has passed gives 0.0, anything else
    that cannot be read null. No wait is longer than a day.
    """
    text = (value or "").strip().lower()
    if _NUMBER.fullmatch(text):
        return min(_LONGEST, float(text))
    if _DURATION.fullmatch(text):
        return min(_LONGEST, sum(float(number) * _UNIT[unit] for number, unit in _PART.findall(text)))
    date = _epoch(text)
    return None if date is None else min(_LONGEST, max(0.0, date - now))


def hints_of(headers: Mapping[str, str], now: float) -> Hints:
    """Read rate-limit headers in the spellings of OpenAI and Anthropic, also behind LiteLLM's prefix, in any case.

    `now` is the time since the epoch in seconds, for servers that do not say (by Date) what their own clock says.
    """
    plain = {name.lower().removeprefix(_LITELLM): value for name, value in headers.items()}
    theirs = _epoch(plain.get("date", "").strip())
    now = now if theirs is None else theirs
    milliseconds = seconds_of(plain.get("retry-after-ms"), now)
    return Hints(
        requests=_tightest(_allowances(plain, now, "requests")),
        tokens=_tightest(_allowances(plain, now, "tokens", "input-tokens", "output-tokens")),
        retry_after=seconds_of(plain.get("retry-after"), now) if milliseconds is None else milliseconds / 1000,
    )


def _allowances(headers: Mapping[str, str], now: float, *kinds: str) -> list[Allowance]:
    found = []
    for kind in kinds:
        for name in (f"x-ratelimit-%s-{kind}", f"anthropic-ratelimit-{kind}-%s"):
            limit, remaining, reset = (headers.get(name % part) for part in ("limit", "remaining", "reset"))
            found.append(Allowance(_count(limit), _count(remaining), seconds_of(reset, now)))
    return [allowance for allowance in found if allowance != Allowance()]


def _tightest(allowances: list[Allowance]) -> Allowance | None:
    known = [allowance for allowance in allowances if allowance.remaining is not None]
    return min(known, key=lambda each: each.remaining or 0) if known else next(iter(allowances), None)


def _count(value: str | None) -> int | None:
    text = (value or "").strip()
    return int(text) if _COUNT.fullmatch(text) else None


def _epoch(text: str) -> float | None:
    """A date as seconds since the epoch. One without a time zone is nonsense: whose midnight would it be?"""
    for read in (datetime.fromisoformat, email.utils.parsedate_to_datetime):
        try:
            date = read(text.upper())
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        if date.tzinfo is not None:
            return date.timestamp()
    return None
