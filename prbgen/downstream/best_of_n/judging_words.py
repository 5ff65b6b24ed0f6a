"""What judging may take, in words."""

from __future__ import annotations

from prbgen.downstream.best_of_n.estimate_judging import JudgingEstimate
from prbgen.formatting import price, spread, whole


def in_words(estimate: JudgingEstimate) -> str:
    """One line that says what is to be asked."""
    recorded = f"{estimate.recorded:,} replies are on record"
    expected = estimate.forecast
    if expected is None:
        return f"Nothing to ask: {recorded}"
    cost = expected.cost_usd
    parts = [
        f"{spread(expected.calls.low, expected.calls.high, whole)} calls",
        f"{spread(expected.prompt_tokens.low, expected.prompt_tokens.high, whole)} prompt tokens",
        f"{spread(expected.reply_tokens.low, expected.reply_tokens.high, whole)} reply tokens",
        f"{spread(cost.low, cost.high, price)} USD, at most {price(cost.at_most)}",
    ]
    return f"To ask {expected.model}: {', '.join(parts)} ({recorded})"
