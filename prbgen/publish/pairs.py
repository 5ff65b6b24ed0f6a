"""Reading a run's pairs back, one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from prbgen.errors import InputError
from prbgen.schema import Pair


def read_pairs(path: Path) -> Iterator[tuple[Pair, int]]:
    """The pairs of a pairs.jsonl in order, each with the bytes that its line takes; never more than one is held.

    Raises:
        InputError: the file cannot be read, a line is no pair, or a pair_id comes twice; names file and line.
    """
    seen: dict[str, int] = {}
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                pair = _pair(line, f"{path}, line {number}")
                first = seen.setdefault(pair.pair_id, number)
                if first != number:
                    raise InputError(
                        f"{path}, line {number}: pair_id {pair.pair_id} is already on line {first};"
                        " remove one of them, everything is joined by pair_id"
                    )
                yield pair, len(line)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}; `prbgen generate` writes it") from None


def _pair(line: bytes, where: str) -> Pair:
    try:
        return Pair.model_validate_json(line)
    except ValidationError as error:
        fault = error.errors(include_input=False, include_url=False)[0]
        field = ".".join(str(part) for part in fault["loc"])
        what = f"{field}: {fault['msg']}" if field else fault["msg"]
        raise InputError(f"{where}: not a pair: {what}; `prbgen generate` writes the file anew") from None
