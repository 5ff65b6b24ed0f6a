"""What all attempts of a run came to, over all its processes: each attempt is one row, so nothing counts twice."""

from __future__ import annotations

from dataclasses import dataclass

from prbgen.llm.ledger.ledger import Ledger
from prbgen.llm.model import MAYBE_BILLED


@dataclass(frozen=True)
class Spent:
    """What the attempts of one stage and model came to.

    `on_the_way` have no result yet; `lost` were sent by a process that died, so nobody knows whether they were billed.
    `cost_usd` sums the prices that are known (null: none is); `unpriced` replies have none. Of `uncounted`
    replies nobody told the tokens.
    """

    stage: str
    model: str
    attempts: int
    replies: int
    corrective: int
    faults: int
    truncated: int
    filtered: int
    on_the_way: int
    lost: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    cost_usd: float | None
    unpriced: int
    uncounted: int


def spent(ledger: Ledger) -> list[Spent]:
    """What was spent so far, by stage and model."""
    return [Spent(*row) for row in ledger.query(_SPENT)]


def committed(ledger: Ledger) -> tuple[int, float]:
    """The tokens and USD that count against a budget.

    Where the provider may have billed and did not say what (no usage came back), it is what the call took at most.
    """
    ((version,),) = ledger.query("PRAGMA user_version")
    # The first version, which a reader does not migrate, did not note what a call may take.
    known = _COMMITTED if version > 1 else _COMMITTED.replace("at_most_tokens", "NULL").replace("at_most_usd", "NULL")
    ((tokens, usd),) = ledger.query(known)
    return int(tokens), float(usd)


def on_the_way(ledger: Ledger) -> int:
    """How many calls are with providers' batches."""
    return int(ledger.query("SELECT count(*) FROM attempts WHERE outcome = 'sent' AND submission IS NOT NULL")[0][0])


_SPENT = """
SELECT stage, model, count(*), count(reply), sum(corrective),
       sum(reply IS NULL AND outcome NOT IN ('sent', 'lost')),
       sum(outcome = 'length'), sum(outcome = 'filtered'), sum(outcome = 'sent'), sum(outcome = 'lost'),
       coalesce(sum(json_extract(usage, '$.prompt_tokens')), 0),
       coalesce(sum(json_extract(usage, '$.completion_tokens')), 0),
       coalesce(sum(json_extract(usage, '$.prompt_tokens_details.cached_tokens')), 0),
       sum(cost_usd), sum(cost_usd IS NULL AND reply IS NOT NULL),
       sum(reply IS NOT NULL AND (json_extract(usage, '$.prompt_tokens') IS NULL
                                  OR json_extract(usage, '$.completion_tokens') IS NULL))
FROM attempts GROUP BY stage, model ORDER BY min(id)
"""
# Refusals and faults of the server are not billed; of what was cut off on its way nobody knows.
_UNKNOWN = ", ".join(f"'{outcome}'" for outcome in ("sent", "lost", *sorted(MAYBE_BILLED)))
_MAYBE_BILLED = f"reply IS NOT NULL OR outcome IN ({_UNKNOWN})"
_COMMITTED = f"""
SELECT coalesce(sum(CASE WHEN {_MAYBE_BILLED}
                    THEN coalesce(json_extract(usage, '$.total_tokens'), at_most_tokens) END), 0),
       coalesce(sum(CASE WHEN {_MAYBE_BILLED} THEN coalesce(cost_usd, at_most_usd) END), 0)
FROM attempts
"""  # noqa: S608
