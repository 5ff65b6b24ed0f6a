"""How far a run is: pairs, calls, money, and which models are paused."""

from __future__ import annotations

from contextlib import AbstractContextManager

from rich.console import Console

from prbgen.cli.live_line import live_line
from prbgen.generate import Tally
from prbgen.llm.traffic import OpenBatch


def showing(tally: Tally, console: Console) -> AbstractContextManager[None]:
    """Show how far the run is while the block runs."""
    return live_line(lambda: _line(tally), console)


def _line(tally: Tally) -> str:
    traffic = tally.traffic
    parts = [f"{tally.pairs} pairs, {tally.rejects} rejected"]
    if tally.postponed:
        parts.append(f"{tally.postponed} wait for batches")
    parts.append(f"{traffic.sent} calls sent, {traffic.recorded} replies taken from the ledger")
    if traffic.usd:
        parts.append(f"{traffic.usd:.4f} USD")
    for hold in traffic.holds():
        reason = hold.reason.replace("_", " ")
        parts.append(f"{hold.model} is paused ({reason}): on in {hold.seconds:.0f} s")
    parts += [_batch(each) for each in traffic.batches]
    return "; ".join(parts)


def _batch(batch: OpenBatch) -> str:
    trouble = f" ({batch.trouble})" if batch.trouble else ""
    return f"batch of {batch.model}: {batch.done} of {batch.total} done since {batch.since:%d %b %H:%M} UTC{trouble}"
