"""Batches that fail are halved, so that what fits is scored, and one answer that cannot be costs no other one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from prbgen.evaluation.scorers.scalar.plan import Row
from prbgen.llm.cleaning import cleaned_line

_SIGNS = ("not enough memory", "defaultcpuallocator", "out of memory", "can't allocate memory")
# What transformers and torch raise about inputs: memory, positions beyond the last one, shapes.
FAULTS = (RuntimeError, IndexError, ValueError, MemoryError)


def out_of_memory(error: BaseException) -> bool:
    """Whether it is memory that lacks; CUDA's own error is a RuntimeError, as is that of a CPU."""
    return isinstance(error, MemoryError) or any(sign in str(error).lower() for sign in _SIGNS)


def sparing(
    work: Callable[[Sequence[Row]], list[float]], rows: Sequence[Row], lacks: Callable[[], None]
) -> list[float | str]:
    """Scores of rows, or why there is none. `lacks` is told each time that memory does not suffice for several rows."""
    try:
        return [*work(rows)]
    except FAULTS as error:
        lacking, said = out_of_memory(error), cleaned_line(error)
    # Past the handler, where nothing holds the tensors of the batch that failed any longer.
    if lacking:
        free()
    if len(rows) == 1:
        return [f"out of memory at one answer of {len(rows[0])} tokens" if lacking else f"the model failed: {said}"]
    if lacking:
        lacks()
    half = len(rows) // 2
    return sparing(work, rows[:half], lacks) + sparing(work, rows[half:], lacks)


def free() -> None:
    """Give back what a failed batch had."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
