"""The usual route: a call is sent now. Admitted by its model's gate, within the budget, on record before it goes out
and again before its reply is used, and tried again as the kind of fault allows.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tenacity import AsyncRetrying

from prbgen.errors import InterruptError, ModelError, PrbgenError
from prbgen.llm.acquaintance import Acquaintance
from prbgen.llm.admission import Gate, Limits, Stopped, hints_of
from prbgen.llm.budget import Budget, taken
from prbgen.llm.cleaning import cleaned, cleaned_line
from prbgen.llm.ledger import Ledger, Result, Sent
from prbgen.llm.model import FATAL, MAYBE_BILLED, NO_VERDICT, Call, CallError, Completion, Finish, Transport
from prbgen.llm.prices import at_most, cost_of, likely_tokens
from prbgen.llm.retry import retrying
from prbgen.llm.route import UnansweredError
from prbgen.llm.traffic import Hold, Traffic
from prbgen.llm.transports.connect import Connections
from prbgen.model_settings import ModelSettings
from prbgen.recipe import LimitSettings

if TYPE_CHECKING:
    from prbgen.cluster.cluster import Cluster
    from prbgen.llm.transports.ray_transport import RayConnections


class Online:
    """Sends calls at once, from this process or from the workers of a cluster; all that is learned and kept is here.

    When `stop` is set no new call is sent. The route sets it itself when going on would waste money: the ledger
    cannot be written, the budget is used up, or a model cannot be used at all.
    """

    waits = True

    def __init__(
        self,
        ledger: Ledger,
        limits: LimitSettings,
        *,
        stop: asyncio.Event | None = None,
        budget: Budget | None = None,
        traffic: Traffic | None = None,
        cluster: Cluster | None = None,
    ) -> None:
        self._ledger = ledger
        self._limits = limits
        self._stop = stop or asyncio.Event()
        self._budget = budget or Budget(limits, 0, 0)
        self._traffic = traffic or Traffic()
        self._traffic.holds = self._holds
        self._fault: PrbgenError | None = None
        self._connections = _connections(cluster, self._traffic)
        self._gates: dict[tuple[str, str | None], Gate] = {}
        self._known: defaultdict[tuple[str, str | None], Acquaintance] = defaultdict(Acquaintance)

    async def exchange(self) -> None:
        """Nothing is postponed."""

    async def close(self) -> None:
        """Close connections and stop servers that were started."""
        await self._connections.close()

    async def send(self, call: Call, key: str) -> tuple[str, Finish]:
        """One call, tried again as the retry policy says.

        Raises:
            UnansweredError: no reply came.
            PrbgenError: no more calls can be sent at all.
        """
        call = replace(call, timeout=self._limits.of(call.model).timeout)
        retries = retrying(sleep=self._pause)
        try:
            completion: Completion = await retries(self._attempt, call, key, retries)
        except CallError as error:
            kind = error.kind.replace("_", " ")
            if error.kind in FATAL:
                raise self._ended(ModelError(f"{call.model.label} cannot be used ({kind}): {error}")) from None
            raise UnansweredError(f"no reply ({kind}): {error}", _number(retries), fault=error.kind) from None
        except PrbgenError as error:
            raise self._ended(error) from None
        return completion.text, completion.finish

    async def _attempt(self, call: Call, key: str, retries: AsyncRetrying) -> Completion:
        """One attempt, on record before its result is used."""
        await self._connections.ready(call.model, self._limits.of(call.model).concurrency, self._stop)
        gate, known = self._gate_of(call.model), self._known[_server(call.model)]
        bound = at_most(call)
        try:
            # A slot is free again when the reply is on disk: no more than those in flight can be lost.
            async with (
                gate.slot(key, tokens=likely_tokens(call), again=_number(retries) > 1) as slot,
                self._budget.hold(bound) as held,
                self._connections.reach(call.model, self._stop) as transport,
            ):
                if self._stop.is_set():
                    raise Stopped
                started = datetime.now(UTC).isoformat(timespec="milliseconds")
                number = await self._ledger.begin(
                    Sent(
                        key, call.stage, call.item, call.model.label, call.corrective, started, bound.tokens, bound.usd
                    )
                )
                self._traffic.sent += 1
                clock = time.perf_counter()
                completion, error = await _outcome(transport, call)
                if completion:
                    known.succeeded()
                    slot.succeeded(
                        tokens=completion.usage.get("total_tokens"), hints=hints_of(completion.headers, time.time())
                    )
                elif isinstance(error, CallError) and error.kind not in NO_VERDICT:
                    known.failed(error)
                    if not known.may_be_nobody(error):
                        slot.failed(error.kind, retry_after=error.retry_after)
                result = _record(call.model, completion, error, seconds=round(time.perf_counter() - clock, 3))
                really = taken(result, bound, maybe_billed=result.outcome in MAYBE_BILLED)
                held.tokens, held.usd = really.tokens, really.usd
                self._traffic.usd += result.cost_usd or 0
                await self._ledger.finish(number, result)
        except Stopped:
            raise self._fault or InterruptError("interrupted") from None
        if isinstance(error, CallError):
            known.put_up_with(error, call.model, key, _number(retries))
        if error:
            raise error
        assert completion  # noqa: S101
        return completion

    def _ended(self, fault: PrbgenError) -> PrbgenError:
        """Remember why nothing may be sent any more; the first reason is the one that is told."""
        self._fault = self._fault or fault
        self._stop.set()
        return self._fault

    async def _pause(self, seconds: float) -> None:
        """Wait before another attempt, but no longer than until the stop."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), seconds)

    def _gate_of(self, model: ModelSettings) -> Gate:
        server = _server(model)
        if server not in self._gates:
            limits = self._limits.of(model)
            self._gates[server] = Gate(Limits(limits.concurrency, limits.rpm, limits.tpm), stop=self._stop)
        return self._gates[server]

    def _holds(self) -> list[Hold]:
        holds = []
        for server, gate in list(self._gates.items()):
            known, pause, model = self._known[server], gate.pause, server[0].rpartition("/")[2]
            if pause:
                holds.append(Hold(model, known.why(pause.reason), pause.seconds_left))
            elif known.fault and not known.completed:
                holds.append(Hold(model, known.why(known.fault.kind), 0))
        return holds


def _connections(cluster: Cluster | None, traffic: Traffic) -> Connections | RayConnections:
    if cluster is None:
        return Connections()
    from prbgen.llm.transports.ray_transport import RayConnections

    return RayConnections(traffic)


def _server(model: ModelSettings) -> tuple[str, str | None]:
    """What has limits of its own: a model at a place."""
    return model.name, model.api_base


def _number(retries: AsyncRetrying) -> int:
    return int(retries.statistics.get("attempt_number", 1))


async def _outcome(transport: Transport, call: Call) -> tuple[Completion | None, CallError | PrbgenError | None]:
    try:
        return cleaned(await transport.complete(call)), None
    except CallError as error:
        return None, CallError(error.kind, cleaned_line(error), error.retry_after)
    except PrbgenError as error:
        return None, error


def _record(
    model: ModelSettings, completion: Completion | None, error: CallError | PrbgenError | None, seconds: float
) -> Result:
    if completion is None:
        kind = error.kind if isinstance(error, CallError) else "unknown_model"
        return Result(kind, None, str(error), seconds=seconds)
    usage = completion.usage | ({"digit_logprobs": completion.digit_logprobs} if completion.digit_logprobs else {})
    return Result(completion.finish, completion.text, None, usage, cost_of(model, completion), seconds)
