"""From posted calls to batches at a provider: on record before they are sent, and looked for where that is in doubt."""

from __future__ import annotations

from prbgen.llm.batch.accounts import Accounts
from prbgen.llm.batch.record import BatchRecord, Submission
from prbgen.llm.batch.servers import Server
from prbgen.llm.batch.spool import Part
from prbgen.llm.batch.watch import Watch
from prbgen.llm.cleaning import cleaned_line
from prbgen.llm.ledger import Result
from prbgen.llm.model import RETRYABLE, CallError


class Submitting:
    """Submits what is posted. A provider is never sent the same submission again before it was looked for there."""

    def __init__(self, record: BatchRecord, accounts: Accounts, watch: Watch) -> None:
        self._record = record
        self._accounts = accounts
        self._watch = watch
        # Batches that were taken for ours and are not.
        self._others: set[str] = set()

    async def submit(self, part: Part, server: Server) -> Submission:
        """Make a batch of a part; waits as long as the provider cannot be reached.

        Raises:
            ModelError: the provider refuses it.
            InterruptError: the stop was set.
        """
        submission = await self._record.begin(part, server.provider.name, server.model.label)
        pauses = self._watch.pauses()
        while True:
            try:
                batch = await server.provider.submit(part.submission, part.requests)
            except CallError as error:
                await self._close_if_refused(submission, error)
                self._watch.outlast(submission, server, error)
                await pauses.next(error.retry_after)
                # Nobody knows whether it arrived.
                if await self._find(submission, server):
                    return submission
            else:
                server.answered = True
                await self._record.arrived(submission.name, batch)
                return submission

    async def confirm(self, submission: Submission, server: Server) -> bool:
        """Whether a submission arrived before its process ended. If not, its calls are free to be posted again.

        Raises:
            ModelError: the provider cannot be asked.
            InterruptError: the stop was set.
        """
        if await self._find(submission, server):
            return True
        lost = Result("lost", None, "its batch never came to the provider: the process ended before that")
        self._accounts.give_back(await self._record.close(submission.name, "lost", lost, taken=False))
        return False

    async def disown(self, submission: Submission) -> None:
        """Let go of a batch that turned out to be another's."""
        self._others.add(submission.batch or "")
        await self._record.arrived(submission.name, None)

    async def _close_if_refused(self, submission: Submission, error: CallError) -> None:
        if error.kind not in RETRYABLE:
            refused = Result(error.kind, None, cleaned_line(error))
            self._accounts.give_back(await self._record.close(submission.name, "refused", refused))

    async def _find(self, submission: Submission, server: Server) -> bool:
        """Whether the provider has a batch of this submission; its name is on record then."""
        calls = self._record.waiting(submission.name)
        pauses = self._watch.pauses()
        while True:
            try:
                found = await server.provider.find(submission.name, submission.submitted, calls)
            except CallError as error:
                self._watch.outlast(submission, server, error)
                await pauses.next(error.retry_after)
            else:
                server.answered = True
                taken = self._record.known() | self._others
                batch = next((each for each in found if each not in taken), None)
                if batch:
                    await self._record.arrived(submission.name, batch)
                return batch is not None
