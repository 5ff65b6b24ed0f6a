"""Batches depend on groups and their order alone; answers that share a prefix go together, and whole."""

from __future__ import annotations

from collections import deque
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from prbgen.evaluation.scorers.scalar.plan import Packing, Row
from prbgen.evaluation.scorers.scalar.schedule import Batch, Schedule, Task

lengths = st.lists(st.tuples(st.integers(1, 400), st.lists(st.integers(1, 30), min_size=1, max_size=4)), max_size=25)


def rows_of(place: int, said: int, answers: list[int]) -> list[Row]:
    return [(9, *[place] * said, *[100 + number] * length) for number, length in enumerate(answers)]


def batches_of(groups: list[tuple[int, list[int]]], *, late: Random | None) -> tuple[list[list[Row]], dict[int, int]]:
    """What is taken, in order, and how many scores each group gets; what is taken may be done `late`, in any order."""
    schedule = Schedule(Packing(200, None, True, None))
    taken, out, done = list[Batch](), deque[Batch](), dict[int, int]()

    def finish(batch: Batch) -> None:
        done.update((each.place, len(each.scores)) for each in batch.done([0.5] * len(batch.parts)))

    waiting = deque(enumerate(groups))
    while waiting or schedule.waiting:
        if not waiting or schedule.full:
            taken.append(schedule.take())
            out.append(taken[-1])
        else:
            place, (said, answers) = waiting.popleft()
            schedule.add(Task(place, rows_of(place, said, answers)))
        while out and (late is None or late.random() < 0.3):
            at = late.randrange(len(out)) if late else 0
            finish(out[at])
            del out[at]
    for batch in out:
        finish(batch)
    return [batch.rows for batch in taken], done


@given(lengths, st.integers())
def test_batches_are_the_same_whenever_they_are_done(groups: list[tuple[int, list[int]]], seed: int) -> None:
    at_once, done = batches_of(groups, late=None)
    assert batches_of(groups, late=Random(seed)) == (at_once, done)
    assert done == {place: len(answers) for place, (_, answers) in enumerate(groups)}


@given(lengths)
def test_answers_that_share_a_prefix_are_one_batch(groups: list[tuple[int, list[int]]]) -> None:
    schedule = Schedule(Packing(200, None, True, None))
    for place, (said, answers) in enumerate(groups):
        schedule.add(Task(place, rows_of(place, said, answers)))
    while schedule.waiting:
        batch = schedule.take()
        if batch.prefix:
            [task] = {id(task): task for task, _ in batch.parts}.values()
            assert batch.rows == task.rows
            assert len({row[: batch.prefix] for row in batch.rows}) == 1
