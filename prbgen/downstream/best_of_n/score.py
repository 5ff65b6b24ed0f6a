"""One reward model's scores of a policy's candidates: scores.jsonl, scoring.json and a journal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from itertools import islice
from typing import TYPE_CHECKING

from prbgen.downstream.askers import Askers
from prbgen.downstream.best_of_n.score_facts import ScoreCounts, scoring_facts
from prbgen.downstream.best_of_n.score_settings import BestOfNScoring
from prbgen.downstream.best_of_n.score_work import ScoreWork
from prbgen.downstream.facts import ScoringFacts
from prbgen.downstream.folders import Answers, Scored
from prbgen.evaluation.conditions.planner import Planner, planned
from prbgen.evaluation.conditions.prepared import prepared_of
from prbgen.evaluation.journal import Journal
from prbgen.evaluation.results import Results
from prbgen.evaluation.scorers import open_scorer
from prbgen.evaluation.scoring import Scoring, Tally
from prbgen.evaluation.trial import TRIAL
from prbgen.llm.templates import Prompts
from prbgen.run import as_line, whole_file, write_record

if TYPE_CHECKING:
    from prbgen.cluster.cluster import Cluster


async def score(
    settings: BestOfNScoring,
    answers: Answers,
    scored: Scored,
    prompts: Prompts,
    *,
    stop: asyncio.Event,
    tally: Tally,
    say: Callable[[str], None],
    cluster: Cluster | None = None,
) -> ScoringFacts:
    """Score all candidates; calling again goes on where an earlier call stopped. With a `cluster`, its workers score.

    Candidates that are asked about together and get no scores are asked about one by one, so that only the one at fault
    stays without.

    Raises:
        PrbgenError: the data, the settings or the model cannot be used, or the model failed on all of the first ones.
        InterruptError: `stop` was set.
    """
    sampling = answers.sampling()
    results = Results(scored.folder)
    async with AsyncExitStack() as stack:
        stack.enter_context(results.locked())
        tally.stage = "Reading the questions"
        source = Askers.at(settings.data)
        kept = prepared_of(source, settings.condition, settings.posts, scored.folder, answers=False)
        questions = stack.enter_context(kept)
        journal = stack.enter_context(Journal(results.journal))
        journal.begin(settings.identity)
        planner_usd = None
        if settings.planner:
            tally.stage = "Inferring rubrics"
            asking = settings.planner
            planner = Planner(asking.model, asking.ledger, prompts, settings.scorer.limits, say, cluster)
            plan = planned(questions, planner, scored.folder, stop=stop, traffic=tally.traffic)
            done = await stack.enter_async_context(plan)
            questions, planner_usd = done.pairs, done.usd
        tally.stage = "Getting the model ready"
        scorer = await open_scorer(
            settings.scorer,
            prompts,
            results.ledger,
            stack,
            stop=stop,
            traffic=tally.traffic,
            say=say,
            cluster=cluster,
        )
        work = ScoreWork(settings, answers, questions, prompts)
        tally.total = sum(len(asked) for _, _, asked in work)
        tally.what = work.what
        again = Tally(what="answers" if work.together else tally.what, traffic=tally.traffic)
        alone = Scoring(settings.scorer, scorer, journal, again)
        scoring = Scoring(settings.scorer, scorer, journal, tally, last=not work.together, trial=alone.trial)
        asked = work.asked()
        # The first ones show whether the model is of use, before all is asked about in vain.
        for some in (islice(asked, TRIAL), asked) if work.together else (asked,):
            await scoring.run(some, stop)
            if work.together:
                await alone.run(work.one_by_one(scoring, again), stop)
        answers.refuse_others(sampling, "prbgen bon score")
        counts = ScoreCounts()
        with whole_file(scored.scores) as file:
            for row, line in work.rows(scoring, alone):
                counts.add(row, line)
                file.write(as_line(line))
        facts = scoring_facts(settings, sampling, scorer, journal, counts, planner_usd)
        write_record(scored.about, facts)
        return facts
