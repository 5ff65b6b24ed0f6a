"""Results of the same evaluation made more than once: a report shows one of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from prbgen.evaluation.conditions.pair import REST_ON_POSTS
from prbgen.evaluation.report.entries import Entry
from prbgen.evaluation.report.labels import system_key
from prbgen.evaluation.summary import Summary


@dataclass(frozen=True)
class Repeat:
    """A result that is left out, and the one that is shown in its place."""

    entry: Entry
    shown: Entry


def without_repeats(entries: Sequence[Entry]) -> tuple[list[Entry], list[Repeat]]:
    """One result of each model under each condition, and those left out.

    Results are repeats if the model, its settings, the condition and what was shown are the same; a copy of the data in
    another file makes no difference. Of several that one is kept that is on the file which most of the model's results
    are on (of equal files the first by name), so that conditions are compared on one file; else the first by folder.

    Args:
        entries: Results on the same pairs.
    """
    by_system: dict[Hashable, list[Entry]] = defaultdict(list)
    for entry in entries:
        by_system[system_key(entry.summary)].append(entry)
    kept = {key: best for own in by_system.values() for key, best in _kept(own).items()}
    repeats = [
        Repeat(entry, kept[_asked(entry.summary)]) for entry in entries if kept[_asked(entry.summary)] is not entry
    ]
    left_out = {id(each.entry) for each in repeats}
    return [entry for entry in entries if id(entry) not in left_out], repeats


def _kept(entries: Sequence[Entry]) -> dict[Hashable, Entry]:
    """The results of one model that are shown, by what was asked."""
    answered: dict[str, set[Hashable]] = defaultdict(set)
    for entry in entries:
        answered[entry.summary.data].add(_asked(entry.summary))
    kept: dict[Hashable, Entry] = {}
    for entry in sorted(
        entries, key=lambda each: (-len(answered[each.summary.data]), each.summary.data, str(each.results.folder))
    ):
        kept.setdefault(_asked(entry.summary), entry)
    return kept


def _asked(summary: Summary) -> Hashable:
    """Equal for evaluations that would have to give the same."""
    posts = summary.posts if summary.condition in REST_ON_POSTS else None
    planner = summary.planner if summary.condition == "planner" else None
    return system_key(summary), summary.condition, posts, planner
