"""What batches cost, and what is taken out of a budget for them."""

from __future__ import annotations

import pytest

from prbgen.llm.budget import Budget, Held
from prbgen.llm.model import Call, Message
from prbgen.llm.prices import AtMost, Price, at_most, price_of
from prbgen.model_settings import ModelSettings
from prbgen.recipe import LimitSettings


def test_the_list_has_prices_of_batches() -> None:
    price = price_of(ModelSettings(name="anthropic/claude-haiku-4-5"), batch=True)
    assert price == Price(0.5e-6, 0.05e-6, 0.625e-6, 2.5e-6)


def test_own_prices_and_those_of_models_without_a_batch_price_are_halved() -> None:
    own = ModelSettings(name="openai/x", input_cost_per_token=4e-6, output_cost_per_token=8e-6)
    assert price_of(own, batch=True) == Price(2e-6, 2e-6, 2e-6, 4e-6)
    # A model that LiteLLM lists without one.
    unlisted = ModelSettings(name="openai/gpt-4-turbo")
    online, batch = price_of(unlisted), price_of(unlisted, batch=True)
    assert online
    assert batch == Price(online.prompt / 2, online.cached / 2, online.cache_writing / 2, online.reply / 2)


def test_an_unknown_price_stays_unknown() -> None:
    assert price_of(ModelSettings(name="openai/nobody-knows"), batch=True) is None


def test_a_call_in_a_batch_takes_at_most_half() -> None:
    call = Call(
        ModelSettings.model_validate({"name": "openai/gpt-4o-mini", "max_tokens": 40}),
        (Message("user", "Why?"),),
        "answer",
    )
    online, batch = at_most(call), at_most(call, batch=True)
    assert batch.tokens == online.tokens
    assert batch.usd == pytest.approx((online.usd or 0) / 2)


def test_what_is_taken_out_of_a_budget_is_corrected_by_what_was_really_taken() -> None:
    budget = Budget(LimitSettings(budget_tokens=100), 20, 0)
    assert budget.take(AtMost(80, None))
    assert not budget.take(AtMost(1, None))
    budget.correct(AtMost(80, None), Held(5, 0))
    assert budget.take(AtMost(75, None))
    assert not budget.take(AtMost(1, None))
    assert "100 tokens are spent and the next call may take 1;" in str(budget.used_up(AtMost(1, None)))
