"""Scores from elsewhere: a JSON file {"KIND:MODEL": score, ...}."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from prbgen.downstream.correlate.side import Side
from prbgen.errors import InputError
from prbgen.sizes import read_whole
from prbgen.text import one_line

_FEWEST = 2
# Beyond this, differences are no numbers any more.
_MOST = 1e100


def read_scores(path: Path) -> Side:
    """The scores in a file.

    Raises:
        InputError: it is no such file; a model is named twice, or has no finite number; there are fewer than two.
    """
    try:
        found = json.loads(read_whole(path).decode("utf-8-sig"), object_pairs_hook=_Object)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not a UTF-8 text file") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON ({one_line(str(error), 100)})") from None
    if not isinstance(found, _Object):
        raise InputError(f'{path}: should be one object, {{"KIND:MODEL": score, ...}}')
    scores: dict[str, float] = {}
    for name, value in found.pairs:
        shown = one_line(name, 80)
        if not name.strip() or not name.isprintable():
            raise InputError(f"{path}: {shown!r} is no name of a model: it should be KIND:MODEL")
        if name in scores:
            raise InputError(f"{path}: {shown} is named twice; leave one of its scores out")
        scores[name] = _score(path, shown, value)
    if len(scores) < _FEWEST:
        raise InputError(f"{path}: {len(scores) or 'no'} model{'' if scores else 's'}; a ranking takes two or more")
    return Side.of_scores(one_line(str(path), 80), scores, str(path))


class _Object:
    """A JSON object as it stands in the file, a key that is repeated included."""

    def __init__(self, pairs: Sequence[tuple[str, Any]]) -> None:
        self.pairs = pairs


def _score(path: Path, name: str, value: Any) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = float("inf")
        if isfinite(number) and abs(number) <= _MOST:
            return number
    shown = "an object" if isinstance(value, _Object) else one_line(json.dumps(value, default=str), 40)
    raise InputError(f"{path}: the score of {name} is {shown}, not a finite number; mend it, or leave the model out")
