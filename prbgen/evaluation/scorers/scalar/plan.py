"""Which answers go through the model together: plain arithmetic over token numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

Row: TypeAlias = tuple[int, ...]

# A prefix is computed on its own if that spares so many tokens, and this share of all: else batches, which pass through
# the model once, are taken to be faster. Rules of thumb, and not measured: scores are the same either way.
_SPARED_TOKENS, _SPARED_SHARE = 256, 0.15


@dataclass
class Packing:
    """What a model takes at once: at most `tokens`, padding included, and `rows` (null: any number), which may branch
    from a common prefix if it `shares`; `pad` is the token that it does not read. Where memory turns out not to suffice
    `tokens` shrinks.
    """

    tokens: int
    rows: int | None
    shares: bool
    pad: int | None


def pooled_at(row: Row, pad: int | None) -> int:
    """Where a model reads its score: at the last token that is not `pad` (the first if all are), or at the last one."""
    return next((at for at in range(len(row) - 1, -1, -1) if row[at] != pad), 0)


def common_prefix(rows: Sequence[Row], pad: int | None) -> int:
    """How many tokens all rows begin with, short of the one of each that is read."""
    low, high = min(rows), max(rows)  # what these have in common stands in all between them, too
    common = next((at for at, (one, other) in enumerate(zip(low, high, strict=False)) if one != other), len(low))
    return min(common, *(pooled_at(row, pad) for row in rows))


def shared_prefix(rows: Sequence[Row], pad: int | None) -> int:
    """The length of the prefix that is worth computing once; 0 if none is."""
    common = common_prefix(rows, pad)
    spared = common * (len(rows) - 1)
    return common if spared >= max(_SPARED_TOKENS, _SPARED_SHARE * sum(map(len, rows))) else 0


def batches(lengths: Sequence[int], tokens: int, rows: int | None = None) -> list[list[int]]:
    """Places in `lengths` as batches of at most `tokens`, padding to the longest included, and at most `rows` each.

    The longest come first; what is longer than `tokens` is a batch of its own.
    """
    found: list[list[int]] = []
    for place in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
        batch = found[-1] if found else []
        room = batch and lengths[batch[0]] * (len(batch) + 1) <= tokens and (rows is None or len(batch) < rows)
        if room:
            batch.append(place)
        else:
            found.append([place])
    return found
