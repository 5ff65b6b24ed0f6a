"""Results of `prbgen evaluate` as benchmarks: the accuracy of reward models on the same pairs, shown the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from prbgen.downstream.correlate.side import ByUser, Side, by_user
from prbgen.errors import InputError
from prbgen.evaluation.results import Results, found_results
from prbgen.evaluation.summary import Summary
from prbgen.text import one_line


def has_evaluations(place: Path) -> bool:
    """Whether there are such results in a folder or below it."""
    return (place / "summary.json").is_file() or any(
        Results(file.parent).items_file.is_file() for file in place.rglob("summary.json")
    )


def read_evaluations(places: Iterable[Path]) -> list[Side]:
    """A side for each set of pairs and condition under which it was evaluated; a tie is no win.

    Raises:
        InputError: there are none, they are damaged, a model has two results of one such set, or no pair is scored.
    """
    groups: dict[tuple[str, ...], dict[str, tuple[Results, Summary]]] = {}
    for results in found_results(places):
        summary = results.summary()
        group = groups.setdefault((summary.pairs, summary.condition, *_aspects(summary)), {})
        if earlier := group.get(summary.scorer):
            raise InputError(
                f"{earlier[0].folder} and {results.folder}: both are of {summary.scorer} under {summary.condition},"
                " on the same pairs; name only one of them"
            )
        group[summary.scorer] = results, summary
    return [_side(group) for group in groups.values()]


def _side(group: dict[str, tuple[Results, Summary]]) -> Side:
    results, summary = next(iter(group.values()))
    return Side.of_items(
        f"{one_line(summary.data, 80)}, {summary.condition}",
        "evaluation",
        "accuracy",
        {scorer: _wins(*each) for scorer, each in group.items()},
        people=(summary.data, summary.split),
        aspects=(*_aspects(summary), f"split {summary.split or 'unknown'}", f"pairs {summary.pairs[:8]}"),
        place=str(results.folder),
    )


def _aspects(summary: Summary) -> tuple[str, ...]:
    return f"{summary.protocol} protocol", f"{summary.posts} posts", f"planner {summary.planner or 'none'}"


def _wins(results: Results, summary: Summary) -> ByUser:
    read = 0

    def scored() -> Iterator[tuple[str, float]]:
        nonlocal read
        for item in results.items():
            read += 1
            if item.outcome != "unscored":
                yield item.user_key, float(item.outcome == "win")

    found = by_user(scored())
    if read != summary.n:
        counts = f"{summary.n:,} pairs in summary.json, {read:,} in items.jsonl"
        raise InputError(f"{results.folder}: {counts}; the same `prbgen evaluate` mends it")
    return found
