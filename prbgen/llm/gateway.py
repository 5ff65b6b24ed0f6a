"""The one way to ask a model: from a request to a typed reply that is on record.

A recorded reply is never asked for again; what has none goes out by the route that this run takes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Generic, Literal, TypeVar, cast

from prbgen.llm.fingerprint import fingerprint
from prbgen.llm.ledger import Ledger
from prbgen.llm.model import Call, Message
from prbgen.llm.reply import Problem, ReplyType, parse, parse_whole, without_thoughts
from prbgen.llm.route import Ending, Route, UnansweredError
from prbgen.llm.templates import Prompts
from prbgen.llm.traffic import Traffic
from prbgen.model_settings import ModelSettings
from prbgen.text import one_line

T = TypeVar("T", bound=ReplyType | str)
_NOT_EXACT = "the reply is not the JSON that was asked for"
# Characters that a reason quotes of such a reply.
_BEGINNING = 80


@dataclass(frozen=True)
class Request(Generic[T]):
    """A question to a model.

    `reply_type` is `str` for free text, else the shape that the reply must have; `check` says what is wrong with a
    well-formed reply, if anything is. `on_problem`: of one the model is asked once more ("correct"); or it is kept with
    what is wrong with it ("keep", for text alone); or it is no reply ("refuse": the whole of it has to be the JSON that
    was asked for). `item` names the question that it is about, `sample` tells repeated asks apart, `shared`, `attempt`
    and `attempts` are as in `Call`. `assumed` is a reply as it may come, for an estimate that sends nothing; it is not
    checked.
    """

    stage: str
    item: str
    model: ModelSettings
    messages: tuple[Message, ...]
    reply_type: type[T]
    assumed: T
    sample: int = 0
    shared: int = 0
    attempt: int = 1
    attempts: int = 1
    check: Callable[[T], Problem | None] = field(default=lambda _: None)
    on_problem: Literal["correct", "keep", "refuse"] = "correct"


@dataclass(frozen=True)
class Reply(Generic[T]):
    """A reply of the wanted shape, and the keys of the calls that it took.

    `problem` is what `check` still found wrong after the corrective re-ask: what to do then is up to the stage.
    `assumed`: nothing was sent, and this is the request's own `assumed`.
    """

    value: T
    calls: tuple[str, ...]
    problem: Problem | None = None
    assumed: bool = False


class Gateway:
    """Asks models for all stages: reads the ledger first (null: there is none), validates replies, re-asks once."""

    def __init__(self, ledger: Ledger | None, prompts: Prompts, route: Route, traffic: Traffic | None = None) -> None:
        self._ledger = ledger
        self._prompts = prompts
        self._route = route
        self._under_way: dict[str, asyncio.Task[tuple[str, Ending]]] = {}
        self._traffic = traffic or Traffic()

    @property
    def waits(self) -> bool:
        """Whether one call may wait for another one's reply, as it comes within seconds."""
        return self._route.waits

    async def close(self) -> None:
        """Cancel what is still under way, then give back what the route holds."""
        calls = list(self._under_way.values())
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        if self._ledger:
            await self._ledger.settle()
        await self._route.close()

    async def ask(self, request: Request[T]) -> Reply[T]:
        """Get a reply of the wanted shape; where it is to be corrected, one re-ask shows the model what was wrong.

        Raises:
            UnansweredError: it was truncated, filtered, or malformed (if it is re-asked for: twice); or no reply came.
            PostponedError: the reply comes later, with a batch.
            PrbgenError: no more calls can be sent at all.
        """
        call = Call(
            model=request.model,
            messages=request.messages,
            stage=request.stage,
            schema=_schema(cast("Hashable", request.reply_type)),
            sample=request.sample,
            item=request.item,
            shared=request.shared,
            attempt=request.attempt,
            attempts=request.attempts,
            correctable=request.on_problem == "correct",
            assumed=_as_text(request.assumed),
        )
        key, text, ending = await self._text(call)
        if ending == "assumed":
            return Reply(request.assumed, (key,), assumed=True)
        value, problem = _read(request, text)
        if problem is None:
            return Reply(cast("T", value), (key,))
        if request.on_problem == "refuse":
            beginning = one_line(without_thoughts(text), _BEGINNING)
            raise UnansweredError(f"{_NOT_EXACT}: {beginning!r}", attempts=1, unusable="malformed")
        if request.on_problem == "keep":
            return Reply(cast("T", value or ""), (key,), problem)

        correction = self._prompts.render("correct", kind=problem.kind, facts=problem.facts)
        messages = (*call.messages, Message("assistant", text), *correction)
        call = replace(call, messages=messages, corrective=True, shared=0)
        try:
            second_key, text, _ = await self._text(call)
        except UnansweredError as unanswered:
            if value is None or not unanswered.unusable:
                raise
            # The first reply had the right shape: the stage may still make do with it.
            return Reply(value, (key, fingerprint(call)), problem)
        second, second_problem = _read(request, text)
        if second is not None:
            return Reply(second, (key, second_key), second_problem)
        if value is not None:
            return Reply(value, (key, second_key), problem)
        reason = f"malformed reply, also after a corrective re-ask: {second_problem}"
        raise UnansweredError(reason, attempts=2, unusable="malformed")

    async def _text(self, call: Call) -> tuple[str, str, Ending]:
        key = fingerprint(call)
        reply: tuple[str, Ending] | None = self._ledger.reply(key) if self._ledger else None
        if reply:
            self._traffic.recorded += 1
        else:
            # Two items may ask the very same thing at once: one call serves both.
            if key not in self._under_way:
                task = asyncio.create_task(self._route.send(call, key))
                self._under_way[key] = task
                task.add_done_callback(lambda _: self._under_way.pop(key))
            reply = await asyncio.shield(self._under_way[key])
        text, ending = reply
        if ending == "length":
            reason = "reply cut off at its maximum length; raise max_tokens of this model"
            raise UnansweredError(reason, 1 + call.corrective, unusable="truncated")
        if ending == "filtered":
            reason = "the provider's content filter or the model itself refused"
            raise UnansweredError(reason, 1 + call.corrective, unusable="filtered")
        return key, text, ending


@cache
def _schema(reply_type: Hashable) -> dict[str, Any] | None:
    return None if reply_type is str else cast("type[ReplyType]", reply_type).model_json_schema()


def _as_text(reply: ReplyType | str) -> str:
    return reply if isinstance(reply, str) else reply.model_dump_json()


def _read(request: Request[T], text: str) -> tuple[T | None, Problem | None]:
    """The reply in its wanted shape (null if it has another), and what is wrong with it."""
    if request.reply_type is str:
        value: str | ReplyType | Problem = without_thoughts(text) or Problem("empty")
    else:
        read = parse_whole if request.on_problem == "refuse" else parse
        value = read(text, cast("type[ReplyType]", request.reply_type))
    if isinstance(value, Problem):
        return None, value
    return cast("T", value), request.check(cast("T", value))
