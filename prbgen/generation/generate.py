"""One run: questions in, pairs.jsonl and rejects.jsonl out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from prbgen.errors import FellShortError, InputError, InterruptError, ModelError
from prbgen.generation.build import Builder, variant
from prbgen.generation.earlier import Earlier
from prbgen.generation.merge import merge
from prbgen.generation.remarks import partial_judge
from prbgen.generation.results import Results
from prbgen.generation.tools import Tools
from prbgen.llm.flow import as_finished
from prbgen.llm.gateway import Gateway
from prbgen.llm.ledger import Ledger
from prbgen.llm.route import PostponedError
from prbgen.llm.templates import Prompts
from prbgen.llm.traffic import Traffic
from prbgen.llm.way import Way
from prbgen.recipe import Recipe
from prbgen.run import Run
from prbgen.schema import Pair, Question, Reject
from prbgen.sources import SourceReport, read_questions

# Items under way for each call that may be: most of an item's life is waiting for its own replies.
_ITEMS_PER_CALL = 2


@dataclass
class Tally:
    """How far a run has come; a progress display reads it while `generate` fills it."""

    pairs: int = 0
    rejects: int = 0
    postponed: int = 0
    source: SourceReport = field(default_factory=SourceReport)
    traffic: Traffic = field(default_factory=Traffic)

    def begin_pass(self) -> None:
        """Count the items anew."""
        self.pairs = self.rejects = self.postponed = 0
        self.source = SourceReport()


async def generate(
    recipe: Recipe,
    run: Run,
    prompts: Prompts,
    *,
    way: Way,
    say: Callable[[str], None],
    strict: bool = False,
    stop: asyncio.Event,
    tally: Tally,
) -> None:
    """Build all pairs of a recipe into a run folder that is locked by the caller, beside those that it has.

    pairs.jsonl and rejects.jsonl are renewed at the end, also at one before the last item (a stop, a budget): calling
    again goes on from there, as everything paid for is in the ledger. `say` gets what the user should know before money
    is spent.

    Raises:
        PrbgenError: the input, the settings or a model cannot be used (with `strict`: at the first faulty row).
        FellShortError: the budget is used up.
        InterruptError: `stop` was set.
    """
    with Ledger(run.ledger) as ledger, Earlier.of(run) as earlier:
        if earlier.pairs.lines and not way.replay and not ledger.query("SELECT 1 FROM attempts LIMIT 1"):
            raise InputError(
                f"{run.folder}: has pairs but an empty ledger, so all would be paid for again; put the ledger back"
                " (or, to start over, name another folder with --run)"
            )
        route = way.open(ledger, recipe.limits, stop=stop, traffic=tally.traffic)
        gateway = Gateway(ledger, prompts, route, tally.traffic)
        try:
            for name, pairs in earlier.by_other_templates(variant(recipe), prompts).items():
                say(
                    f"prompts/{name}.j2 has changed since {pairs} pairs of this run were made: those that are asked for"
                    " now are made, and paid for, anew; all others stay as they are"
                )
            judge = recipe.judge.label if recipe.judge else None
            for other, pairs in earlier.by_other_judges(variant(recipe), judge).items():
                say(
                    f"{pairs} pairs of this run were judged by {other or 'no model'}: those that are asked for now are"
                    f" judged by {judge or 'no model'} instead"
                )
            if warning := partial_judge(recipe):
                say(warning)
            builder = Builder(Tools(recipe, prompts, gateway))
            run.begin()
            while True:
                with Results.of(run, variant(recipe)) as results:
                    try:
                        await _go_over_all(recipe, builder, results, strict=strict, stop=stop, tally=tally)
                        if tally.postponed:
                            await route.exchange()
                            continue
                    except (FellShortError, InterruptError, ModelError):
                        merge(run, earlier, results, variant(recipe))
                        raise
                    merge(run, earlier, results, variant(recipe))
                    run.end()
                    return
        finally:
            await gateway.close()


async def _go_over_all(
    recipe: Recipe, builder: Builder, results: Results, *, strict: bool, stop: asyncio.Event, tally: Tally
) -> None:
    """One pass over the source. Items whose replies come later, with a batch, are only counted."""

    async def build(question: Question | Reject) -> Pair | Reject | None:
        try:
            return await builder.build(question)
        except PostponedError:
            return None

    tally.begin_pass()
    questions = read_questions(recipe.source, strict=strict, report=tally.source)
    at_once = _ITEMS_PER_CALL * recipe.limits.of(recipe.models.answer).concurrency
    async with aclosing(as_finished(questions, build, at_once=at_once, stop=stop)) as finished:
        async for place, result in finished:
            match result:
                case None:
                    tally.postponed += 1
                case Pair():
                    results.add(place, result)
                    tally.pairs += 1
                case Reject():
                    results.add(place, result)
                    tally.rejects += 1
