"""A reward model scores the candidates: `prbgen bon score`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from pydantic import Field

from prbgen.api.bon.candidates import answers_of
from prbgen.api.clusters import cluster_of
from prbgen.api.display import QUIET, Display
from prbgen.api.folders import POSTS
from prbgen.api.given import Place, data_of, path, refuse_fewer, refuse_slips
from prbgen.api.scorers import ScoringKeywords, planner_of, refuse_other_condition, scorer_of
from prbgen.downstream.facts import ScoringFacts
from prbgen.downstream.folders import Answers, Scored
from prbgen.errors import InputError
from prbgen.evaluation.settings import Condition
from prbgen.text import folder_name

if TYPE_CHECKING:
    from prbgen.cluster.cluster import Cluster
    from prbgen.downstream.best_of_n.score_settings import BestOfNScoring
    from prbgen.downstream.candidates import ScoreRow


class ScoredCandidates(ScoringFacts):
    """What is known of the scoring, and the `folder` that has it: scores.jsonl and scoring.json."""

    folder: Path = Field(exclude=True)

    def read_scores(self) -> Iterator[ScoreRow]:
        """All questions with the scores of their candidates, one by one, in the order of the data."""
        from prbgen.downstream.candidates import ScoreRow
        from prbgen.run import read_records

        return read_records(Scored(self.folder).scores, ScoreRow)


def score(
    data: Place,
    *,
    scorer: str,
    condition: Condition = "none",
    posts: int = POSTS,
    subset: str | Iterable[str] = (),
    split: str = "",
    candidates: Place | None = None,
    opponents: int | None = None,
    prompts: Place | None = None,
    ray: str | None = None,
    display: Display = QUIET,
    **how: Unpack[ScoringKeywords],
) -> ScoredCandidates:
    """Have a reward model score the candidates. What has been scored is kept.

    Args:
        data: What `sample` was given.
        scorer: KIND:MODEL, as `evaluate` takes it.
        condition: What the model sees, as in `evaluate`.
        posts: Shown at most.
        subset: Only this subset, or these.
        split: Only this one (the first that people have validated).
        candidates: The folder that `sample` wrote (the only one below results/DATA).
        opponents: A judge compares each candidate with so many others, an even number (4).
        prompts: A folder with templates that come before the shipped ones.
        ray: Work on a Ray cluster: "HOST:PORT", "auto" (one that runs here), "local" (processes on this machine).
        display: Is told how it goes.
        how: Settings of the scorer and of the planner: see `ScorerKeywords` and `PlannerKeywords`.

    Raises:
        InputError: there are no candidates, or the settings do not go together.
        ModelError: a model cannot be used at all.
        FellShortError: a budget is used up, or the first ones all failed; what is there is kept.
        InterruptError: there was a Ctrl-C; what is there is kept.
        MissingExtraError: a part of prbgen that this takes is not installed.
        PrbgenError: the disk refuses.
    """
    from prbgen.downstream.best_of_n.score_settings import OPPONENTS, BestOfNScoring

    refuse_slips(how, ScoringKeywords.__optional_keys__, score)
    refuse_other_condition(condition)
    refuse_fewer(1, posts=posts, opponents=opponents)
    of = data_of(data, subset, split)
    answers, asked = answers_of(of.data, candidates), scorer_of(scorer, how)
    if opponents is not None and asked.kind != "judge":
        raise InputError(f"--opponents says nothing to a {asked.kind} scorer: it goes with judge")
    shown = f"{posts}-posts" if posts != POSTS else ""
    scored = answers.scored(folder_name(asked.kind, asked.short, condition, shown))
    settings = BestOfNScoring(
        data=of,
        condition=condition,
        scorer=asked,
        posts=posts,
        planner=planner_of(how, scored.folder),
        opponents=OPPONENTS if opponents is None else opponents,
    )
    with cluster_of(ray, display.remark) as cluster:
        facts = _scored(settings, answers, scored, path(prompts, "prompts"), cluster, display)
    return ScoredCandidates.model_validate({**dict(facts), "folder": scored.folder})


def _scored(
    settings: BestOfNScoring,
    answers: Answers,
    scored: Scored,
    own_prompts: Path | None,
    cluster: Cluster | None,
    display: Display,
) -> ScoringFacts:
    from prbgen.api.lines import scoring_line
    from prbgen.api.running import Say, worked
    from prbgen.downstream.best_of_n.score import score as scores
    from prbgen.evaluation.scoring import Tally
    from prbgen.llm.templates import Prompts

    tally, prompts = Tally(), Prompts(own_prompts)

    async def work(stop: asyncio.Event, say: Say) -> ScoringFacts:
        return await scores(settings, answers, scored, prompts, stop=stop, tally=tally, say=say, cluster=cluster)

    return worked(work, lambda: scoring_line(tally), display)
