"""From counted calls to what they may come to: calls, tokens and USD, from low to high and at most."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from prbgen.llm.counting import CORRECTION, Tally
from prbgen.llm.ledger.habits import Habit
from prbgen.llm.prices import Price, most_reply_tokens, price_of
from prbgen.llm.tokens import tokenizer_of

# Where nothing is on record: a reply has so much of the assumed one's length ...
SHORT, LONG = 0.6, 1.4
# ... and so many replies are corrected, and attempts made again, if it goes rather badly.
CORRECTED, AGAIN = 0.2, 0.3


@dataclass(frozen=True)
class Range:
    """Low: every reply is right at the first time and rather short. High: replies are rather long, and the usual
    share is asked for again. At most: every attempt, each with its correction, at the greatest length. Null: unknown.
    """

    low: float | None
    high: float | None
    at_most: float | None


@dataclass(frozen=True)
class Basis:
    """What a forecast rests on: `short` and `long` tokens of a reply, the share `corrected` (null: faulty replies are
    not), and the share of attempts (up to `attempts`) made `again`; each beside how many replies on record say so (0:
    assumed). `tokenizer` has counted, which is the model's `own` or stands in for it. `shared` tokens of the prompts
    come again in another call.
    """

    short: float
    long: float
    replies_measured: int
    corrected: float | None
    replies_judged: int
    again: float
    attempts: int
    attempts_judged: int
    tokenizer: str
    own: bool
    shared: int


@dataclass(frozen=True)
class Forecast:
    """What a stage may ask of a model."""

    stage: str
    model: str
    calls: Range
    prompt_tokens: Range
    reply_tokens: Range
    cost_usd: Range
    basis: Basis


def forecast(stage: str, model: str, tally: Tally, habit: Habit | None, *, batch: bool = False) -> Forecast:
    """The ranges of one tally, by the `habit` on record if there is one."""
    basis = _basis(tally, habit)
    tokens = tokenizer_of(tally.model.name)
    # Each attempt may be followed by another one, and each of its calls by a correction.
    repeats = {left: sum(basis.again**n for n in range(left + 1)) for left in tally.calls}
    attempts = sum(calls * repeats[left] for left, calls in tally.calls.items())
    corrected = basis.corrected or 0
    corrections = attempts * corrected
    calls = math.ceil(attempts + corrections) + tally.corrections
    prompt = sum(size * repeats[left] for left, size in tally.prompt_tokens.items())
    long_prompt = prompt * (1 + corrected) + corrections * (basis.long + CORRECTION)
    prompts = Range(
        (tally.prompt_tokens.total() + tally.correction_tokens) * tokens.low,
        (long_prompt + tally.correction_tokens) * tokens.high,
        tally.most_prompt_tokens * tokens.high,
    )
    replies = Range(tally.new * basis.short, calls * basis.long, tally.most_reply_tokens)
    return Forecast(
        stage,
        model,
        Range(tally.new, calls, tally.most_calls),
        _whole(prompts),
        _whole(replies),
        _cost(price_of(tally.model, batch=batch), prompts, replies),
        basis,
    )


def total(ranges: Iterable[Range]) -> Range:
    """The sum, null where a part is."""
    parts = list(ranges)
    return Range(*(_sum([getattr(each, name) for each in parts]) for name in ("low", "high", "at_most")))


def _basis(tally: Tally, habit: Habit | None) -> Basis:
    tokens = tokenizer_of(tally.model.name)
    assumed = tally.reply_tokens / (tally.new or 1)
    short, long = SHORT * assumed * tokens.low, LONG * assumed * tokens.high
    if habit and habit.measured:
        short, long = habit.short, habit.long
    most = (most_reply_tokens(tally.model) or math.inf) * tally.replies
    judged = habit.replies if habit else 0
    return Basis(
        short=round(min(short, most), 1),
        long=round(min(long, most), 1),
        replies_measured=habit.measured if habit else 0,
        corrected=(habit.corrected if habit and judged else CORRECTED) if tally.correctable else None,
        replies_judged=judged,
        again=min(tally.failed / tally.failable, 1.0) if tally.failable else AGAIN,
        attempts=tally.attempts,
        attempts_judged=tally.failable,
        tokenizer=tokens.name,
        own=tokens.own,
        shared=tally.shared_tokens,
    )


def _whole(tokens: Range) -> Range:
    at_most = tokens.at_most
    return Range(
        math.floor(tokens.low or 0),
        math.ceil(tokens.high or 0),
        None if at_most is None or math.isinf(at_most) else math.ceil(at_most),
    )


def _cost(price: Price | None, prompts: Range, replies: Range) -> Range:
    if price is None:
        return Range(None, None, None)
    # A provider may ask more for what it puts into its cache.
    dearest = max(price.prompt, price.cache_writing)
    return Range(
        _usd((prompts.low, price.prompt), (replies.low, price.reply)),
        _usd((prompts.high, price.prompt), (replies.high, price.reply)),
        _usd((prompts.at_most, dearest), (replies.at_most, price.reply)),
    )


def _usd(*parts: tuple[float | None, float]) -> float | None:
    # What is free stays so, however much of it there may be.
    usd = sum((tokens or 0) * price for tokens, price in parts if price)
    return None if math.isinf(usd) else round(usd, 6)


def _sum(parts: list[float | None]) -> float | None:
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None
