"""Pairs from a recipe: `prbgen generate`."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prbgen.api.clusters import cluster_of
from prbgen.api.display import QUIET, Display
from prbgen.api.given import Place, path
from prbgen.api.recipes import beside, recipe_of, run_of
from prbgen.errors import InputError, InterruptError
from prbgen.recipe import Recipe
from prbgen.run import Run, read_records, whole_file
from prbgen.schema import Pair, Reject

if TYPE_CHECKING:
    from prbgen.generation import Tally
    from prbgen.llm.ledger import Spent
    from prbgen.llm.way import Way
    from prbgen.sources import SourceReport


@dataclass(frozen=True)
class Calls:
    """`sent` to a model, and replies that were on record (`recorded`)."""

    sent: int
    recorded: int


@dataclass(frozen=True)
class Generated:
    """What came of a recipe.

    `pairs`, `rejects`: of what was asked for now; the run may have more (`pairs_in_run`). `unjudged`: pairs of these
    that the judge could not judge, or not in all. `reasons`: why items were rejected, the most frequent first.
    `dataset` is the folder that `datasets` loads, null without any pair. `spent`: of the run, over all its processes,
    by stage and model.
    """

    run: Path
    pairs: int
    pairs_in_run: int
    rejects: int
    unjudged: int
    reasons: dict[str, int]
    dataset: Path | None
    source: SourceReport
    calls: Calls
    spent: tuple[Spent, ...]

    @property
    def fell_short(self) -> bool:
        """Whether anything was rejected or not judged, or no pair came out."""
        return bool(self.rejects or self.unjudged or not self.pairs)

    def read_pairs(self) -> Iterator[Pair]:
        """All pairs of the run, one by one, in the order of the source."""
        file = Run(self.run).pairs
        return read_records(file, Pair) if file.is_file() else iter(())

    def read_rejects(self) -> Iterator[Reject]:
        """All that did not get through, one by one, each with the reasons."""
        file = Run(self.run).rejects
        return read_records(file, Reject) if file.is_file() else iter(())

    def document(self) -> dict[str, Any]:
        """What JSON can hold: what `prbgen generate --json` prints."""
        dataset = str(self.dataset) if self.dataset else None
        return asdict(self) | {"run": str(self.run), "dataset": dataset}


def generate(
    recipe: Recipe | Place,
    *,
    run: Place | None = None,
    limit: int | None = None,
    subset: str | Iterable[str] | None = None,
    ids: str | Iterable[str] | None = None,
    batch: bool = False,
    replay: Place | None = None,
    strict: bool = False,
    ray: str | None = None,
    display: Display = QUIET,
) -> Generated:
    """Write rubrics and pairs as a recipe says, then the dataset. The same call goes on where an earlier one stopped.

    Args:
        recipe: recipe.toml, or a recipe; prompts and card of your own lie beside the file, or in the run.
        run: The run folder (runs/NAME beside the recipe's file).
        limit: Only the first so many questions, 0: all (what the recipe says).
        subset: Only this subset, or these.
        ids: Only these questions: ids, or "ID,ID", or "@FILE" with one a line.
        batch: Send the calls as provider batches, at half the price.
        replay: Build from the replies that this ledger has, without a call.
        strict: Stop at the first faulty row instead of rejecting it.
        ray: Work on a Ray cluster: "HOST:PORT", "auto" (one that runs here), "local" (processes on this machine).
        display: Is told how it goes.

    Raises:
        InputError: recipe, source or settings are wrong, or another process works on this run.
        ModelError: a model cannot be used at all.
        FellShortError: a budget is used up, or batches are not back yet; what is there is kept.
        InterruptError: there was a Ctrl-C; what is there is kept.
        MissingExtraError: a part of prbgen that this takes is not installed.
        PrbgenError: the disk refuses.
    """
    from prbgen.llm.way import Way

    if batch + (replay is not None) + (ray is not None) > 1:
        raise InputError("of --batch, --replay and --ray only one can be")
    resolved, folder = recipe_of(recipe, limit=limit, subset=subset, ids=ids), run_of(recipe, run)
    with cluster_of(ray, display.remark) as cluster:
        way = Way(batch=batch, replay=path(replay, "replay"), cluster=cluster)
        return _generated(resolved, folder, beside(recipe, folder), way, strict, display)


def _generated(recipe: Recipe, run: Run, own: Path, way: Way, strict: bool, display: Display) -> Generated:
    from prbgen.generation import Tally
    from prbgen.generation.remarks import no_judge
    from prbgen.llm.budget import refuse_unknown
    from prbgen.llm.ledger import Ledger, spent
    from prbgen.llm.secrets import load_env_file
    from prbgen.publication.of_run import restage
    from prbgen.sources import check_source

    load_env_file()
    # Before anything of an earlier build is touched.
    check_source(recipe.source)
    refuse_unknown(recipe.limits, {f"[models] {role}": model for role, model in recipe.called.items()})
    tally = Tally()
    with run.locked():
        run.adopt(own)
        with whole_file(run.recipe) as file:
            file.write(recipe.to_toml())
        _build(recipe, run, way, strict, tally, display)
        pairs = _lines(run.pairs)
        if pairs:
            restage(run, recipe, display.remark)
        else:
            shutil.rmtree(run.dataset, ignore_errors=True)
    with Ledger(run.ledger, read_only=True) as ledger:
        costs = tuple(spent(ledger))
    if remark := no_judge(recipe):
        display.remark(remark)
    return Generated(
        run=run.folder,
        pairs=tally.pairs,
        pairs_in_run=pairs,
        rejects=tally.rejects,
        unjudged=_unjudged(run, recipe),
        reasons=_reasons(run, recipe),
        dataset=run.dataset if pairs else None,
        source=tally.source,
        calls=Calls(tally.traffic.sent, tally.traffic.recorded),
        spent=costs,
    )


def _build(recipe: Recipe, run: Run, way: Way, strict: bool, tally: Tally, display: Display) -> None:
    from prbgen.api.lines import generation_line
    from prbgen.api.running import Say, worked
    from prbgen.generation import generate as build
    from prbgen.llm.templates import Prompts

    prompts = Prompts(run.own("prompts"))

    async def work(stop: asyncio.Event, say: Say) -> None:
        await build(recipe, run, prompts, way=way, say=say, strict=strict, stop=stop, tally=tally)

    try:
        worked(work, lambda: generation_line(tally), display)
    except InterruptError:
        raise InterruptError(_interrupted(tally, run)) from None


def _interrupted(tally: Tally, run: Run) -> str:
    done = f"{tally.pairs} pairs are in {run.pairs}, " if tally.pairs else ""
    batches = len(tally.traffic.batches)
    there = f"{batches} batches go on at their provider, " if batches else ""
    return f"interrupted: {done}{there}all replies are in {run.ledger}; the same command goes on"


def _lines(file: Path) -> int:
    if not file.is_file():
        return 0
    with file.open("rb") as lines:
        return sum(1 for _ in lines)


def _unjudged(run: Run, recipe: Recipe) -> int:
    """How many pairs of this recipe the judge could not judge, or not in all."""
    from prbgen.generation.build import variant
    from prbgen.generation.judge import JUDGE_CHECKS

    if recipe.judge is None or not run.pairs.is_file():
        return 0
    ours = (each for each in read_records(run.pairs, Pair) if (each.strategy, each.generator) == variant(recipe))
    return sum(any(each.outcome == "unknown" and each.name in JUDGE_CHECKS for each in pair.checks) for pair in ours)


def _reasons(run: Run, recipe: Recipe) -> dict[str, int]:
    """Why items of this recipe were rejected, the most frequent first."""
    from prbgen.generation.build import variant

    ours = ((None, None), variant(recipe))
    rejects = [each for each in read_records(run.rejects, Reject) if (each.strategy, each.generator) in ours]
    counts = Counter(f"{each.stage}: {reason}" for each in rejects for reason in each.reasons)
    return dict(counts.most_common())
