"""What `planner` shows: a rubric that a model infers once a question, on record for every reward model."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from prbgen.errors import InterruptError
from prbgen.evaluation.conditions.pair import PreparedPair
from prbgen.evaluation.conditions.prepared import Prepared
from prbgen.evaluation.conditions.stored import Stored, stored
from prbgen.evaluation.trial import Trial
from prbgen.llm.budget import refuse_unknown
from prbgen.llm.flow import as_finished
from prbgen.llm.gateway import Gateway
from prbgen.llm.ledger import Ledger
from prbgen.llm.model import Finish
from prbgen.llm.online import Online
from prbgen.llm.planner import planner_request
from prbgen.llm.route import UnansweredError
from prbgen.llm.templates import Prompts
from prbgen.llm.traffic import Traffic
from prbgen.model_settings import ModelSettings
from prbgen.recipe import LimitSettings
from prbgen.run import cannot_write

if TYPE_CHECKING:
    from prbgen.cluster.cluster import Cluster

# Pairs under way for each call that may be.
_PAIRS_PER_CALL = 2
_NO_RUBRIC = "the planner gave no rubric"
_LOOK_AGAIN = 0.5  # seconds between looks at a lock


@dataclass(frozen=True)
class Planner:
    """The model that infers, and how it is reached.

    `ledger` is the file with its replies; all evaluations that name it share them. The budget in `limits` is for what
    one `planned` spends: what is on record, of whatever evaluation, takes nothing of it. `say` gets what the user
    should know. The workers of a `cluster`, if there is one, make the calls.
    """

    model: ModelSettings
    ledger: Path
    prompts: Prompts
    limits: LimitSettings
    say: Callable[[str], None]
    cluster: Cluster | None = None


@dataclass(frozen=True)
class Planned:
    """The pairs with their inferred aspects, and what the replies to all calls for them cost in USD, now or earlier;
    null where a price is unknown.
    """

    pairs: Prepared
    usd: float | None


@asynccontextmanager
async def planned(
    pairs: Prepared, planner: Planner, folder: Path, *, stop: asyncio.Event, traffic: Traffic | None = None
) -> AsyncIterator[Planned]:
    """Infer the aspects of all pairs, from question and posts alone; the posts themselves are not kept.

    Pairs on one question ask the same, so one reply serves all of them, and none that is on record is asked for again.
    What is too long for the planner loses its last posts, which is told and noted. A pair that gets no usable reply
    says so in `lacking`. No other process uses the ledger meanwhile; if one does, it is waited for.

    Args:
        pairs: As `prepared` keeps them under `planner`.
        planner: Whom to ask.
        folder: Gets a temporary file with the pairs.
        stop: When it is set no new call is begun.
        traffic: Counts what is sent.

    Raises:
        InputError: there is a budget, and it is not known what the planner may take.
        InterruptError: `stop` was set; the same again goes on from here.
        ModelError: the planner cannot be used, or gives no rubric for any pair.
        PrbgenError: the disk refuses, or a budget is used up.
    """
    refuse_unknown(planner.limits, {"--planner": planner.model}, "with --planner-option KEY=VALUE")
    with stored(folder) as kept:
        async with _to_oneself(planner, stop):
            with _SharedLedger(planner.ledger) as ledger:
                await _infer_all(pairs, planner, ledger, kept, stop, traffic or Traffic())
                usd = ledger.usd()
        yield Planned(Prepared(kept, pairs.split, pairs.digest), usd)


class _SharedLedger(Ledger):
    """Knows which calls are this evaluation's: those whose replies it looks for."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._keys: set[str] = set()

    def reply(self, key: str) -> tuple[str, Finish] | None:
        self._keys.add(key)
        return super().reply(key)

    def usd(self) -> float | None:
        """What their replies cost, whoever asked; null where a price is unknown."""
        costs = [cost for (cost,) in self.query(_COSTS, json.dumps(list(self._keys)))]
        # Exact, so that the order of the calls changes nothing.
        return None if None in costs else math.fsum(costs)


_COSTS = "SELECT cost_usd FROM attempts WHERE reply IS NOT NULL AND key IN (SELECT value FROM json_each(?))"


async def _infer_all(
    pairs: Prepared, planner: Planner, ledger: Ledger, kept: Stored, stop: asyncio.Event, traffic: Traffic
) -> None:
    route = Online(ledger, planner.limits, stop=stop, traffic=traffic, cluster=planner.cluster)
    gateway = Gateway(ledger, planner.prompts, route, traffic)
    trial = Trial(f"{planner.model.label} as planner", planner.ledger, "pairs got a rubric")
    shortened = 0

    async def infer(pair: PreparedPair) -> PreparedPair:
        return await _inferred(pair, planner, gateway)

    at_once = _PAIRS_PER_CALL * planner.limits.of(planner.model).concurrency
    try:
        async with aclosing(as_finished(pairs, infer, at_once=at_once, stop=stop)) as finished:
            async for place, pair in finished:
                kept.put(place, pair)
                shortened += pair.posts_lost > 0
                if pair.aspects is not None:
                    trial.worked()
                elif (pair.lacking or "").startswith(_NO_RUBRIC):
                    trial.failed((pair.lacking or "").removeprefix(f"{_NO_RUBRIC}: "))
    finally:
        await gateway.close()
    # Where all fails there is nothing to go on with, however few they are.
    trial.check(1)
    if shortened:
        which = f"{shortened} of {pairs.count} pairs"
        planner.say(f"{planner.model.label}: as planner it saw fewer posts for {which}, as all were too long")


async def _inferred(pair: PreparedPair, planner: Planner, gateway: Gateway) -> PreparedPair:
    own, shown = pair.posts, len(pair.posts)
    pair = pair.model_copy(update={"posts": ()})
    while not pair.lacking:
        request = planner_request(pair.question_key, pair.question, own[:shown], planner.model, planner.prompts)
        try:
            reply = await gateway.ask(request)
        except UnansweredError as error:
            if error.fault != "too_long" or not shown:
                return pair.model_copy(update={"lacking": f"{_NO_RUBRIC}: {error.reason}"})
            # A quarter fewer at each try: one by one, a long profile would be refused too often.
            shown = shown * 3 // 4
        else:
            aspects = tuple(each.aspect for each in reply.value.aspects)
            return pair.model_copy(update={"aspects": aspects, "posts_lost": len(own) - shown})
    return pair


@asynccontextmanager
async def _to_oneself(planner: Planner, stop: asyncio.Event) -> AsyncIterator[None]:
    """Keep the ledger to this process; the system lets go when the process ends, however it ends."""
    path = planner.ledger
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path.with_name(path.name + ".lock"))
        told = False
        while True:
            with suppress(Timeout):
                lock.acquire(timeout=0)
                break
            if not told:
                planner.say(f"another evaluation asks the planner at this moment; waiting for it ({path})")
                told = True
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), _LOOK_AGAIN)
                raise InterruptError("interrupted")
    except OSError as error:
        raise cannot_write(path, error) from None
    try:
        yield
    finally:
        lock.release()
