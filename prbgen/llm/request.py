"""A question to a model and its typed reply: what a call is made of, and how its text is read."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Generic, Literal, TypeVar, cast

from prbgen.llm.model import Call, Message
from prbgen.llm.reply import Problem, ReplyType, parse, parse_whole, without_thoughts
from prbgen.model_settings import ModelSettings

T = TypeVar("T", bound=ReplyType | str)


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

    @property
    def call(self) -> Call:
        """The call that asks for its (first) reply."""
        return Call(
            model=self.model,
            messages=self.messages,
            stage=self.stage,
            schema=_schema(cast("Hashable", self.reply_type)),
            sample=self.sample,
            item=self.item,
            shared=self.shared,
            attempt=self.attempt,
            attempts=self.attempts,
            correctable=self.on_problem == "correct",
            assumed=_as_text(self.assumed),
        )


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


@cache
def _schema(reply_type: Hashable) -> dict[str, Any] | None:
    return None if reply_type is str else cast("type[ReplyType]", reply_type).model_json_schema()


def _as_text(reply: ReplyType | str) -> str:
    return reply if isinstance(reply, str) else reply.model_dump_json()


def read(request: Request[T], text: str) -> tuple[T | None, Problem | None]:
    """The reply in its wanted shape (null if it has another), and what is wrong with it."""
    if request.reply_type is str:
        value: str | ReplyType | Problem = without_thoughts(text) or Problem("empty")
    else:
        read = parse_whole if request.on_problem == "refuse" else parse
        value = read(text, cast("type[ReplyType]", request.reply_type))
    if isinstance(value, Problem):
        return None, value
    return cast("T", value), request.check(cast("T", value))
