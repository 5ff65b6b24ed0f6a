"""Replies from another ledger, and from nowhere else: the same pairs without a call, on a machine without keys."""

from __future__ import annotations

from pathlib import Path

from prbgen.llm.ledger import Ledger
from prbgen.llm.model import Call, Finish
from prbgen.llm.route import UnansweredError
from prbgen.llm.traffic import Traffic


class Replayed:
    """Looks calls up in a ledger: a run's, or one that `prbgen ledger export` wrote. Sends and records nothing."""

    waits = True

    def __init__(self, path: Path, traffic: Traffic | None = None) -> None:
        """Open the ledger to read it; `traffic` counts the replies that it gives.

        Raises:
            PrbgenError: it is missing, damaged, no ledger, or comes from a newer prbgen.
        """
        self._ledger = Ledger(path, read_only=True)
        self._traffic = traffic or Traffic()

    async def send(self, call: Call, key: str) -> tuple[str, Finish]:
        """The reply on record.

        Raises:
            UnansweredError: there is none; names the request.
        """
        reply = self._ledger.reply(key)
        if reply is None:
            what = f"{call.stage} of {call.item} by {call.model.label}, request {key}"
            if call.corrective:
                what = f"correction of {what}"
            raise UnansweredError(f"not in {self._ledger.path.name}: {what}", attempts=0)
        self._traffic.recorded += 1
        return reply

    async def exchange(self) -> None:
        """Nothing is postponed."""

    async def close(self) -> None:
        """Close the ledger."""
        self._ledger.close()
