"""What stands at one place of a source, before anything is known about it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RawRow:
    """A value and its place ("FILE:line 12", "FILE:row 12").

    `fault` says why nothing can be read there (then `value` means nothing), or is null. `unread` names columns that
    stand there and were left out of `value`.
    """

    where: str
    value: object = None
    fault: str | None = None
    unread: tuple[str, ...] = ()
