"""Results as a report takes them in: the figures, and what came of each pair."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from prbgen.errors import InputError
from prbgen.evaluation.metrics.joined import Judged
from prbgen.evaluation.results import Results
from prbgen.evaluation.summary import Summary
from prbgen.llm.family import families, related


@dataclass(frozen=True)
class Entry:
    """One result. `system` names the model with what tells it from others in the report, `label` also tells it from
    other results of the same model under the same condition.
    """

    results: Results
    summary: Summary
    judged: Judged
    system: str = ""
    label: str = ""

    @property
    def variant(self) -> str:
        """What tells it from other results of its model under its condition; empty where it is the only one."""
        return self.label.removeprefix(self.system).strip()

    @property
    def kin(self) -> tuple[str, ...]:
        """The models that wrote pairs and are of this judge's family: a judge prefers what its own family writes."""
        model = self.summary.model
        if model.kind not in ("judge", "rate"):
            return ()
        return tuple(
            generator
            for generator in self.summary.by_generator
            if related(model.name, generator) or model.family in families(generator)
        )


def read_entries(results: Iterable[Results]) -> list[Entry]:
    """Read summaries and items.

    Raises:
        InputError: one of them is missing or damaged.
    """
    return [_entry(each) for each in results]


def _entry(results: Results) -> Entry:
    summary, judged = results.summary(), Judged.of(results.items())
    if summary.n != len(judged):
        counts = f"{summary.n:,} pairs in summary.json, {len(judged):,} in items.jsonl"
        raise InputError(f"{results.folder}: {counts}; the same `prbgen evaluate` mends it")
    return Entry(results, summary, judged)
