"""Which log probabilities of a reply are kept: those of digits, and of other digits in their places."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from prbgen.llm.transports.digit_logprobs import digit_logprobs_of


def token(text: Any, weight: Any, *others: Any) -> SimpleNamespace:
    return SimpleNamespace(token=text, logprob=weight, top_logprobs=list(others))


def test_each_number_comes_with_its_alternatives_and_itself_first() -> None:
    content = [
        token('{"a": ', -0.1, token("1", -3)),
        token(" 7", -0.5, token("8", -0.4), token(" 7", -0.5)),
        token("}", 0),
    ]
    assert digit_logprobs_of(SimpleNamespace(content=content)) == (((" 7", -0.5), ("8", -0.4)),)


def test_what_is_no_number_is_left_out() -> None:
    odd = [token(text, -1) for text in ("x", "７", "7.", "-7", "", None, 7)]
    assert digit_logprobs_of(SimpleNamespace(content=[token("7", -1, *odd, token("3", -2))])) == (
        (("7", -1.0), ("3", -2.0)),
    )


@pytest.mark.parametrize("weight", [None, "high", float("nan"), float("-inf"), 0.5])
def test_a_weight_that_is_no_log_probability_counts_as_none(weight: Any) -> None:
    assert digit_logprobs_of(SimpleNamespace(content=[token("7", weight), token("5", -1, token("4", weight))])) == (
        (("5", -1.0),),
    )


@pytest.mark.parametrize(
    "logprobs", [None, SimpleNamespace(), SimpleNamespace(content=None), SimpleNamespace(content=[])]
)
def test_where_none_came_there_are_none(logprobs: Any) -> None:
    assert digit_logprobs_of(logprobs) == ()
