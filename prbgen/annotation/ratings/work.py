"""What one rater has done, overall and in each subset."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from prbgen.annotation.form.asked import Form
from prbgen.annotation.items import Item
from prbgen.annotation.ratings.gold import right
from prbgen.annotation.ratings.pace import Gap, gaps, median_seconds, moment, pace
from prbgen.annotation.ratings.repeats import agreement
from prbgen.annotation.ratings.values import Value, answered, read
from prbgen.annotation.response import Response


@dataclass(frozen=True)
class Work:
    """What one rater has done, overall or in a subset. Unknown is null.

    Items that this rater touched are `done` (submitted), in `drafts`, or `discarded`; they are `pending` if they still
    want a rating that may be this rater's: in Argilla whoever comes first gives it. `pace` is items an hour while at
    work, `hours_left` the time for all that is pending if nobody else took any of it, null once the round is closed.
    `gold_right` of `gold_done` items with a known answer were answered right, `gold_to_come` are pending.
    `repeats_equal` is the share of the `repeats_answers` to items rated twice that were the same both times.
    `last_seen` is ISO 8601 in UTC.
    """

    done: int
    drafts: int
    discarded: int
    pending: int
    pace: float | None
    median_seconds: float | None
    hours_left: float | None
    gold_right: int
    gold_done: int
    gold_to_come: int
    repeats_equal: float | None
    repeats_answers: int
    last_seen: str | None


@dataclass(frozen=True)
class RaterProgress:
    """One rater: overall and by subset. `known` is false for somebody who is no rater of the round; nothing is pending
    for them, and what they did does not count.
    """

    rater: str
    known: bool
    total: Work
    subsets: dict[str, Work]


@dataclass(frozen=True)
class _Done:
    """What one rater sent, made ready to be counted for any part of the items."""

    responses: dict[str, Response]
    values: dict[str, dict[str, Value]]
    gaps: list[Gap]
    over: bool


def work_of(
    rater: str,
    known: bool,
    form: Form,
    items: dict[str, Item],
    given: dict[str, Response],
    pending: set[str],
    over: bool,
) -> RaterProgress:
    """One rater's work: `given` is what they sent, by item; `pending` are the items that still want their rating.

    `over`: the round is closed, and nobody can work on.
    """
    submitted = [each for each in given.values() if each.status == "submitted"]
    values = {each.item: _values(form, items[each.item], each) for each in submitted}
    done = _Done(given, values, gaps(submitted), over)
    by_subset: dict[str, list[Item]] = defaultdict(list)
    for item in items.values():
        by_subset[item.subset].append(item)
    return RaterProgress(
        rater=rater,
        known=known,
        total=_work(form, items, tuple(items.values()), done, pending),
        subsets={subset: _work(form, items, some, done, pending) for subset, some in by_subset.items()},
    )


def _values(form: Form, item: Item, response: Response) -> dict[str, Value]:
    """The answers that can be what they say, by the names of what was asked."""
    found = {}
    for asked in form.asked:
        raw = response.values.get(asked.name)
        if answered(raw):
            value, flag = read(asked, item.aspects, raw)
            if flag is None:
                found[asked.name] = value
    return found


def _work(form: Form, items: dict[str, Item], some: Sequence[Item], done: _Done, pending: set[str]) -> Work:
    here = {item.id for item in some}
    status = [done.responses[item].status for item in here & done.responses.keys()]
    own = [gap for gap in done.gaps if gap.item in here]
    gold = [item for item in some if item.kind == "gold"]
    gold_done = [item for item in gold if item.id in done.values]
    same = [each for _, each in agreement(form, items, [item for item in some if item.repeats], done.values)]
    times = [
        time
        for item in here & done.responses.keys()
        for time in (done.responses[item].begun_at, done.responses[item].submitted_at)
        if time
    ]
    speed, left = pace(own), len(pending & here)
    return Work(
        done=status.count("submitted"),
        drafts=status.count("draft"),
        discarded=status.count("discarded"),
        pending=left,
        pace=speed,
        median_seconds=median_seconds(own),
        hours_left=None if done.over else _hours_left(left, speed),
        gold_right=sum(right(item, done.values[item.id]) for item in gold_done),
        gold_done=len(gold_done),
        gold_to_come=sum(item.id in pending for item in gold),
        repeats_equal=sum(same) / len(same) if same else None,
        repeats_answers=len(same),
        last_seen=max(times, key=moment, default=None),
    )


def _hours_left(items: int, pace: float | None) -> float | None:
    if not items:
        return 0.0
    return items / pace if pace else None
