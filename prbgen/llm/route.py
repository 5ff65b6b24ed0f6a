"""What becomes of a call that has no reply on record: it is sent, goes into a batch, is refused, or is only counted."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

from prbgen.llm.model import Call, FaultKind, Finish

# How a reply came to its end; "assumed": it never began, as nothing is sent for an estimate.
Ending: TypeAlias = Finish | Literal["assumed"]


class UnansweredError(Exception):
    """A call that brought no usable reply: its item is rejected with `reason`, and the run goes on.

    `unusable` says how the reply on record is, which a rerun will find again; null: there is none, and a rerun asks
    again. `fault` is then why none came, where one went out.
    """

    def __init__(
        self,
        reason: str,
        attempts: int,
        *,
        unusable: Literal["truncated", "filtered", "malformed"] | None = None,
        fault: FaultKind | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.attempts = attempts
        self.unusable = unusable
        self.fault = fault


class PostponedError(Exception):
    """A call whose reply comes later, with a batch: its item is taken up again when it is there."""


class Route(Protocol):
    """A way to get replies. `waits`: a reply comes within seconds, so one call may wait for another one's."""

    waits: bool

    async def send(self, call: Call, key: str) -> tuple[str, Ending]:
        """Get the reply to a call, and put it on record.

        Raises:
            UnansweredError: none came.
            PostponedError: none can come now.
            PrbgenError: no more calls can be sent at all.
        """
        ...

    async def exchange(self) -> None:
        """Bring in postponed replies, or some of them; a route that postpones none does nothing."""
        ...

    async def close(self) -> None:
        """Give back what is held."""
        ...
