"""How models replied so far."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prbgen.llm.ledger import Ledger
from prbgen.llm.ledger.habits import Habit, habits
from prbgen.llm.ledger.ledger import Result, Sent, insert, update


def filled(path: Path, *rows: dict[str, Any]) -> dict[tuple[str, str], Habit]:
    """The habits of a ledger with such attempts."""
    with Ledger(path) as ledger:
        for number, row in enumerate(rows):
            values: dict[str, Any] = {"stage": "answer", "model": "m", "corrective": False, "tokens": None} | row
            usage = {} if values["tokens"] is None else {"completion_tokens": values["tokens"]}
            sent = Sent(f"k{number}", values["stage"], "s/0", values["model"], values["corrective"], "")
            reply = values.get("reply", "Tea.")
            result = Result("stop" if reply else "timeout", reply, None, usage)
            update(ledger._write, insert(ledger._write, sent), result)
        return habits(ledger)


def test_an_empty_ledger_tells_nothing(tmp_path: Path) -> None:
    assert filled(tmp_path / "ledger.sqlite") == {}


def test_lengths_and_corrections_are_kept_apart_by_stage_and_model(tmp_path: Path) -> None:
    found = filled(
        tmp_path / "ledger.sqlite",
        *({"tokens": tokens} for tokens in (10, 20, 30, 40)),
        {"corrective": True},
        {"reply": None, "tokens": 9999},
        {"stage": "rubric", "tokens": 7},
        {"model": "other"},
    )
    assert found == {
        ("answer", "m"): Habit(measured=4, short=10, long=30, replies=4, corrected=0.25),
        ("rubric", "m"): Habit(1, 7, 7, 1, 0),
        ("answer", "other"): Habit(0, 0, 0, 1, 0),
    }


def test_a_few_very_long_replies_count_in(tmp_path: Path) -> None:
    found = filled(tmp_path / "ledger.sqlite", *({"tokens": tokens} for tokens in (1, 1, 1, 1, 96)))
    assert (found["answer", "m"].short, found["answer", "m"].long) == (1, 20)


@given(lengths=st.lists(st.integers(0, 5000), min_size=1, max_size=12))
def test_the_mean_lies_between_short_and_long(tmp_path_factory: Any, lengths: list[int]) -> None:
    path = tmp_path_factory.mktemp("run") / "ledger.sqlite"
    habit = filled(path, *({"tokens": tokens} for tokens in lengths))["answer", "m"]
    mean = sum(lengths) / len(lengths)
    assert min(lengths) <= habit.short <= mean + 1e-9
    assert mean - 1e-9 <= habit.long <= max(lengths)
    assert habit.measured == len(lengths)
