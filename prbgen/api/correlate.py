"""Does a benchmark rank reward models as their use does? `prbgen correlate`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prbgen.api.display import QUIET, Display
from prbgen.api.given import Place, place, places, refuse_fewer, refuse_none

if TYPE_CHECKING:
    from prbgen.downstream.correlate.records import Correlation, Correlations, Difference


@dataclass(frozen=True)
class Correlated:
    """Correlations, and the `files` that have them: correlation.json and correlation.svg."""

    found: Correlations
    files: tuple[Path, ...]

    @property
    def comparisons(self) -> tuple[Correlation, ...]:
        """Each benchmark against each result downstream."""
        return self.found.comparisons

    @property
    def differences(self) -> tuple[Difference, ...]:
        """Of several benchmarks: how each does against the others."""
        return self.found.differences

    def document(self) -> dict[str, Any]:
        """What JSON can hold: what `prbgen correlate --json` prints."""
        from prbgen.downstream.correlate.files import document

        return document(self.found)


def correlate(
    benchmark: Place | Iterable[Place],
    downstream: Place | Iterable[Place],
    *,
    k: int | None = None,
    common: bool = False,
    out: Place = "correlation",
    display: Display = QUIET,
) -> Correlated:
    """Compare how they rank reward models: rank correlations, with intervals and what chance alone would bring.

    Args:
        benchmark: What is to predict: folders of results, or above some; or JSON files {"KIND:MODEL": score}.
        downstream: What is to be predicted: the same, or folders of Best-of-N and of policies' answers.
        k: Best-of-N: candidates to choose among (the most that all reward models have).
        common: Leave out models that are on one side only.
        out: Where the files go.
        display: Is told how it goes.

    Raises:
        InputError: a side cannot be read, the models differ, or there are fewer than two.
    """
    from prbgen.downstream.correlate.correlate import correlate as correlated
    from prbgen.downstream.correlate.files import write_correlations
    from prbgen.downstream.correlate.readers.read import read_sides, refuse_idle_k

    refuse_fewer(1, k=k)
    sides = {"benchmark": places(benchmark, "benchmark"), "downstream": places(downstream, "downstream")}
    refuse_none(**sides)
    with display.saying("Reading results ...") as say:
        benchmarks = read_sides(sides["benchmark"], "benchmark", k)
        downstreams = read_sides(sides["downstream"], "downstream", k)
        refuse_idle_k(k, [*benchmarks, *downstreams])
        found = correlated(benchmarks, downstreams, common=common, say=say)
        return Correlated(found, write_correlations(found, place(out, "out")))
