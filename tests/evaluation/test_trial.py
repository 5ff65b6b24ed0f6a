"""When a model is given up, and when it never is."""

from __future__ import annotations

from pathlib import Path

import pytest

from prbgen.errors import ModelError
from prbgen.evaluation.trial import TRIAL, Trial


def test_a_model_that_only_fails_is_given_up_with_examples_of_each_kind(tmp_path: Path) -> None:
    trial = Trial("rm", tmp_path / "ledger.sqlite", "pairs could be scored")
    for number in range(TRIAL - 1):
        trial.failed(f"reason {number % 5}")
    with pytest.raises(ModelError) as error:
        trial.failed("the last")
    assert str(error.value) == "rm: none of 10 pairs could be scored; given up, as: reason 0; reason 1; reason 2"


def test_replies_on_record_are_named(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.sqlite"
    ledger.touch()
    trial = Trial("rm", ledger, "pairs could be scored")
    trial.failed("no JSON")
    trial.check()
    with pytest.raises(ModelError, match=rf"\(replies are on record in {ledger}: move it away to ask anew\)"):
        trial.check(1)


@pytest.mark.parametrize("before", [0, TRIAL - 1])
def test_one_success_is_enough(tmp_path: Path, before: int) -> None:
    trial = Trial("rm", tmp_path / "ledger", "pairs could be scored")
    for _ in range(before):
        trial.failed("no JSON")
    trial.worked()
    for _ in range(3 * TRIAL):
        trial.failed("no JSON")
    trial.check(1)
