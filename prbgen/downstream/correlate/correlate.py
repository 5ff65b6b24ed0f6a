"""Every benchmark against every result downstream: `prbgen correlate`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from prbgen.downstream.correlate.comparing import compared
from prbgen.downstream.correlate.differing import differences
from prbgen.downstream.correlate.records import Correlation, Correlations
from prbgen.downstream.correlate.resampling import Resampling
from prbgen.downstream.correlate.side import Side
from prbgen.errors import InputError
from prbgen.text import one_line

_FEWEST = 2
_SHOWN = 5


def correlate(
    benchmarks: Sequence[Side],
    downstreams: Sequence[Side],
    *,
    common: bool = False,
    seed: int = 0,
    resamples: int = 2000,
    say: Callable[[str], None] = lambda _: None,
) -> Correlations:
    """Compare them, and where there are several benchmarks, these with each other.

    Args:
        benchmarks: What is to predict.
        downstreams: What is to be predicted.
        common: Compare the models that are on both sides, if some are on one alone.
        seed: Of draws and resamples.
        resamples: Of users, for each interval.
        say: Is told what is being done.

    Raises:
        InputError: two sides have not the same models, or have only one.
    """
    resampling = Resampling(seed, resamples)
    # All of them first: what is wrong is said before the work.
    matched = [[(_matched(one, other, common), (one, other)) for one in benchmarks] for other in downstreams]
    comparisons: list[Correlation] = []
    for row in matched:
        for (one, other), whole in row:
            say(f"Comparing {one.label} with {other.label} ...")
            comparisons.append(compared(one, other, resampling, whole))
    say("Comparing benchmarks ...")
    gaps = [each for other in downstreams for each in differences(benchmarks, other, resampling)]
    return Correlations(comparisons=tuple(comparisons), differences=tuple(gaps))


def _matched(benchmark: Side, downstream: Side, common: bool) -> tuple[Side, Side]:
    both = set(benchmark.models) & set(downstream.models)
    alone = [sorted(set(side.models) - both) for side in (benchmark, downstream)]
    if any(alone) and not common:
        only = "; ".join(
            f"only in {side.label}: {_listed(names)}"
            for side, names in zip((benchmark, downstream), alone, strict=True)
            if names
        )
        hint = f"; --common compares the {len(both)} that both have" if len(both) >= _FEWEST else ""
        raise InputError(f"the models differ: {only}{hint}")
    if len(both) < _FEWEST:
        what = "only one model is" if both else "no model is"
        raise InputError(f"{benchmark.label} and {downstream.label}: {what} on both sides; a ranking takes two or more")
    return benchmark.only(both), downstream.only(both)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(one_line(name, 80) for name in names[:_SHOWN]) + more
