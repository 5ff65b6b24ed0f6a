"""Can a shallow model tell chosen from rejected?"""

from __future__ import annotations

from typing import Literal

from prbgen.publication.audited import Audited
from prbgen.validation.report import Gate, GateState

_STATES: dict[Literal["clean", "leaks", "unclear"], tuple[GateState, str]] = {
    "clean": ("pass", "the audit found that a shallow model cannot tell chosen from rejected"),
    "leaks": ("fail", "the audit found that a shallow model tells chosen from rejected"),
    "unclear": ("unknown", "the audit could not find out whether a shallow model tells chosen from rejected"),
}


def audit_gate(audited: Audited | None) -> Gate:
    """The gate "audit" of what `prbgen audit` said of these pairs; null: it said nothing of them."""
    if audited is None:
        return Gate(name="audit", state="unknown", said="not audited: prbgen audit RUN")
    state, said = _STATES[audited.verdict]
    known = [f"{name} {found.accuracy:.3f}" for name, found in audited.shortcut.items() if found.accuracy is not None]
    figures = f" (accuracy: {', '.join(known)})" if known else ""
    return Gate(name="audit", state=state, said=said + figures)
