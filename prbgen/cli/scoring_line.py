"""The line that says how far scoring is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prbgen.evaluate.scoring import Tally


def scoring_line(tally: Tally, *more: str) -> str:
    """How far it is; `more` is said of what has been scored."""
    if tally.began is None:
        return f"{tally.stage} ..."
    done = tally.scored + tally.unscored
    parts = [f"{done:,} of {tally.total:,} {tally.what}", *more]
    if tally.unscored:
        parts.append(f"{tally.unscored:,} unscored")
    if tally.traffic.usd:
        parts.append(f"{tally.traffic.usd:.4f} USD")
    new, seconds = done - tally.known, time.monotonic() - tally.began
    if new:
        parts.append(f"{duration(seconds / new * (tally.total - done))} left")
    parts += [f"{each.model} is paused ({each.reason}): on in {each.seconds:.0f} s" for each in tally.traffic.holds()]
    return "; ".join(parts)


def duration(seconds: float) -> str:
    """So many seconds, minutes or hours."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
