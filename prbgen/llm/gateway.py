"""The one way to ask a model: from a request to a typed reply that is on record.

A recorded reply is never asked for again; what has none goes out by the route that this run takes.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import cast

from prbgen.llm.fingerprint import fingerprint
from prbgen.llm.ledger import Ledger
from prbgen.llm.model import Call, Message
from prbgen.llm.reply import without_thoughts
from prbgen.llm.request import Reply, Request, T, read
from prbgen.llm.route import Ending, Route, UnansweredError
from prbgen.llm.samples import FILTERED, Sample, Sampling
from prbgen.llm.templates import Prompts
from prbgen.llm.traffic import Traffic
from prbgen.text import one_line

__all__ = ["Gateway", "Reply", "Request"]

_NOT_EXACT = "the reply is not the JSON that was asked for"
# Characters that a reason quotes of such a reply.
_BEGINNING = 80


class Gateway:
    """Asks models for all stages: reads the ledger first (null: there is none), validates replies, re-asks once."""

    def __init__(self, ledger: Ledger | None, prompts: Prompts, route: Route, traffic: Traffic | None = None) -> None:
        self._ledger = ledger
        self._prompts = prompts
        self._route = route
        self._under_way: dict[str, asyncio.Task[tuple[str, Ending]]] = {}
        self._traffic = traffic or Traffic()
        self._sampling = Sampling(self._recorded, self._sent)

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
        call = request.call
        key, text, ending = await self._text(call)
        if ending == "assumed":
            return Reply(request.assumed, (key,), assumed=True)
        value, problem = read(request, text)
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
        second, second_problem = read(request, text)
        if second is not None:
            return Reply(second, (key, second_key), second_problem)
        if value is not None:
            return Reply(value, (key, second_key), problem)
        reason = f"malformed reply, also after a corrective re-ask: {second_problem}"
        raise UnansweredError(reason, attempts=2, unusable="malformed")

    async def samples(self, request: Request[str], n: int) -> list[Sample]:
        """Get n samples of a free text, number `request.sample` and following; its `check` is not asked.

        Those on record are not asked for again, whatever n was then. Where the provider takes it, one call asks for
        several. A call that brings no reply spoils only its own samples: they say why.

        Raises:
            PostponedError: replies come later, with a batch.
            PrbgenError: no more calls can be sent at all.
        """
        return await self._sampling.draw(request.call, n, several=self.waits)

    async def _text(self, call: Call) -> tuple[str, str, Ending]:
        key = fingerprint(call)
        text, ending = self._recorded(call) or await self._sent(call)
        if ending == "length":
            reason = "reply cut off at its maximum length; raise max_tokens of this model"
            raise UnansweredError(reason, 1 + call.corrective, unusable="truncated")
        if ending == "filtered":
            raise UnansweredError(FILTERED, 1 + call.corrective, unusable="filtered")
        return key, text, ending

    def _recorded(self, call: Call) -> tuple[str, Ending] | None:
        reply = self._ledger.reply(fingerprint(call)) if self._ledger else None
        self._traffic.recorded += reply is not None
        return reply

    async def _sent(self, call: Call) -> tuple[str, Ending]:
        key = fingerprint(call)
        # Two items may ask the very same thing at once: one call serves both.
        if key not in self._under_way:
            task = asyncio.create_task(self._route.send(call, key))
            self._under_way[key] = task
            task.add_done_callback(lambda _: self._under_way.pop(key))
        return await asyncio.shield(self._under_way[key])
