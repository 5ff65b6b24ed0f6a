"""From the results of an ended batch to the ledger, some at a time: may be cut off anywhere and done again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime

from prbgen.llm.batch.provider import ResultsGoneError, State
from prbgen.llm.batch.record import BatchRecord, Settled, Submission
from prbgen.llm.batch.servers import Server
from prbgen.llm.cleaning import cleaned, cleaned_line
from prbgen.llm.ledger import Result
from prbgen.llm.model import CallError, Completion
from prbgen.llm.prices import price_of
from prbgen.model_settings import ModelSettings

# Results that are written at once.
_AT_ONCE = 100


@dataclass
class Counts:
    """Results of a batch: those that are of its calls, and the others (doubled, or of nobody's calls)."""

    ours: int = 0
    others: int = 0


async def collect(
    record: BatchRecord,
    submission: Submission,
    server: Server,
    state: State,
    settle: Callable[[list[Settled]], None],
) -> bool:
    """Put all results of an ended batch on record and close it; `settle` gets each piece when it is on disk.

    Returns whether the batch is this submission's: where a provider keeps no names it was only likely to be.

    Raises:
        CallError: the results could not be read to their end.
    """
    counts = Counts()
    piece: list[tuple[str, Result]] = []

    async def keep() -> None:
        settled = await record.keep(submission.name, piece)
        counts.ours += len(settled)
        counts.others += len(piece) - len(settled)
        piece.clear()
        settle(settled)

    missing = _result(server.model, CallError("overload", f"the batch ended ({state.status}) without it"), submission)
    try:
        async with aclosing(server.provider.results(submission.batch or "")) as results:
            async for key, outcome in results:
                piece.append((key, _result(server.model, outcome, submission)))
                if len(piece) >= _AT_ONCE:
                    await keep()
    except ResultsGoneError:
        missing = Result("lost", None, "the provider no longer keeps the results of its batch")
    await keep()
    none_is_ours = counts.others and not counts.ours and not record.has_results(submission.name)
    if none_is_ours and record.waiting(submission.name):
        return False
    settle(await record.close(submission.name, state.status, missing))
    return True


def _result(model: ModelSettings, outcome: Completion | CallError, submission: Submission) -> Result:
    # Perhaps another process submitted it, so this is by the clock on the wall, which may have been set back.
    seconds = round(max(0.0, (datetime.now(UTC) - submission.submitted).total_seconds()), 3)
    if isinstance(outcome, CallError):
        return Result(outcome.kind, None, cleaned_line(outcome), seconds=seconds)
    completion = cleaned(outcome)
    price = price_of(model, batch=True)
    return Result(
        completion.finish,
        completion.text,
        usage=completion.usage,
        cost_usd=price.of(completion.usage) if price else None,
        seconds=seconds,
    )
