"""Fenced code in a text."""

import re

_FENCE = re.compile(r"\s*(?:(?:[-*+]|\d{1,2}[.)])\s+)?(`{3,}|~{3,})([^`\n]*)")


def split_fenced(text: str) -> tuple[list[str], bool | None]:
    """The lines outside code fences, and whether all fences are closed (true, false); null if there are none."""
    outside = []
    opened: str | None = None
    closed: bool | None = None
    for line in text.splitlines():
        found = _FENCE.fullmatch(line)
        if opened is None and not found:
            outside.append(line)
        elif opened is None and found:
            opened, closed = found[1], False
        elif opened and found and found[1].startswith(opened) and not found[2].strip():
            opened, closed = None, True
    return outside, closed
