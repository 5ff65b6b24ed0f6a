"""What calls to an LLM took, over all processes that asked it."""

from __future__ import annotations

from prbgen.evaluation.summary import Cost
from prbgen.llm.ledger import Ledger, spent
from prbgen.model_settings import ModelSettings


def cost_of(ledger: Ledger, stage: str, model: ModelSettings) -> Cost:
    """All calls of a stage to a model that are on record.

    Tokens are null where a reply came without a count, USD where one has no price: a sum over the others is not what it
    took.
    """
    rows = [row for row in spent(ledger) if (row.stage, row.model) == (stage, model.label)]
    counted = not any(row.uncounted for row in rows)
    return Cost(
        calls=sum(row.attempts for row in rows),
        prompt_tokens=sum(row.prompt_tokens for row in rows) if counted else None,
        reply_tokens=sum(row.completion_tokens for row in rows) if counted else None,
        usd=None if any(row.unpriced for row in rows) else sum(row.cost_usd or 0.0 for row in rows),
    )
