"""One run: questions in, pairs.jsonl and rejects.jsonl out."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import dataclass, field

from prbgen.generate.build import Builder
from prbgen.generate.tools import Tools
from prbgen.llm.flow import in_order
from prbgen.llm.gateway import Counters, Gateway
from prbgen.llm.ledger import Ledger
from prbgen.llm.templates import Prompts
from prbgen.recipe import Recipe
from prbgen.run import Run, whole_file, write_record
from prbgen.schema import Pair, Reject
from prbgen.sources import SourceReport, read_questions

# Items under way for each call that may be: most of an item's life is waiting for its own replies.
_ITEMS_PER_CALL = 2


@dataclass
class Tally:
    """How far a run has come; a progress display reads it while `generate` fills it."""

    pairs: int = 0
    rejects: int = 0
    source: SourceReport = field(default_factory=SourceReport)
    calls: Counters = field(default_factory=Counters)


async def generate(
    recipe: Recipe, run: Run, prompts: Prompts, *, strict: bool = False, stop: asyncio.Event, tally: Tally
) -> None:
    """Build all pairs of a recipe into a run folder that is locked by the caller.

    pairs.jsonl and rejects.jsonl appear when the last item is done; until then everything paid for is in the ledger,
    and calling again goes on from there.

    Raises:
        PrbgenError: the input, the settings or a model cannot be used (with `strict`: at the first faulty row).
        InterruptError: `stop` was set.
    """
    with Ledger(run.ledger) as ledger:
        gateway = Gateway(ledger, prompts, recipe.limits, stop=stop, counters=tally.calls)
        try:
            builder = Builder(Tools(recipe, prompts, gateway))
            questions = read_questions(recipe.source, strict=strict, report=tally.source)
            results = in_order(questions, builder.build, at_once=recipe.limits.concurrency * _ITEMS_PER_CALL, stop=stop)
            with whole_file(run.pairs) as pairs, whole_file(run.rejects) as rejects:
                async with aclosing(results):
                    async for result in results:
                        match result:
                            case Pair():
                                write_record(pairs, result)
                                tally.pairs += 1
                            case Reject():
                                write_record(rejects, result)
                                tally.rejects += 1
        finally:
            await gateway.close()
