"""The one way to ask a model: from a request to a typed reply that is on record.

Every attempt is in the ledger before its result is used, and a recorded reply is never asked for again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar, cast

from prbgen.errors import InterruptError, ModelError, PrbgenError
from prbgen.llm.fingerprint import fingerprint
from prbgen.llm.ledger import Attempt, Ledger
from prbgen.llm.model import FATAL, Call, CallError, Completion, Finish, Message
from prbgen.llm.reply import Problem, ReplyType, parse, without_thoughts
from prbgen.llm.retry import retrying
from prbgen.llm.secrets import redact
from prbgen.llm.templates import Prompts
from prbgen.llm.transports.connect import Connections
from prbgen.recipe import LimitSettings, ModelSettings
from prbgen.text import one_line, storable

T = TypeVar("T", bound=ReplyType | str)


@dataclass(frozen=True)
class Request(Generic[T]):
    """A question to a model.

    `reply_type` is `str` for free text, else the shape that the reply must have; `check` says what is wrong with a
    well-formed reply, if anything is. `item` names the question that it is about, `sample` tells repeated asks apart.
    """

    stage: str
    item: str
    model: ModelSettings
    messages: tuple[Message, ...]
    reply_type: type[T]
    sample: int = 0
    check: Callable[[T], Problem | None] = field(default=lambda _: None)


@dataclass(frozen=True)
class Reply(Generic[T]):
    """A reply of the wanted shape, and the keys of the calls that it took.

    `problem` is what `check` still found wrong after the corrective re-ask: what to do then is up to the stage.
    """

    value: T
    calls: tuple[str, ...]
    problem: Problem | None = None


class UnansweredError(Exception):
    """A request that brought no usable reply: the item is rejected with `reason`, and the run goes on.

    `recorded`: a rerun will find the same in the ledger; else it asks again.
    """

    def __init__(self, reason: str, attempts: int, *, recorded: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.attempts = attempts
        self.recorded = recorded


@dataclass
class Counters:
    """What this process did: calls that were sent, replies that came from the ledger."""

    sent: int = 0
    recorded: int = 0


class Gateway:
    """Asks models for all stages: reads the ledger first, limits calls at once, retries, validates, re-asks once.

    When `stop` is set no new call is sent. The gateway sets it itself when going on would waste money: the ledger
    cannot be written, or a model cannot be used at all.
    """

    def __init__(
        self,
        ledger: Ledger,
        prompts: Prompts,
        limits: LimitSettings,
        *,
        stop: asyncio.Event | None = None,
        counters: Counters | None = None,
    ) -> None:
        self._ledger = ledger
        self._prompts = prompts
        self._limits = limits
        self._stop = stop or asyncio.Event()
        self._fault: PrbgenError | None = None
        self._connections = Connections()
        self._slots: dict[str, asyncio.Semaphore] = {}
        self._under_way: dict[str, asyncio.Task[tuple[str, Finish]]] = {}
        self.counters = counters or Counters()

    async def close(self) -> None:
        """Cancel what is still under way, then close connections and stop servers that were started."""
        calls = list(self._under_way.values())
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        await self._ledger.settle()
        await self._connections.close()

    async def ask(self, request: Request[T]) -> Reply[T]:
        """Get a reply of the wanted shape, with one corrective re-ask that shows the model what was wrong.

        Raises:
            UnansweredError: it was truncated, filtered, or malformed twice; or no reply came.
            ModelError: the model cannot be used at all.
        """
        call = self._first_call(request)
        key, text = await self._text(request, call, corrective=False)
        value, problem = _judge(request, text)
        if problem is None:
            return Reply(cast("T", value), (key,))

        correction = self._prompts.render("correct", kind=problem.kind, facts=problem.facts)
        call = replace(call, messages=(*call.messages, Message("assistant", text), *correction))
        try:
            second_key, text = await self._text(request, call, corrective=True)
        except UnansweredError as unanswered:
            if value is None or not unanswered.recorded:
                raise
            # The first reply had the right shape: the stage may still make do with it.
            return Reply(value, (key,), problem)
        second, second_problem = _judge(request, text)
        if second is not None:
            return Reply(second, (key, second_key), second_problem)
        if value is not None:
            return Reply(value, (key, second_key), problem)
        raise UnansweredError(f"malformed reply, also after a corrective re-ask: {second_problem}", attempts=2)

    def _first_call(self, request: Request[T]) -> Call:
        schema = None if request.reply_type is str else cast("type[ReplyType]", request.reply_type).model_json_schema()
        timeout = request.model.timeout or self._limits.timeout
        return Call(request.model, request.messages, request.stage, timeout, schema, request.sample)

    async def _text(self, request: Request[T], call: Call, *, corrective: bool) -> tuple[str, str]:
        key = fingerprint(call)
        recorded = self._ledger.reply(key)
        if recorded:
            self.counters.recorded += 1
            text, finish = recorded
        else:
            # Two items may ask the very same thing at once: one call serves both.
            if key not in self._under_way:
                task = asyncio.create_task(self._send(request, call, key, corrective))
                self._under_way[key] = task
                task.add_done_callback(lambda _: self._under_way.pop(key))
            text, finish = await asyncio.shield(self._under_way[key])
        if finish == "length":
            reason = "reply cut off at its maximum length; raise max_tokens of this model"
            raise UnansweredError(reason, 1 + corrective, recorded=True)
        if finish == "filtered":
            reason = "the provider's content filter or the model itself refused"
            raise UnansweredError(reason, 1 + corrective, recorded=True)
        return key, text

    async def _send(self, request: Request[T], call: Call, key: str, corrective: bool) -> tuple[str, Finish]:
        """One call, tried again as the retry policy says."""
        retries = retrying(sleep=self._pause)
        try:
            completion: Completion = await retries(self._attempt, request, call, key, corrective)
        except CallError as error:
            kind = error.kind.replace("_", " ")
            if error.kind in FATAL:
                raise self._ended(ModelError(f"{call.model.label} cannot be used ({kind}): {error}")) from None
            attempts = retries.statistics.get("attempt_number", 1)
            raise UnansweredError(f"no reply ({kind}): {error}", attempts) from None
        except PrbgenError as error:
            raise self._ended(error) from None
        return completion.text, completion.finish

    def _ended(self, fault: PrbgenError) -> PrbgenError:
        """Remember why nothing may be sent any more; the first reason is the one that is told."""
        self._fault = self._fault or fault
        self._stop.set()
        return self._fault

    async def _pause(self, seconds: float) -> None:
        """Wait before another attempt, but no longer than until the stop."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), seconds)

    async def _attempt(self, request: Request[T], call: Call, key: str, corrective: bool) -> Completion:
        """One attempt, on record before its result is used."""
        transport = self._connections.to(call.model)
        # A slot is free again when the reply is on disk: no more than those in flight can be lost.
        async with self._slots_of(call.model):
            if self._stop.is_set():
                raise self._fault or InterruptError("interrupted")
            self.counters.sent += 1
            started, clock = datetime.now(UTC), time.perf_counter()
            result: Completion | CallError
            try:
                result = _clean(await transport.complete(call))
            except CallError as error:
                result = CallError(error.kind, one_line(redact(str(error))), error.retry_after)
            await self._ledger.record(
                Attempt(
                    key=key,
                    stage=request.stage,
                    item=request.item,
                    model=call.model.label,
                    corrective=corrective,
                    started=started.isoformat(timespec="milliseconds"),
                    seconds=round(time.perf_counter() - clock, 3),
                    **_outcome(result),
                )
            )
        if isinstance(result, CallError):
            raise result
        return result

    def _slots_of(self, model: ModelSettings) -> asyncio.Semaphore:
        return self._slots.setdefault(model.label, asyncio.Semaphore(model.concurrency or self._limits.concurrency))


def _clean(completion: Completion) -> Completion:
    """What came from outside, fit to be kept: no key that a server sent back, nothing that cannot be stored."""
    return replace(completion, text=storable(redact(completion.text)), usage=_without_keys(completion.usage))


def _without_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {redact(str(name)): _without_keys(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_without_keys(each) for each in value]
    return redact(value) if isinstance(value, str) else value


def _outcome(result: Completion | CallError) -> dict[str, Any]:
    if isinstance(result, CallError):
        return {"outcome": result.kind, "reply": None, "error": str(result), "usage": {}, "cost_usd": None}
    return {
        "outcome": result.finish,
        "reply": result.text,
        "error": None,
        "usage": result.usage,
        "cost_usd": result.cost_usd,
    }


def _judge(request: Request[T], text: str) -> tuple[T | None, Problem | None]:
    """The reply in its wanted shape (null if it has another), and what is wrong with it."""
    if request.reply_type is str:
        value: str | ReplyType | Problem = without_thoughts(text) or Problem("empty")
    else:
        value = parse(text, cast("type[ReplyType]", request.reply_type))
    if isinstance(value, Problem):
        return None, value
    return cast("T", value), request.check(cast("T", value))
