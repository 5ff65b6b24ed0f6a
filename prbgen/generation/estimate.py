"""What a run would ask for, counted by the very stages that it has, before anything is sent."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass

from prbgen.generation.build import Builder
from prbgen.generation.tools import Tools
from prbgen.llm.counting import Counting
from prbgen.llm.forecast import Forecast, Range, forecast, total
from prbgen.llm.gateway import Gateway
from prbgen.llm.ledger import Ledger
from prbgen.llm.ledger.habits import habits
from prbgen.llm.templates import Prompts
from prbgen.recipe import Recipe
from prbgen.schema import Reject
from prbgen.sources import SourceReport, read_questions


@dataclass(frozen=True)
class Totals:
    """All stages and models together."""

    calls: Range
    prompt_tokens: Range
    reply_tokens: Range
    cost_usd: Range


@dataclass(frozen=True)
class Estimate:
    """What a run would ask for, by stage and model, and in total.

    `questions` get a pair if all goes well; `rejected` rows and questions, by stage, get none as things stand.
    `recorded` replies are in the ledger and cost nothing more, so they are in no range.
    """

    questions: int
    rejected: dict[str, int]
    recorded: int
    stages: tuple[Forecast, ...]
    total: Totals


async def estimate(
    recipe: Recipe,
    prompts: Prompts,
    ledger: Ledger | None,
    *,
    batch: bool = False,
    report: SourceReport | None = None,
) -> Estimate:
    """Take all questions of a recipe through all stages without sending a call.

    Args:
        recipe: What would be built.
        prompts: The templates that would be used.
        ledger: That of the run which would go on, or null. It is only read.
        batch: Whether the calls would go into providers' batches, at half the price.
        report: Is filled on the way.

    Raises:
        PrbgenError: the input or the settings cannot be used.
    """
    counting = Counting(ledger)
    builder = Builder(Tools(recipe, prompts, Gateway(None, prompts, counting)))
    questions = 0
    rejected: Counter[str] = Counter()
    # One by one, as nothing is waited for.
    for question in read_questions(recipe.source, report=report):
        result = await builder.build(question)
        counting.settle()
        await asyncio.sleep(0)  # so that it can be cancelled
        if isinstance(result, Reject):
            rejected[result.stage] += 1
        else:
            questions += 1
    known = habits(ledger) if ledger else {}
    stages = tuple(
        forecast(*name, tally, known.get(name), batch=batch) for name, tally in counting.tallies.items() if tally.new
    )
    totals = Totals(
        calls=total(each.calls for each in stages),
        prompt_tokens=total(each.prompt_tokens for each in stages),
        reply_tokens=total(each.reply_tokens for each in stages),
        cost_usd=total(each.cost_usd for each in stages),
    )
    return Estimate(questions, dict(rejected), counting.recorded, stages, totals)
