"""Names of results: as short as tells them apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from prbgen.evaluation.report.entries import Entry
from prbgen.evaluation.summary import Summary
from prbgen.text import one_line

_Aspect = Callable[[Summary], str]
# What makes it another model ...
_OF_SYSTEM: tuple[_Aspect, ...] = (
    lambda summary: f"{summary.protocol} protocol",
    lambda summary: f"revision {summary.model.revision or 'unknown'}",
    lambda summary: summary.model.dtype or "dtype unknown",
    lambda summary: ", ".join(f"{name} {value}" for name, value in sorted(summary.settings.items()) if value),
    lambda summary: f"fingerprint {summary.fingerprint[:8]}",
)
# ... and what may differ between its results under one condition: what it was shown.
_OF_RESULT: tuple[_Aspect, ...] = (
    lambda summary: f"{summary.posts} posts",
    lambda summary: f"planner {summary.planner or 'unknown'}",
)


def system_key(summary: Summary) -> tuple[str, ...]:
    """Equal for the same model with the same settings."""
    return (summary.scorer, *(aspect(summary) for aspect in _OF_SYSTEM))


def labelled(entries: Sequence[Entry]) -> list[Entry]:
    """The same entries, none of which repeats another, with their names."""
    named = []
    for entry in entries:
        alike = [each for each in entries if each.summary.scorer == entry.summary.scorer]
        rivals = [
            each
            for each in alike
            if each.summary.condition == entry.summary.condition
            and system_key(each.summary) == system_key(entry.summary)
        ]
        system = _with(entry.summary.scorer, _telling(_OF_SYSTEM, entry, alike))
        named.append(replace(entry, system=system, label=_with(system, _telling(_OF_RESULT, entry, rivals))))
    return named


def _telling(aspects: Iterable[_Aspect], entry: Entry, among: Sequence[Entry]) -> list[str]:
    """What tells an entry from some of these."""
    return [aspect(entry.summary) for aspect in aspects if len({aspect(each.summary) for each in among}) > 1]


def _with(name: str, details: Sequence[str]) -> str:
    return one_line(f"{name} ({', '.join(details)})" if details else name)
