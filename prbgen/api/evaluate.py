"""A reward model on personalised pairs: `prbgen evaluate`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Unpack

from pydantic import Field

from prbgen.api.clusters import cluster_of
from prbgen.api.display import QUIET, Display
from prbgen.api.folders import POSTS, evaluation_folder
from prbgen.api.given import Place, data_of, path, refuse_fewer, refuse_slips
from prbgen.api.scorers import ScoringKeywords, planner_of, refuse_other_condition, scorer_of
from prbgen.errors import InputError
from prbgen.evaluation.settings import Condition, Evaluation
from prbgen.evaluation.summary import Summary

if TYPE_CHECKING:
    from prbgen.cluster.cluster import Cluster
    from prbgen.evaluation.evaluate import PairTally
    from prbgen.evaluation.item import ScoredItem
    from prbgen.evaluation.results import Results


class EvaluationSummary(Summary):
    """The figures of an evaluation, and the `folder` that has them: items.jsonl and summary.json."""

    folder: Path = Field(exclude=True)

    def read_items(self) -> Iterator[ScoredItem]:
        """All pairs with their scores, one by one, in the order of the data."""
        from prbgen.evaluation.results import Results

        return iter(Results(self.folder).items())


def evaluate(
    data: Place,
    *,
    scorer: str,
    condition: Condition = "none",
    posts: int = POSTS,
    subset: str | Iterable[str] = (),
    split: str = "",
    limit: int = 0,
    protocol: Literal["released"] | None = None,
    prompts: Place | None = None,
    out: Place | None = None,
    ray: str | None = None,
    display: Display = QUIET,
    **how: Unpack[ScoringKeywords],
) -> EvaluationSummary:
    """How often does a reward model prefer the answer that suits this person? What has been scored is kept.

    Args:
        data: A dataset, plain chosen / rejected pairs, PRISM or Chatbot Arena conversations: folder, file, Hub id; or a
            run.
        scorer: KIND:MODEL: `scalar:MODEL` (a transformers sequence classifier), `judge:MODEL` (an LLM that compares two
            answers), `rate:MODEL` (an LLM that rates one), `http:URL` (a reward server), `pooling:MODEL` (vLLM).
        condition: What the model sees: the question alone ("none"), and the asker's posts ("profile"), and a rubric
            inferred from them ("planner"), and a stranger's posts ("shuffled"), and the gold rubric ("oracle").
        posts: Shown at most.
        subset: Only this subset, or these.
        split: Only this one (the first that people have validated).
        limit: Only the first so many pairs; 0: all.
        protocol: "released": as published; judges see one order, drawn with seed 42.
        prompts: A folder with templates that come before the shipped ones.
        out: For items.jsonl and summary.json (results/DATA/KIND-MODEL-CONDITION).
        ray: Work on a Ray cluster: "HOST:PORT", "auto" (one that runs here), "local" (processes on this machine).
        display: Is told how it goes.
        how: Settings of the scorer and of the planner: see `ScorerKeywords` and `PlannerKeywords`.

    Raises:
        InputError: the data cannot be read, or the settings do not go together.
        ModelError: a model cannot be used at all.
        FellShortError: a budget is used up, or the first pairs all failed; what is there is kept.
        InterruptError: there was a Ctrl-C; what is there is kept.
        MissingExtraError: a part of prbgen that this takes is not installed.
        PrbgenError: the disk refuses.
    """
    from prbgen.evaluation.results import Results

    refuse_slips(how, ScoringKeywords.__optional_keys__, evaluate)
    refuse_other_condition(condition)
    if protocol not in (None, "released"):
        raise InputError(f"--protocol {protocol}: should be released, or left out")
    refuse_fewer(1, posts=posts)
    of = data_of(data, subset, split, limit)
    asked = scorer_of(scorer, how, protocol)
    folder = path(out, "out") or evaluation_folder(of, asked, condition, posts)
    evaluation = Evaluation(of, condition, asked, posts, planner_of(how, folder))
    _remark_unvalidated(of.data, display)
    with cluster_of(ray, display.remark) as cluster:
        summary = _evaluated(evaluation, Results(folder), path(prompts, "prompts"), cluster, display)
    return EvaluationSummary.model_validate({**dict(summary), "folder": folder})


def _remark_unvalidated(data: str, display: Display) -> None:
    from prbgen.run import Run

    run = Run(Path(data))
    if run.recipe.is_file() and run.pairs.is_file():
        what = f"{data} is a run: all its pairs are evaluated, whether people have validated them or not"
        display.remark(f"{what} (what they have is in {run.dataset})")


def _evaluated(
    evaluation: Evaluation, results: Results, own_prompts: Path | None, cluster: Cluster | None, display: Display
) -> Summary:
    from prbgen.api.running import Say, worked
    from prbgen.evaluation.evaluate import PairTally
    from prbgen.evaluation.evaluate import evaluate as scored
    from prbgen.llm.templates import Prompts

    tally, prompts = PairTally(), Prompts(own_prompts)

    async def work(stop: asyncio.Event, say: Say) -> Summary:
        return await scored(evaluation, results, prompts, stop=stop, tally=tally, say=say, cluster=cluster)

    return worked(work, lambda: _progress(tally), display)


def _progress(tally: PairTally) -> str:
    from prbgen.api.lines import scoring_line

    so_far = [f"accuracy so far {tally.wins / tally.scored:.3f}"] if tally.scored else []
    return scoring_line(tally, *so_far)
