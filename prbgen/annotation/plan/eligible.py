"""Which pairs a round can rate at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from prbgen.annotation.plan.index import Entry
from prbgen.schema import Round


def eligible(
    entries: Iterable[Entry], round_: Round, max_aspects: int | None
) -> tuple[dict[str, Entry], dict[str, int]]:
    """Those that can be rated, by pair id, and how many cannot, by reason."""
    kept: dict[str, Entry] = {}
    reasons: Counter[str] = Counter()
    for entry in entries:
        reason = _obstacle(entry, round_, max_aspects)
        if reason:
            reasons[reason] += 1
        else:
            kept[entry.pair_id] = entry
    return kept, dict(sorted(reasons.items()))


def _obstacle(entry: Entry, round_: Round, max_aspects: int | None) -> str | None:
    if round_ == "blind" and not entry.posts:
        return "no posts: nothing to infer from"
    if round_ == "rubric" and not entry.aspects:
        return "no aspects: nothing to judge by"
    if round_ == "rubric" and max_aspects is not None and entry.aspects > max_aspects:
        return f"more than the {max_aspects} aspects that this round can ask about"
    return None
