"""A model that answers by a script: `scripted/FILE` gives exact replies, delays and faults, so that whole flows are
tested without a network.

FILE is JSON lines, each one a rule; the first rule that fits a call answers it:

    {"stage": "answer", "match": "tea|coffee", "reply": "Tea, {digest}.", "delay": 0.2}
    {"stage": "rubric", "reply": {"aspects": []}}
    {"fault": {"kind": "rate_limit", "message": "slow down", "retry_after": 1}, "times": 2}

In a reply, "{digest}" becomes 8 hex digits that depend on messages and sample alone, "{stage}" and "{sample}" those of
the call. A call for several replies gets that reply for each of its samples, as if they were asked for one by one, but
no more than `choices` of the rule: 1 is a server that ignores n. The first line may be {"record": "calls.jsonl"}: each
call that arrives is added to that file, which lies beside FILE.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, field_validator, model_validator

from prbgen.errors import InputError
from prbgen.llm.choices import padded
from prbgen.llm.model import Call, CallError, Choice, Completion, FaultKind, Finish
from prbgen.settings_file import said


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


T = TypeVar("T", bound=_Line)


class Record(_Line):
    """The first line, if there is one of this kind: the file to which calls are added."""

    record: str = Field(min_length=1)


class Fault(_Line):
    """What a call runs into instead of a reply; `retry_after` is in seconds."""

    kind: FaultKind
    message: str = "a scripted fault"
    retry_after: float | None = None


class Rule(_Line):
    """One rule: which calls it answers (`stage`, `match`, at most `times`), after how long (`delay`, seconds), and how.

    `match` is a regular expression that is searched in the text of all messages; `reply` is a text or any JSON value;
    `usage` counts words unless given; a call gets so many `choices` at most.
    """

    stage: str | None = None
    match: str | None = None
    reply: JsonValue = None
    finish: Finish = "stop"
    usage: dict[str, JsonValue] | None = None
    cost_usd: float | None = None
    delay: float = Field(default=0, ge=0)
    fault: Fault | None = None
    times: int | None = Field(default=None, ge=1)
    choices: int | None = Field(default=None, ge=1)

    @field_validator("match")
    @classmethod
    def _a_regular_expression(cls, value: str | None) -> str | None:
        try:
            re.compile(value or "")
        except re.error as error:
            raise ValueError(f"no regular expression: {error}") from None
        return value

    @model_validator(mode="after")
    def _one_outcome(self) -> Self:
        if ("reply" in self.model_fields_set) == (self.fault is not None):
            raise ValueError('a rule has either "reply" or "fault"')
        return self

    def fits(self, call: Call) -> bool:
        """Whether this rule is about such a call (however often it has answered)."""
        return self.stage in (None, call.stage) and (self.match is None or bool(re.search(self.match, _text(call))))


class ScriptedTransport:
    """Answers calls by the rules of a file.

    Raises:
        InputError: the file cannot be read, or a line of it is no rule; names file and line.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._record, self._rules = _read(path)
        self._answered: Counter[int] = Counter()

    async def complete(self, call: Call) -> Completion:
        """Answer by the first rule that fits and is not used up.

        Raises:
            CallError: the rule says so, or its delay is longer than the call's time-out.
            InputError: no rule fits.
        """
        if self._record:
            line = {"stage": call.stage, "digest": digest(call), "sample": call.sample, "text": _text(call)}
            line |= {"n": call.n} if call.n > 1 else {}
            with self._record.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        rule = self._rule(call)
        await asyncio.sleep(min(rule.delay, call.timeout))
        if rule.delay > call.timeout:
            raise CallError("timeout", f"no reply within {call.timeout:g} s")
        if rule.fault:
            raise CallError(rule.fault.kind, rule.fault.message, rule.fault.retry_after)
        texts = [
            _filled(rule.reply, replace(call, sample=call.sample + each))
            for each in range(min(call.n, rule.choices or call.n))
        ]
        usage = dict(_word_counts(call, " ".join(texts)) if rule.usage is None else rule.usage)
        if call.n == 1:
            return Completion(texts[0], rule.finish, usage, rule.cost_usd)
        choices = padded((Choice(text, rule.finish) for text in texts), call.n)
        return Completion("", "stop", usage, rule.cost_usd, choices=choices)

    async def close(self) -> None:
        """Nothing is held."""

    def _rule(self, call: Call) -> Rule:
        for number, rule in enumerate(self._rules):
            if rule.fits(call) and (rule.times is None or self._answered[number] < rule.times):
                self._answered[number] += 1
                return rule
        last = " ".join(call.messages[-1].content.split())[:80] if call.messages else ""
        raise InputError(f'{self._path}: no rule is left for a call of stage "{call.stage}"; last message: "{last}"')


def digest(call: Call) -> str:
    """8 hex digits that stand for the messages and the sample number of a call."""
    content = [[[message.role, message.content] for message in call.messages], call.sample]
    return blake2b(json.dumps(content).encode(), digest_size=4).hexdigest()


def _text(call: Call) -> str:
    return "\n".join(message.content for message in call.messages)


def _filled(reply: JsonValue, call: Call) -> str:
    text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
    for name, value in (("digest", digest(call)), ("stage", call.stage), ("sample", call.sample)):
        text = text.replace(f"{{{name}}}", str(value))
    return text


def _word_counts(call: Call, reply: str) -> dict[str, Any]:
    prompt, completion = len(_text(call).split()), len(reply.split())
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _read(path: Path) -> tuple[Path | None, tuple[Rule, ...]]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: no UTF-8 text") from None
    record = None
    rules = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        value = _value(line, f"{path}:{number}")
        if number == 1 and isinstance(value, dict) and "record" in value:
            record = path.parent / _checked(Record, value, f"{path}:{number}").record
        else:
            rules.append(_checked(Rule, value, f"{path}:{number}"))
    return record, tuple(rules)


def _value(line: str, where: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"{where}: no JSON: {error}") from None


def _checked(kind: type[T], value: Any, where: str) -> T:
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        fault = error.errors()[0]
        key = ".".join(str(part) for part in fault["loc"])
        what = "unknown key" if fault["type"] == "extra_forbidden" else said(fault)
        raise InputError(f"{where}: {key}: {what}" if key else f"{where}: {what}") from None
