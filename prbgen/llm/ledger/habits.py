"""How models replied so far, as the ledger has it: what a forecast builds on."""

from __future__ import annotations

from dataclasses import dataclass

from prbgen.llm.ledger.ledger import Ledger


@dataclass(frozen=True)
class Habit:
    """Of the replies of one model in one stage: tokens of a rather short one (a quarter is shorter) and of a rather
    long one (a quarter is longer), with the mean in between, over the `measured` ones; and the share of first replies,
    of which there are `replies`, that were asked for once more with a correction.
    """

    measured: int
    short: float
    long: float
    replies: int
    corrected: float


def habits(ledger: Ledger) -> dict[tuple[str, str], Habit]:
    """The habits on record, by stage and model."""
    lengths = {(stage, model): lengths for stage, model, *lengths in ledger.query(_LENGTHS)}
    found = {}
    for stage, model, replies, corrections in ledger.query(_CORRECTIONS):
        measured, short, long = lengths.get((stage, model), (0, 0, 0))
        found[stage, model] = Habit(measured, short, long, replies, min(corrections / (replies or 1), 1.0))
    return found


_LENGTHS = """
WITH lengths AS (
    SELECT stage, model, json_extract(usage, '$.completion_tokens') AS tokens FROM attempts WHERE reply IS NOT NULL
), placed AS (
    SELECT stage, model, tokens,
           row_number() OVER (PARTITION BY stage, model ORDER BY tokens) AS place,
           count(*) OVER (PARTITION BY stage, model) AS n
    FROM lengths WHERE tokens IS NOT NULL
)
SELECT stage, model, n,
       min(avg(tokens), max(tokens) FILTER (WHERE place = (n + 3) / 4)),
       max(avg(tokens), max(tokens) FILTER (WHERE place = (3 * n + 3) / 4))
FROM placed GROUP BY stage, model
"""
_CORRECTIONS = """
SELECT stage, model, sum(NOT corrective), sum(corrective) FROM attempts WHERE reply IS NOT NULL GROUP BY stage, model
"""
