"""Errors that come out of other processes."""

from __future__ import annotations

import pickle

import pytest

from prbgen.errors import InputError, InterruptError, MissingExtraError, PrbgenError
from prbgen.llm.model import CallError


@pytest.mark.parametrize(
    "error", [InputError("no file"), InterruptError("so far"), MissingExtraError("This", "that"), PrbgenError()]
)
def test_an_error_is_the_same_after_a_journey(error: PrbgenError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.args) == (type(error), str(error), error.args)


def test_a_fault_keeps_its_kind_and_how_long_to_wait() -> None:
    again = pickle.loads(pickle.dumps(CallError("rate_limit", "slow down", retry_after=2.5)))
    assert (again.kind, str(again), again.retry_after) == ("rate_limit", "slow down", 2.5)
