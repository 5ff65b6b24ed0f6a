"""What judging would ask for, counted before anything is sent."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import dataclass

from prbgen.downstream.best_of_n.judge_settings import JudgeSettings
from prbgen.downstream.best_of_n.to_judge import to_judge
from prbgen.downstream.folders import Answers, JudgedBy
from prbgen.llm.counting import Counting
from prbgen.llm.coverage import coverage_request
from prbgen.llm.forecast import Forecast, forecast
from prbgen.llm.gateway import Gateway
from prbgen.llm.ledger import Ledger
from prbgen.llm.ledger.habits import habits
from prbgen.llm.route import UnansweredError
from prbgen.llm.templates import Prompts


@dataclass(frozen=True)
class JudgingEstimate:
    """What is not on record yet: `forecast` is null where all is. Of `candidates` (those with a text) of `questions`
    the judge is asked about `answers` different ones; `recorded` replies cost nothing more.
    """

    questions: int
    candidates: int
    answers: int
    recorded: int
    forecast: Forecast | None


async def estimate_judging(
    settings: JudgeSettings, answers: Answers, judged: JudgedBy, prompts: Prompts
) -> JudgingEstimate:
    """Ask for everything that `judge` would, without sending a call; nothing is written.

    Raises:
        InputError: data, candidates or settings do not go together.
    """
    questions = candidates = different = 0
    with Ledger(judged.ledger, read_only=True) if judged.ledger.is_file() else nullcontext() as ledger:
        counting = Counting(ledger)
        gateway = Gateway(None, prompts, counting)
        for each in to_judge(settings.data, answers):
            questions += 1
            candidates += sum(candidate.text is not None for candidate in each.row.candidates)
            different += len(each.texts)
            for text in each.texts:
                request = coverage_request(
                    each.row.key, each.question, each.narrative, each.aspects, text, settings.model, prompts
                )
                # A reply on record may be of no use.
                with suppress(UnansweredError):
                    await gateway.ask(request)
            counting.settle()
        known = habits(ledger) if ledger else {}
        expected = [forecast(*name, each, known.get(name)) for name, each in counting.tallies.items() if each.new]
        return JudgingEstimate(questions, candidates, different, counting.recorded, expected[0] if expected else None)
