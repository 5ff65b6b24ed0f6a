"""How a model is run: the fastest path to the scores that it gives row by row, found by trying at the start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from prbgen.errors import InputError
from prbgen.evaluation.scorers.scalar.encoding import Encoder
from prbgen.evaluation.scorers.scalar.passes import Passes
from prbgen.evaluation.scorers.scalar.plan import Row, common_prefix
from prbgen.llm.cleaning import cleaned_line

Work: TypeAlias = Callable[[Sequence[Row]], list[float]]

# How far scores may lie apart at most, as a share of the score where that is above 1: what rounding makes of them.
TOLERANCES = {"float32": 1e-3, "float16": 0.02, "bfloat16": 0.1}
_MESSAGE = "Some days I would rather walk than read, others the other way round. Which of the two should I do first?"
_ANSWERS = ("Read.", "Walk, then read: it is light now, and it will not be later.", "Both, if you can. " * 4)


@dataclass(frozen=True)
class ComputePath:
    """`plain` scores a batch of at most `rows` (null: any number); `shares`: answers may branch from a common prefix.

    `remark` says why they may not though they were meant to.
    """

    plain: Work
    rows: int | None = None
    shares: bool = False
    remark: str | None = None

    @property
    def label(self) -> str:
        """Its name among what scores rest on."""
        return "shared" if self.shares else "alone" if self.rows == 1 else "batched"


def probe(encoder: Encoder, limit: int) -> list[Row]:
    """Answers of several lengths to one message, to try a model with."""
    return [row[:limit] for row in encoder(_MESSAGE, _ANSWERS)]


def beyond(rows: Sequence[Row], window: int, limit: int, pad: int | None) -> list[list[Row]]:
    """The shortest and the longest of these rows made longer than a window: in what they have in common, then each in
    what is its own. None where `limit` keeps every row within the window.
    """
    if limit <= window:
        return []
    common = common_prefix(rows, pad)
    ends = [min(rows, key=len), max(rows, key=len)]

    def grown(row: Row, begin: int, end: int) -> Row:
        times = -(-window // max(1, end - begin))
        return (row[:begin] + row[begin:end] * (times + 1) + row[end:])[:limit]

    in_common = [grown(row, 0, common) for row in ends]
    # The second half of what is a row's own may be its template's, and end it.
    apart = [grown(row, common, common + max(1, (len(row) - common) // 2)) for row in ends]
    return [in_common, apart]


def choose_path(passes: Passes, rows: Sequence[Row], *, limit: int, share: bool, dtype: str, name: str) -> ComputePath:
    """Try what is faster than row by row on these rows; `share`: answers are meant to branch from a common prefix.

    Where layers see a window alone, and rows of up to `limit` tokens may be longer, branching is tried across its edge,
    too: there a cache works in another way.

    Raises:
        InputError: the model cannot score them at all.
    """
    try:
        expected = passes.alone(rows)
    except Exception as error:  # whatever a broken model raises
        raise InputError(f"{name}: cannot score an answer ({cleaned_line(error) or type(error).__name__})") from None

    def meets(work: Work, rows: Sequence[Row] = rows, known: Sequence[float] | None = expected) -> bool:
        try:
            found, wanted = work(rows), known or passes.alone(rows)
        except Exception:  # it is not made for that
            return False
        allowed = TOLERANCES.get(dtype, TOLERANCES["float32"])
        return all(abs(one - other) <= allowed * max(1, abs(other)) for one, other in zip(found, wanted, strict=True))

    branched = partial(_branched, passes)
    # Only where what comes later is out of sight can answers branch.
    causal = passes.reads_tokens and meets(branched)
    shares = causal and share
    if shares and passes.window:
        longer = beyond(rows, passes.window, limit, passes.pad)
        shares = all(meets(branched, each, None) for each in longer)
    remark = None if shares or not share else f"{name}: answers cannot share what is computed of the question"
    unmasked, masked = (partial(passes.pooled, masked=each) for each in (False, True))
    plain: list[Work] = [*([unmasked] if causal else ()), *([masked] if passes.reads_tokens else ()), passes.whole]
    for work in plain:
        if meets(work):
            return ComputePath(work, shares=shares, remark=remark)
    return ComputePath(
        passes.alone, 1, remark=f"{name}: scores depend on what is in a batch, so that answers go one by one"
    )


def _branched(passes: Passes, rows: Sequence[Row]) -> list[float]:
    return passes.branches(passes.prefix(rows[0][: common_prefix(rows, passes.pad)]), rows)
