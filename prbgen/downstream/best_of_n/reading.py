"""Candidates, scores and judgements side by side: read line by line, kept as numbers only."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from prbgen.downstream.best_of_n.best_of_k import Floats
from prbgen.downstream.candidates import CandidateRow, JudgementRow, ScoreRow
from prbgen.downstream.facts import Judging, Sampling, ScoringFacts
from prbgen.downstream.folders import Answers, JudgedBy, Scored
from prbgen.errors import InputError
from prbgen.run import read_record, read_records

# Questions whose numbers are taken together.
_BLOCK = 1024


@dataclass(frozen=True)
class Judged:
    """All candidates of all questions, as their judge sees them.

    `keys` and `user_keys` (questions,) are as in candidates.jsonl, `user` (questions,) says who asked as a number from
    0 to `users` - 1, `sizes` (questions,) how many candidates there are; `qualities` (questions, most candidates) are
    0 to 1, and NaN where there is none.
    """

    keys: tuple[str, ...]
    user_keys: tuple[str, ...]
    user: NDArray[np.int64]
    users: int
    sizes: NDArray[np.int64]
    qualities: Floats


def read_judging(judged: JudgedBy, sampling: Sampling) -> Judging:
    """Who judged these answers.

    Raises:
        InputError: nobody did, or they judged others.
    """
    about = read_record(judged.about, Judging, "prbgen bon judge")
    if about.answers != sampling.answers:
        raise InputError(f"{judged.folder}: judged other answers than there are now; run `prbgen bon judge` again")
    return about


def read_scoring(scored: Scored) -> ScoringFacts:
    """Which reward model scored answers, and which ones.

    Raises:
        InputError: none did.
    """
    return read_record(scored.about, ScoringFacts, "prbgen bon score")


def read_judged(answers: Answers, judged: JudgedBy) -> Judged:
    """What the judge says of all candidates.

    Raises:
        InputError: a file is missing or damaged, or the two are not about the same.
    """
    keys, user_keys, sizes, numbers = [], [], array("q"), array("d")
    rows = read_records(judged.judgements, JudgementRow)
    for line, candidates in enumerate(read_records(answers.candidates, CandidateRow), 1):
        row = next(rows, None)
        sizes.append(len(candidates.candidates))
        known = [each.quality for each in row.judgements] if row else []
        _check(judged.judgements, line, (candidates.key, sizes[-1]), (row.key, len(known)) if row else None, "judge")
        keys.append(candidates.key)
        user_keys.append(candidates.user_key)
        numbers.extend(_numbers(judged.judgements, line, known))
    _check(judged.judgements, len(keys) + 1, None, _next_key(rows), "judge")
    if not keys:
        raise InputError(f"{answers.candidates}: no question in it; run `prbgen bon sample` again")
    names, user = np.unique(np.array(user_keys, dtype=object), return_inverse=True)
    of = np.array(sizes, dtype=np.int64)
    return Judged(tuple(keys), tuple(user_keys), user.astype(np.int64), len(names), of, _table(numbers, of))


def read_scores(scored: Scored, judged: Judged) -> Iterator[tuple[slice, Floats]]:
    """What a reward model says of the candidates, some questions at a time: which they are, and (questions, most
    candidates of any question) scores, NaN where there is none.

    Raises:
        InputError: the file is missing or damaged, or about other candidates.
    """
    rows, width = read_records(scored.scores, ScoreRow), judged.qualities.shape[1]
    for start in range(0, len(judged.keys), _BLOCK):
        stop, numbers = min(start + _BLOCK, len(judged.keys)), array("d")
        for place in range(start, stop):
            row = next(rows, None)
            asked = judged.keys[place], int(judged.sizes[place])
            _check(scored.scores, place + 1, asked, (row.key, len(row.scores)) if row else None, "score")
            numbers.extend(_numbers(scored.scores, place + 1, row.scores if row else ()))
        yield slice(start, stop), _table(numbers, judged.sizes[start:stop], width)
    _check(scored.scores, len(judged.keys) + 1, None, _next_key(rows), "score")


def _next_key(rows: Iterator[JudgementRow] | Iterator[ScoreRow]) -> tuple[str, int] | None:
    row = next(rows, None)
    return (row.key, 0) if row else None


def _check(path: Path, line: int, asked: tuple[str, int] | None, said: tuple[str, int] | None, action: str) -> None:
    if asked != said:
        raise InputError(
            f"{path}: does not go with candidates.jsonl from line {line} on; run `prbgen bon {action}` again"
        )


def _numbers(path: Path, line: int, values: Sequence[float | None]) -> Iterator[float]:
    for value in values:
        if value is not None and not isfinite(value):
            raise InputError(f"{path}: line {line}: {value} is no score; where there is none it has to be null")
        yield np.nan if value is None else value


def _table(numbers: array[float], sizes: NDArray[np.int64], width: int | None = None) -> Floats:
    """(rows, width) Numbers row by row, of which the rows have so many; NaN where there are no more."""
    width = int(sizes.max(initial=0)) if width is None else width
    table = np.full((len(sizes), width), np.nan)
    table[np.arange(width) < sizes[:, None]] = np.array(numbers, dtype=np.float64)
    return table
