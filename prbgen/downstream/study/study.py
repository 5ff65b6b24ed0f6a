"""A whole study: evaluations, Best-of-N, PPO results and correlations, in one folder with one report."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from prbgen.downstream.correlate.correlate import correlate
from prbgen.downstream.correlate.files import write_correlations
from prbgen.downstream.correlate.readers.read import read_sides
from prbgen.downstream.correlate.records import Correlations
from prbgen.downstream.facts import Curves
from prbgen.downstream.folders import JudgedBy
from prbgen.downstream.study.folder import StudyFolder
from prbgen.downstream.study.settings import Study
from prbgen.downstream.study.steps import Course, Steps
from prbgen.errors import InputError
from prbgen.evaluation.report.report import Report, make_report
from prbgen.evaluation.summary import Share
from prbgen.llm.templates import Prompts
from prbgen.sources import open_source


@dataclass(frozen=True)
class Studied:
    """What a study found. `judged` is where its curves are; `failed` says of a step why it failed, `short` what is
    missing of one that was done, `uncorrelated` why there is no correlation.
    """

    study: Study
    folder: StudyFolder
    report: Report
    curves: Curves | None
    judged: JudgedBy | None
    correlations: Correlations | None
    uncorrelated: str | None
    failed: dict[str, str]
    short: dict[str, str]

    @property
    def fell_short(self) -> bool:
        """Whether a step failed, or something is unscored, unjudged or was not written."""
        return bool(self.failed or self.short)

    @property
    def best_of_n(self) -> dict[str, Share | None]:
        """What each reward model brings when it chooses among all N, by its name on the leaderboards; null where that
        is not known.
        """
        curves = self.curves.models.values() if self.curves else ()
        at_n = {curve.scorer: point.quality for curve in curves for point in curve.points[-1:]}
        systems = {entry.system: entry.summary.scorer for each in self.report.sets for entry in each.entries}
        return {system: at_n.get(scorer) for system, scorer in systems.items()}


async def conduct(
    study: Study,
    folder: StudyFolder,
    prompts: Prompts,
    *,
    stop: asyncio.Event,
    course: Course,
    say: Callable[[str], None],
) -> Studied:
    """Do all of it; calling again goes on where an earlier call stopped.

    A reward model that fails is left out and told; the others go on.

    Raises:
        InputError: the folder holds something else, or another process is at work there.
        PrbgenError: no reward model could be evaluated.
        InterruptError: `stop` was set.
    """
    with folder.kept():
        folder.begin(study)
        return await _conducted(Steps(study, folder, prompts, stop, course, say))


async def _conducted(steps: Steps) -> Studied:
    study, folder = steps.study, steps.folder
    data = study.data_settings
    # Whatever is wrong with it would be said once for each model.
    open_source(data.data, subsets=data.subsets, split=data.split, one_split=True)
    names = await steps.evaluate_all()
    if not names:
        first = next(iter(steps.failed.values()))
        raise InputError(f"no reward model could be evaluated, the first one as: {first}")
    curves = await steps.best_of_n()
    steps.at("comparing")
    results = [folder.evaluated(name) for name in names]
    report = make_report(results)
    wanted = [each.folder for each in results if each.summary().condition in study.correlated]
    judged = steps.judged if curves else None
    downstream = [*([judged.folder] if judged else []), *(study.ppo.results if study.ppo else ())]
    correlations, why = _correlated(study, wanted, downstream, steps.at)
    if correlations:
        write_correlations(correlations, folder.correlation)
    return Studied(study, folder, report, curves, judged, correlations, why, steps.failed, steps.short)


def _correlated(
    study: Study, evaluated: Iterable[Path], downstream: list[Path], say: Callable[[str], None]
) -> tuple[Correlations | None, str | None]:
    """Each benchmark against each result downstream, over the models that both have; or why there is nothing."""
    if not downstream:
        return None, "there are no results of Best-of-N or PPO to compare with"
    try:
        benchmarks = read_sides(list(evaluated), "benchmark")
        results = read_sides(downstream, "downstream", study.correlate.k or None)
        return correlate(benchmarks, results, common=True, seed=study.seed, say=say), None
    except InputError as error:
        return None, str(error)
