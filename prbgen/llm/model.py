"""What is asked of a model and what comes back: the values that requests, transports and the ledger share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from prbgen.errors import Sendable
from prbgen.model_settings import ModelSettings

DigitLogprobs: TypeAlias = tuple[tuple[str, float], ...]
Finish = Literal["stop", "length", "filtered"]
FaultKind = Literal[
    "connection", "timeout", "server", "overload", "rate_limit", "no_completion", "worker",  # worth another try
    "bad_request", "too_long",  # this request will never work
    "auth", "unknown_model", "quota",  # no request to this model will work
]  # fmt: skip
RETRYABLE: frozenset[FaultKind] = frozenset(
    {"connection", "timeout", "server", "overload", "rate_limit", "no_completion", "worker"}
)
FATAL: frozenset[FaultKind] = frozenset({"auth", "unknown_model", "quota"})
# Nobody knows whether the provider wrote, and billed, a reply that did not arrive.
MAYBE_BILLED: frozenset[FaultKind] = frozenset({"connection", "timeout", "no_completion", "worker"})
# The process that made the call is gone, which says nothing of the model.
NO_VERDICT: frozenset[FaultKind] = frozenset({"worker"})

_BY_STATUS: dict[int, FaultKind] = {
    401: "auth",
    402: "quota",
    403: "auth",
    404: "unknown_model",
    408: "timeout",
    409: "server",  # another request was in the way
    429: "rate_limit",
    503: "overload",
    529: "overload",
}


def kind_by_status(status: int) -> FaultKind:
    """The kind of fault that an HTTP status alone stands for."""
    return _BY_STATUS.get(status, "bad_request" if 400 <= status < 500 else "server")


@dataclass(frozen=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Call:
    """One call as a transport sends it.

    `stage` says what it is for ("rubric", "answer", ...) and `item` for which question; `timeout` is in seconds and
    starts when the request is sent; `schema` is the JSON schema that the reply must follow (null: free text);
    `corrective` calls show the model what was wrong with its reply, where that is `correctable`; the first `shared`
    characters of the last message (and all messages before it) come again in another call, so that a provider's prompt
    cache is worth filling. `sample` tells repeated asks apart; this is `attempt` number so and so of at most `attempts`
    that the stage makes; `assumed` is a reply as it may come, for an estimate
    and for how many entries a small model on this machine has to write. A call for `n` replies, more than one,
    stands for the samples `sample`, `sample` + 1 and so on.
    """

    model: ModelSettings
    messages: tuple[Message, ...]
    stage: str
    timeout: float = 120
    schema: dict[str, Any] | None = None
    sample: int = 0
    item: str = ""
    corrective: bool = False
    correctable: bool = True
    shared: int = 0
    attempt: int = 1
    attempts: int = 1
    assumed: str = ""
    n: int = 1


@dataclass(frozen=True)
class Choice:
    """One of several replies to one call, and how it ended."""

    text: str
    finish: Finish


@dataclass(frozen=True)
class Completion:
    """What a model answered. `usage` is the provider's own record; `cost_usd` is null where the price is unknown;
    `headers` are those of the response. `digit_logprobs`, where log probabilities were asked for and came: for each
    token of digits alone, in the order of the reply, it and the other such tokens that might have stood there, with
    their log probabilities; the token itself comes first.

    To a call for n replies, `choices` has n entries, null at the end where fewer came; what is kept of them as one text
    is in prbgen/llm/choices.py.
    """

    text: str
    finish: Finish
    usage: dict[str, Any] = field(default_factory=dict)
    cost_usd: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    digit_logprobs: tuple[DigitLogprobs, ...] = ()
    choices: tuple[Choice | None, ...] = ()


class CallError(Sendable):
    """A call that brought no reply. `retry_after`: seconds that the server asked us to wait, if it did.

    Its message is the provider's own and may echo a key: only a route, which cleans it, may show or store it.
    """

    def __init__(self, kind: FaultKind, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after = retry_after


class Transport(Protocol):
    """A way to reach a model."""

    async def complete(self, call: Call) -> Completion:
        """Send one call and return its reply.

        Raises:
            CallError: no reply came.
            PrbgenError: this model cannot be used at all here (not installed, file missing, ...).
        """
        ...

    async def close(self) -> None:
        """Give back what is held (connections, a server)."""
        ...
