"""The lines that say how far work is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prbgen.evaluation.scoring import Tally
    from prbgen.generation import Tally as GenerationTally
    from prbgen.llm.traffic import OpenBatch


def scoring_line(tally: Tally, *more: str) -> str:
    """How far it is; `more` is said of what has been scored."""
    if tally.began is None:
        return "; ".join(filter(None, (f"{tally.stage} ...", tally.traffic.workers())))
    done = tally.scored + tally.unscored
    parts = [f"{done:,} of {tally.total:,} {tally.what}", *more]
    if tally.unscored:
        parts.append(f"{tally.unscored:,} unscored")
    if tally.traffic.usd:
        parts.append(f"{tally.traffic.usd:.4f} USD")
    if workers := tally.traffic.workers():
        parts.append(workers)
    new, seconds = done - tally.known, time.monotonic() - tally.began
    if new:
        parts.append(f"{duration(seconds / new * (tally.total - done))} left")
    parts += map(str, tally.traffic.holds())
    return "; ".join(parts)


def duration(seconds: float) -> str:
    """So many seconds, minutes or hours."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def generation_line(tally: GenerationTally) -> str:
    """How far a run is: pairs, calls, money, and which models are paused."""
    traffic = tally.traffic
    parts = [f"{tally.pairs} pairs, {tally.rejects} rejected"]
    if tally.postponed:
        parts.append(f"{tally.postponed} wait for batches")
    parts.append(f"{traffic.sent} calls sent, {traffic.recorded} replies taken from the ledger")
    if traffic.usd:
        parts.append(f"{traffic.usd:.4f} USD")
    if workers := traffic.workers():
        parts.append(workers)
    parts += map(str, traffic.holds())
    parts += [_batch(each) for each in traffic.batches]
    return "; ".join(parts)


def _batch(batch: OpenBatch) -> str:
    trouble = f" ({batch.trouble})" if batch.trouble else ""
    return f"batch of {batch.model}: {batch.done} of {batch.total} done since {batch.since:%d %b %H:%M} UTC{trouble}"
