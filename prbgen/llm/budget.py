"""A budget that is never crossed: what is in flight counts with what it may take at most."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from prbgen.errors import FellShortError, InputError, PrbgenError
from prbgen.llm.ledger import Result
from prbgen.llm.prices import AtMost, most_reply_tokens, price_of
from prbgen.model_settings import ModelSettings
from prbgen.recipe import LimitSettings


def refuse_unknown(
    limits: LimitSettings, models: Mapping[str, ModelSettings], how: str = "in its table, or set budget_tokens instead"
) -> None:
    """Make sure beforehand that a budget can be kept with these models, by where they are named; `how` to mend it.

    Raises:
        InputError: a price, or how long a reply may get, is not known.
    """
    for role, model in models.items():
        where = f"{role}: {model.label}"
        if limits.budget_usd and price_of(model) is None:
            raise InputError(
                f"{where} has no known price, so budget_usd cannot be kept: give input_cost_per_token and"
                f" output_cost_per_token (USD; 0 for a server of your own) {how}"
            )
        if (limits.budget_usd or limits.budget_tokens) and most_reply_tokens(model) is None:
            raise InputError(f"{where} may reply at any length, so no budget can be kept: set max_tokens {how}")


@dataclass
class Held:
    """What is set aside for one call; whoever sends it lowers this to what it really took."""

    tokens: int
    usd: float


class Budget:
    """Tokens and USD of a run, over all its processes. Raises from `hold` when the next call might cross it."""

    def __init__(self, limits: LimitSettings, tokens: int, usd: float) -> None:
        """`tokens` and `usd` are what was spent before."""
        self._limits = limits
        self._tokens, self._usd = tokens, usd
        self._began_empty = not (tokens or usd)
        self._in_flight = 0
        self._freed = asyncio.Event()

    @asynccontextmanager
    async def hold(self, at_most: AtMost) -> AsyncIterator[Held]:
        """Set aside what a call may take at most; waits while calls in flight may still turn out to take less.

        Raises:
            FellShortError: the budget is used up.
            InputError: not even the first call fits into it.
        """
        held = _held(at_most)
        while self._crossed(held):
            if not self._in_flight:
                raise self._used_up(held)
            self._freed.clear()
            await self._freed.wait()
        self._add(held, +1)
        before = Held(held.tokens, held.usd)
        try:
            yield held
        finally:
            self._add(before, -1)
            self._tokens += held.tokens
            self._usd += held.usd
            self._freed.set()

    def take(self, at_most: AtMost) -> bool:
        """Take out what a call may take at most that is not waited for here; whether it fits in now."""
        held = _held(at_most)
        if self._crossed(held):
            return False
        self._tokens += held.tokens
        self._usd += held.usd
        return True

    def correct(self, taken: AtMost, really: Held) -> None:
        """Put what such a call really took in the place of what it might have taken."""
        self._tokens += really.tokens - (taken.tokens or 0)
        self._usd += really.usd - (taken.usd or 0.0)
        self._freed.set()

    def used_up(self, at_most: AtMost) -> PrbgenError:
        """Why a call that does not fit in ends the run."""
        return self._used_up(_held(at_most))

    def _add(self, held: Held, sign: int) -> None:
        self._in_flight += sign
        self._tokens += sign * held.tokens
        self._usd += sign * held.usd

    def _crossed(self, held: Held) -> bool:
        limits = self._limits
        return bool(
            (limits.budget_tokens and self._tokens + held.tokens > limits.budget_tokens)
            or (limits.budget_usd and self._usd + held.usd > limits.budget_usd)
        )

    def _used_up(self, held: Held) -> PrbgenError:
        limits = self._limits
        if limits.budget_usd and self._usd + held.usd > limits.budget_usd:
            what = f"budget_usd = {limits.budget_usd:g}"
            spent, next_one = f"{self._usd:.6g} USD", f"{held.usd:.6g} USD"
        else:
            what = f"budget_tokens = {limits.budget_tokens}"
            spent, next_one = f"{self._tokens:,} tokens", f"{held.tokens:,}"
        if self._began_empty and not (self._tokens or self._usd):
            return InputError(f"{what} is below one call, which may take {next_one}; raise it")
        return FellShortError(
            f"{what}: {spent} are spent and the next call may take {next_one};"
            " every reply is kept: raise it and run the same command to go on"
        )


def taken(result: Result, at_most: AtMost, *, maybe_billed: bool) -> Held:
    """What a call took: the most where the provider may have billed and did not say what."""
    if result.reply is None and not maybe_billed:
        return Held(0, 0.0)
    most = _held(at_most)
    return Held(result.usage.get("total_tokens", most.tokens), most.usd if result.cost_usd is None else result.cost_usd)


def _held(at_most: AtMost) -> Held:
    return Held(at_most.tokens or 0, at_most.usd or 0.0)
