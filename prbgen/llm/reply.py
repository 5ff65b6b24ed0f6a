"""From a model's text to a typed reply: thoughts, code fences and talk around the JSON are dealt with here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationError

from prbgen.text import one_line, storable

T = TypeVar("T", bound=BaseModel)

# Where a JSON object or array may begin: most brackets of prose and code are sorted out by what follows them.
_OPENING = re.compile(r'\{(?=\s*["}])|\[(?=\s*[\]\[{"\-\dtfn])')
# Characters that may be read in vain in one reply: each try goes over much of the text again.
_MOST_EFFORT = 50_000_000


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    return text.strip()


def _whole_number(value: object) -> object:
    """Many models put figures into quotation marks; true is none, though Python takes it for 1."""
    if isinstance(value, bool):
        raise ValueError("is true or false, should be a number")
    return int(value) if isinstance(value, str) and value.strip() in _DIGITS else value


# Checked here and not by the schema: OpenAI's strict mode refuses minLength.
Phrase = Annotated[str, AfterValidator(_not_blank)]
_DIGITS = frozenset("0123456789")
# Put before the type of a figure in a judge's reply.
FIGURE = BeforeValidator(_whole_number)


class ReplyType(BaseModel):
    """A reply with a shape. Descriptions of fields belong into the prompt, not here."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True)
class Problem:
    """What is wrong with a reply. prompts/correct.j2 has the words for each `kind`, with the `facts` to fill in."""

    kind: str
    facts: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        facts = ", ".join(f"{name}: {value}" for name, value in self.facts.items())
        return one_line(f"{self.kind} ({facts})" if facts else self.kind)


def without_thoughts(text: str) -> str:
    """The reply without its <think> blocks and surrounding white space.

    Some servers cut the opening tag off with the prompt, and some models never close it.
    """
    *closed, last = text.split("</think>")
    kept = [part.partition("<think>")[0] if "<think>" in part else "" for part in closed]
    return "".join([*kept, last.partition("<think>")[0]]).strip()


def parse(text: str, reply_type: type[T]) -> T | Problem:
    """The last JSON value in the text that validates as `reply_type`, or what is wrong with the likeliest one.

    The last, because models repeat the form that they were shown, or a draft, before they reply.
    """
    reply: T | Problem = Problem("no_json")
    longest = -1
    for length, value in _json_values(without_thoughts(text)):
        try:
            reply = reply_type.model_validate(value)
        except ValidationError as error:
            if isinstance(reply, Problem) and length > longest:
                longest, reply = length, Problem("schema", {"errors": _faults(error)})
    return reply


def parse_whole(text: str, reply_type: type[T]) -> T | Problem:
    """The text, but for its thoughts, as the one JSON value that it has to be: nothing is picked out or converted."""
    try:
        return reply_type.model_validate(json.loads(without_thoughts(text)), strict=True)
    except ValidationError as error:
        return Problem("schema", {"errors": _faults(error)})
    except (ValueError, RecursionError):
        return Problem("no_json")


def _json_values(text: str) -> Iterator[tuple[int, Any]]:
    """Each JSON object or array in the text, with its length; what stands inside another one is not looked at."""
    decoder = json.JSONDecoder(strict=False)  # models put bare line breaks into strings
    position = effort = 0
    while effort < _MOST_EFFORT and (opening := _OPENING.search(text, position)):
        start = opening.start()
        try:
            value, position = decoder.raw_decode(text, start)
            yield position - start, _storable(value)
        except (ValueError, RecursionError) as error:
            position = start + 1
            effort += getattr(error, "pos", len(text))


def _storable(value: Any) -> Any:
    """JSON may hold escaped what no file or provider takes."""
    if isinstance(value, dict):
        return {storable(name): _storable(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_storable(each) for each in value]
    return storable(value) if isinstance(value, str) else value


def _faults(error: ValidationError) -> str:
    faults = [f"{'.'.join(map(str, fault['loc'])) or 'reply'}: {fault['msg']}" for fault in error.errors()[:5]]
    return one_line("; ".join(faults), 600)
