"""A call's place behind the gate, and the values that callers deal in."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Protocol

from prbgen.llm.admission.bucket import Spending
from prbgen.llm.admission.hints import Hints
from prbgen.llm.model import FaultKind


@dataclass(frozen=True, slots=True)
class Limits:
    """What the user allows: calls at once, requests and tokens a minute (0: as many as the server takes)."""

    concurrency: int
    rpm: int = 0
    tpm: int = 0


@dataclass(frozen=True, slots=True)
class Pause:
    """Why no call goes out at present (the kind of the last fault), and for how long still."""

    reason: str
    seconds_left: float


class Stopped(Exception):  # noqa: N818 - nothing went wrong
    """The stop was set: no further call goes out."""


class Keeper(Protocol):
    """What a slot needs of its gate."""

    async def _enter(self, slot: Slot, *, again: bool) -> None: ...

    def _leave(self, slot: Slot) -> None: ...

    def _succeeded(self, slot: Slot, tokens: float | None, hints: Hints | None) -> None: ...

    def _failed(self, slot: Slot, kind: FaultKind, retry_after: float | None) -> None: ...


class Slot:
    """A call's place: wait for it by `async with`, then say how the call went; only the first word counts."""

    __slots__ = ("_again", "_gate", "judged", "key", "level", "number", "octave", "spent", "tokens")

    def __init__(self, gate: Keeper, key: str, tokens: float, again: bool) -> None:
        self._gate = gate
        self._again = again
        self.judged = False
        self.key = key
        self.tokens = tokens
        self.spent: Spending | None = None
        self.number = 0
        self.level = 0
        self.octave: int | None = None

    async def __aenter__(self) -> Slot:
        """Wait for this call's turn.

        Raises:
            Stopped: the gate's stop is set.
        """
        await self._gate._enter(self, again=self._again)
        return self

    async def __aexit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self._gate._leave(self)

    def succeeded(self, *, tokens: float | None = None, hints: Hints | None = None) -> None:
        """A reply came. `tokens` is what it really used (null: unknown, the estimate stands)."""
        if not self.judged:
            self.judged = True
            self._gate._succeeded(self, tokens, hints)

    def failed(self, kind: FaultKind, *, retry_after: float | None = None) -> None:
        """No reply came. `retry_after`: seconds that the server asked for."""
        if not self.judged:
            self.judged = True
            self._gate._failed(self, kind, retry_after)
