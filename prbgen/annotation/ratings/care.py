"""How carefully raters worked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from prbgen.annotation.form.asked import Form
from prbgen.annotation.items import Item
from prbgen.annotation.ratings.gold import right
from prbgen.annotation.ratings.pace import gaps_between, median_seconds
from prbgen.annotation.ratings.repeats import agreement
from prbgen.annotation.ratings.values import Value
from prbgen.recipe import AnnotationSettings
from prbgen.schema import Rating


@dataclass(frozen=True)
class Care:
    """How carefully a rater worked in a round, by what depends neither on others nor on later changes of pairs.

    `items` were rated; `gold_right` of `gold_done` whose answer is known are right; `median_seconds` an item, null
    where too little is known of times. `again` has each question's answers to items that were rated twice: how many
    were the same both times, of how many.
    """

    rater: str
    items: int
    gold_right: int
    gold_done: int
    median_seconds: float | None
    again: Mapping[str, tuple[int, int]]


def below_bar(care: Care, bar: AnnotationSettings) -> tuple[str, ...]:
    """Why a rater does not count in a round, by the bar that was frozen when it was pushed; nothing: they count.

    Gold items and time alone decide: leaving out whom others disagree with would make agreement, not find it. Who rated
    no gold item, or whose times are not known, is not left out for that.
    """
    reasons = []
    # 7 / 10 and .7 are the same float, so a share that just meets the bar is not below it.
    if care.gold_done and care.gold_right / care.gold_done < bar.least_gold:
        reasons.append(f"{care.gold_right} of {care.gold_done} gold items right, less than {bar.least_gold:g}")
    if care.median_seconds is not None and care.median_seconds < bar.least_seconds:
        reasons.append(f"a median of {care.median_seconds:g} seconds an item, less than {bar.least_seconds:g}")
    return tuple(reasons)


def care_of(form: Form, items: Iterable[Item], ratings: Iterable[Rating]) -> Iterator[Care]:
    """The care of each rater who gave ratings, by pseudonym."""
    known = {item.id: item for item in items}
    gold = [item for item in known.values() if item.kind == "gold"]
    repeats = [item for item in known.values() if item.repeats]
    names = {(each.question, each.shown): each.name for each in form.asked}
    values: dict[str, dict[str, dict[str, Value]]] = defaultdict(lambda: defaultdict(dict))
    times: dict[str, dict[str, str]] = defaultdict(dict)
    for rating in ratings:
        values[rating.rater][rating.item][names[rating.question, rating.shown]] = rating.value
        if rating.submitted_at:
            times[rating.rater][rating.item] = rating.submitted_at
    for rater, given in sorted(values.items()):
        gold_done = [item for item in gold if item.id in given]
        same: dict[str, list[bool]] = defaultdict(list)
        for question, equal in agreement(form, known, repeats, given):
            same[question].append(equal)
        yield Care(
            rater=rater,
            items=len(given),
            gold_right=sum(right(item, given[item.id]) for item in gold_done),
            gold_done=len(gold_done),
            median_seconds=median_seconds(gaps_between(times[rater])),
            again={question: (sum(each), len(each)) for question, each in same.items()},
        )
