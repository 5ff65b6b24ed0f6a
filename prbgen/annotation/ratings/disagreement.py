"""The pairs on which raters disagree, for a senior rater to decide."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from prbgen.annotation.campaign import Campaign
from prbgen.annotation.form.asked import Asked, Form
from prbgen.annotation.items import Item
from prbgen.schema import Rating


@dataclass(frozen=True)
class Disagreement:
    """An item and on what its raters disagree, in plain words ("factuality of A: 1 and 4")."""

    item: Item
    reasons: tuple[str, ...]


def disagreed(campaign: Campaign, form: Form, items: Iterable[Item], ratings: Iterable[Rating]) -> list[Disagreement]:
    """The pairs on which raters disagree, in the order of the items.

    Marks disagree that are `settings.disagreement` or more apart, choices of which none has more than half of the
    raters. Only what at least two raters say now counts: nothing gone, flagged, untold ("can't tell") or by a senior.
    Withdrawn items are passed over: nobody can be shown them any more.
    """
    values: dict[tuple[str, str, str | None], dict[str, int | str]] = defaultdict(dict)
    for rating in ratings:
        if rating.gone or rating.flag or rating.senior or not isinstance(rating.value, int | str):
            continue
        values[rating.item, rating.question, rating.shown][rating.rater] = rating.value
    found = []
    for item in items:
        if item.kind != "pair" or item.withdrawn:
            continue
        given = [(each, tuple(values.get((item.id, each.question, each.shown), {}).values())) for each in form.asked]
        reasons = tuple(_reason(each, said) for each, said in given if _differ(campaign, each, said))
        if reasons:
            found.append(Disagreement(item, reasons))
    return found


def _differ(campaign: Campaign, asked: Asked, said: Sequence[int | str]) -> bool:
    if len(said) < 2:
        return False
    if asked.kind == "rating":
        marks = [each for each in said if isinstance(each, int)]
        return len(marks) > 1 and max(marks) - min(marks) >= campaign.settings.disagreement
    return asked.kind == "choice" and max(Counter(said).values()) * 2 <= len(said)


def _reason(asked: Asked, said: Sequence[int | str]) -> str:
    *most, last = map(str, sorted(said, key=lambda each: (isinstance(each, str), each)))
    of = f" of {asked.shown}" if asked.shown else ""
    return f"{asked.question}{of}: {', '.join(most)} and {last}"
