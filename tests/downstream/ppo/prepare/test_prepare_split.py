"""Validation is drawn by users, whatever the order of the data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prbgen.downstream.ppo.prepare.settings import Preparing
from prbgen.downstream.ppo.prepare.split import validation_users
from prbgen.errors import InputError
from prbgen.evaluation.settings import DataSettings

QUESTIONS = st.dictionaries(st.text(max_size=8), st.integers(0, 12), min_size=1, max_size=60)


def questions_of(chosen: frozenset[int], users: dict[str, int]) -> set[str]:
    return {question for question, user in users.items() if user in chosen}


@given(QUESTIONS, st.integers(1, 60), st.integers(0, 5), st.randoms())
def test_the_order_and_the_numbers_of_users_do_not_matter(
    users: dict[str, int], wanted: int, seed: int, any_: object
) -> None:
    drawn = questions_of(validation_users(users, wanted, seed), users)
    shuffled = list(users.items())
    any_.shuffle(shuffled)  # type: ignore[attr-defined]
    renamed = {question: 100 - user for question, user in shuffled}
    assert questions_of(validation_users(renamed, wanted, seed), renamed) == drawn


@given(QUESTIONS, st.integers(1, 60), st.integers(0, 5))
def test_whole_users_are_drawn_and_never_more_questions_than_wanted(
    users: dict[str, int], wanted: int, seed: int
) -> None:
    chosen = validation_users(users, wanted, seed)
    drawn = questions_of(chosen, users)
    assert len(drawn) <= wanted
    left = {user: len(questions_of(frozenset({user}), users)) for user in set(users.values()) - chosen}
    # Nobody is passed over who would have fitted.
    assert all(count > wanted - len(drawn) for count in left.values())


def test_another_seed_draws_other_users() -> None:
    users = {f"q{number}": number for number in range(200)}
    first, other = (questions_of(validation_users(users, 20, seed), users) for seed in (0, 1))
    assert len(first) == len(other) == 20
    assert first != other


def preparing(**changes: object) -> Preparing:
    from pathlib import Path

    return Preparing(DataSettings("data"), (), Path("out"), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(("validation", "questions", "wanted"), [(0.05, 1000, 50), (0.05, 4, 1), (7, 8, 7), (1, 2, 1)])
def test_a_share_or_a_number_is_wanted(validation: float, questions: int, wanted: int) -> None:
    assert preparing(validation=validation).wanted(questions) == wanted


@pytest.mark.parametrize(("validation", "questions"), [(8, 8), (0.5, 1), (0.99, 10), (1, 0)])
def test_something_must_be_left_to_train_on(validation: float, questions: int) -> None:
    with pytest.raises(InputError, match="would leave none to train on"):
        preparing(validation=validation).wanted(questions)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"validation": 0}, "neither a share"),
        ({"validation": 1.0}, "neither a share"),
        ({"validation": 1.5}, "neither a share"),
        ({"validation": -3}, "neither a share"),
        ({"validation": float("nan")}, "neither a share"),
        ({"condition": "oracle"}, "--condition oracle"),
        ({"reward_url": "http://key@server"}, "--reward-url: http://server/?: give the address alone"),
        ({"reward_url": "server:8000"}, "--reward-url"),
    ],
)
def test_settings_that_make_no_sense_are_refused(change: dict[str, object], why: str) -> None:
    with pytest.raises(InputError, match=why):
        preparing(**change)
