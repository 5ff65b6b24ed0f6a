"""The route that takes its time: calls are posted, submitted as batches, and collected when those have ended."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from prbgen.errors import ModelError, PrbgenError
from prbgen.llm.batch.accounts import Accounts
from prbgen.llm.batch.collect import collect
from prbgen.llm.batch.provider import Size, State
from prbgen.llm.batch.record import BatchRecord, Submission
from prbgen.llm.batch.servers import Server, Servers
from prbgen.llm.batch.spool import empty
from prbgen.llm.batch.submit import Submitting
from prbgen.llm.batch.watch import Waits, Watch, unusable
from prbgen.llm.budget import Budget
from prbgen.llm.cleaning import cleaned_line
from prbgen.llm.ledger import Ledger, Result, Sent
from prbgen.llm.model import RETRYABLE, Call, CallError, Finish
from prbgen.llm.prices import at_most
from prbgen.llm.route import PostponedError
from prbgen.llm.traffic import Traffic
from prbgen.recipe import LimitSettings


class Batched:
    """Posts calls, and gets their replies between passes.

    A pass over all questions posts what has no reply yet (`send`); then `exchange` submits that and waits until a
    batch has ended; and so on, until nothing is postponed. It may all be cut off anywhere and begun again.
    """

    waits = False

    def __init__(
        self,
        ledger: Ledger,
        folder: Path,
        *,
        stop: asyncio.Event | None = None,
        budget: Budget | None = None,
        traffic: Traffic | None = None,
        waits: Waits | None = None,
        most: Size | None = None,
    ) -> None:
        """`folder` is for what waits to be submitted; `most` lowers what one batch may hold.

        Raises:
            PrbgenError: the folder cannot be written.
        """
        empty(folder)
        self._traffic = traffic or Traffic()
        self._record = BatchRecord(ledger)
        self._servers = Servers(folder, most)
        self._accounts = Accounts(budget or Budget(LimitSettings(), 0, 0), self._traffic)
        self._watch = Watch(self._record, self._traffic, stop or asyncio.Event(), waits or Waits())
        self._submitting = Submitting(self._record, self._accounts, self._watch)

    async def close(self) -> None:
        """Close connections. Batches go on at their providers."""
        await self._servers.close()

    async def send(self, call: Call, key: str) -> tuple[str, Finish]:
        """Post a call, unless it is posted or on its way.

        Raises:
            UnansweredError: it failed for good in this process.
            PostponedError: its reply comes later.
            PrbgenError: no more calls can be posted at all.
        """
        if self._accounts.fault:
            raise self._accounts.fault
        self._accounts.refuse_failed(key)
        server = self._servers.of(call.model)
        if submission := self._record.submission_of(key):
            self._servers.note(submission, server)
        elif key not in server.spool:
            self._post(server, call, key)
        raise PostponedError

    def _post(self, server: Server, call: Call, key: str) -> None:
        request = server.provider.request(call, key)
        bound = at_most(call, batch=True)
        if self._accounts.take(bound):
            label = call.model.label
            sent = Sent(key, call.stage, call.item, label, call.corrective, "", bound.tokens, bound.usd)
            server.spool.add(sent, request)

    async def exchange(self) -> None:
        """Submit what was posted, then wait until a batch has ended and its results are on record.

        Returns at once where nothing is on its way.

        Raises:
            InterruptError: the stop was set; what is with the providers goes on there.
            ModelError: a model, or a whole batch, is refused.
            PrbgenError: the budget is used up, or the ledger cannot be written.
        """
        try:
            await self._exchange()
        except PrbgenError as error:
            self._accounts.fault = self._accounts.fault or error
        if self._accounts.fault:
            raise self._accounts.fault

    async def _exchange(self) -> None:
        short, self._accounts.short = self._accounts.short, None
        self._watch.heed_stop()
        unconfirmed = [(each, server) for each, server in self._within_reach() if each.batch is None]
        if not all([await self._submitting.confirm(*each) for each in unconfirmed]):
            return
        await self._submit()
        if short and not self._within_reach():
            raise short
        pauses = self._watch.pauses()
        while (within_reach := self._within_reach()) and not await self._look(within_reach):
            await pauses.next()

    def _within_reach(self) -> list[tuple[Submission, Server]]:
        found = ((each, self._servers.that_has(each)) for each in self._record.open())
        return [(each, server) for each, server in found if server]

    def _has_others(self, server: Server) -> bool:
        return any(other is server for _, other in self._within_reach())

    async def _submit(self) -> None:
        for server in self._servers:
            if server.full and self._has_others(server):
                continue
            for part in server.spool.take():
                self._watch.heed_stop()
                submission = await self._submitting.submit(part, server)
                self._servers.note(submission.name, server)
                self._traffic.sent += part.count
                part.delete()

    async def _look(self, within_reach: list[tuple[Submission, Server]]) -> bool:
        """Look at every batch, and collect those that have ended; whether there was one."""
        ended: list[Server] = []
        refused: list[tuple[Server, int, CallError]] = []
        lines = []
        for submission, server in within_reach:
            state: State | None = None
            trouble: CallError | None = None
            try:
                state = await server.provider.state(submission.batch or "")
                server.answered = True
                if state.refused:
                    refused.append((server, await self._take_back(submission, state.refused), state.refused))
                    continue
                if state.ended:
                    await self._collect(submission, server, state)
                    ended.append(server)
                    continue
            except CallError as error:
                if error.kind not in RETRYABLE:
                    raise unusable(submission, server, error) from None
                trouble = error
            lines.append(self._watch.line(submission, server, state, trouble))
        self._watch.show(lines)
        for server, calls, refusal in refused:
            self._make_smaller(server, calls, refusal, at_work=server in ended)
        return bool(ended or refused)

    async def _collect(self, submission: Submission, server: Server, state: State) -> None:
        if not await collect(self._record, submission, server, state, self._accounts.settle):
            await self._submitting.disown(submission)
        server.full = False

    async def _take_back(self, submission: Submission, refused: CallError) -> int:
        """Close a batch of which the provider took no call; returns how many they are."""
        result = Result(refused.kind, None, cleaned_line(refused))
        settled = await self._record.close(submission.name, "refused", result)
        self._accounts.give_back(settled)
        return len(settled)

    def _make_smaller(self, server: Server, calls: int, refused: CallError, *, at_work: bool) -> None:
        """See to it that a server is asked for less at once, if that is why it refused so many calls."""
        server.full = self._has_others(server)
        if refused.kind == "rate_limit" and (at_work or server.full):
            return  # there is room when another batch has ended
        if refused.kind != "rate_limit" or calls == 1:
            what = cleaned_line(refused)
            raise ModelError(f"{server.model.label}: {server.provider.name} refused the whole batch: {what}")
        server.spool.most = replace(server.spool.most, requests=min(server.spool.most.requests, calls // 2))
