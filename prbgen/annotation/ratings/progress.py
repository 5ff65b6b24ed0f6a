"""How far a round is: what `prbgen annotate status` shows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from prbgen.annotation.campaign import Campaign
from prbgen.annotation.form.asked import Form
from prbgen.annotation.items import Item
from prbgen.annotation.ratings.pace import moment
from prbgen.annotation.ratings.work import RaterProgress, work_of
from prbgen.annotation.response import Response

ACTIVE = timedelta(days=1)


@dataclass(frozen=True)
class Coverage:
    """How far the items are, overall or in a subset.

    `complete` items have all the ratings they want. `there` of the `wanted` ratings are there; what an item has beyond
    that does not count. `hours_left` is the time in which those who were active within the last day would fill what is
    missing, if all of them worked on it. It is null where nobody was, where something can only be filled by a rater
    whose pace is not known, and once the round is closed.
    """

    items: int
    complete: int
    wanted: int
    there: int
    hours_left: float | None


@dataclass(frozen=True)
class Progress:
    """How far a round is."""

    raters: tuple[RaterProgress, ...]
    total: Coverage
    subsets: dict[str, Coverage]


def progress(
    campaign: Campaign,
    form: Form,
    items: Iterable[Item],
    responses: Iterable[Response],
    now: datetime,
    assigned: Mapping[str, Collection[str]] | None = None,
) -> Progress:
    """How far a round is.

    In Argilla (`assigned` is null) every item wants as many ratings as the campaign asks for, and until it has them it
    is pending for each rater who has not touched it. On sheets an item wants a rating from each rater who has it, and
    is pending for those of them who have not filled in its row. A withdrawn item is neither wanted nor pending nor
    counted as an item, but what raters did on it counts as their work.

    Args:
        campaign: The round; its raters are shown in its order, then whoever else sent something.
        form: What was asked.
        items: The items of the round, withdrawn ones too; subsets are shown in their order.
        responses: What raters sent; those to other items are passed over.
        now: The present time, aware of its zone: tells who was active within the last day.
        assigned: In whose sheets an item is: pseudonyms by item id.
    """
    known = {item.id: item for item in items}
    by_rater: dict[str, dict[str, Response]] = {rater: {} for rater in campaign.raters}
    for response in sorted(responses, key=lambda each: each.rater):
        if response.item in known:
            by_rater.setdefault(response.rater, {})[response.item] = response
    wants = {item.id: _wants(campaign, item, by_rater, assigned) for item in known.values() if not item.withdrawn}
    over = campaign.closed_at is not None
    raters = tuple(
        work_of(rater, rater in campaign.raters, form, known, given, _pending(rater, given, wants), over)
        for rater, given in by_rater.items()
    )
    pace_of_all = sum(
        each.total.pace
        for each in raters
        if each.known and each.total.pace and each.total.last_seen and now - moment(each.total.last_seen) <= ACTIVE
    )
    unpaced = {each.rater for each in raters if each.total.pace is None}

    def coverage(some: Collection[_Wants]) -> Coverage:
        known_left = not over and all(unpaced.isdisjoint(each.only) for each in some)
        return _coverage(some, pace_of_all, known_left)

    by_subset: dict[str, list[_Wants]] = {item.subset: [] for item in known.values()}
    for item, each in wants.items():
        by_subset[known[item].subset].append(each)
    return Progress(
        raters=raters,
        total=coverage(wants.values()),
        subsets={subset: coverage(some) for subset, some in by_subset.items()},
    )


@dataclass(frozen=True)
class _Wants:
    """How many ratings an item is to have, how many of them are missing, and who may give them.

    `only` are those without whom it can't get them, as there are no more raters left than ratings missing.
    """

    wanted: int
    missing: int
    of: Collection[str]
    only: Collection[str]


def _wants(
    campaign: Campaign,
    item: Item,
    by_rater: Mapping[str, Mapping[str, Response]],
    assigned: Mapping[str, Collection[str]] | None,
) -> _Wants:
    of = campaign.raters if assigned is None else assigned.get(item.id, ())
    wanted = campaign.settings.raters_per_item if assigned is None else len(of)
    given = {rater: by_rater.get(rater, {}).get(item.id) for rater in of}
    there = sum(response is not None and response.status == "submitted" for response in given.values())
    missing = max(0, wanted - there)
    able = [rater for rater, response in given.items() if response is None or response.status == "draft"]
    return _Wants(wanted, missing, of, able if len(able) <= missing else ())


def _pending(rater: str, given: Collection[str], wants: Mapping[str, _Wants]) -> set[str]:
    return {item for item, each in wants.items() if each.missing and rater in each.of and item not in given}


def _coverage(wants: Collection[_Wants], pace_of_all: float, known_left: bool) -> Coverage:
    wanted, missing = sum(each.wanted for each in wants), sum(each.missing for each in wants)
    left = (missing / pace_of_all if pace_of_all else None) if missing else 0.0
    return Coverage(
        items=len(wants),
        complete=sum(not each.missing for each in wants),
        wanted=wanted,
        there=wanted - missing,
        hours_left=left if known_left else None,
    )
