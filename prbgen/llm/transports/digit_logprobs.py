"""Log probabilities as OpenAI's interface gives them: of the digits in a reply, and of those in their places."""

from __future__ import annotations

import math
from typing import Any

from prbgen.llm.model import DigitLogprobs


def digit_logprobs_of(logprobs: Any) -> tuple[DigitLogprobs, ...]:
    """`Completion.digit_logprobs`, from the `logprobs` of a choice; what is not as it should be is left out."""
    written = getattr(logprobs, "content", None) or ()
    places = (_alternatives(token, getattr(token, "top_logprobs", None) or ()) for token in written)
    return tuple(place for place in places if place)


def _alternatives(written: Any, alternatives: Any) -> DigitLogprobs:
    if not _is_digits(written):
        return ()
    # A token is mostly named among its own alternatives, too.
    return tuple({each.token: float(each.logprob) for each in (written, *alternatives) if _is_digits(each)}.items())


def _is_digits(token: Any) -> bool:
    text, weight = getattr(token, "token", None), getattr(token, "logprob", None)
    if not (isinstance(text, str) and isinstance(weight, int | float) and -math.inf < weight <= 0):
        return False
    return text.isascii() and text.strip().isdigit()
