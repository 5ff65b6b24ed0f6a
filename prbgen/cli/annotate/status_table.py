"""How far a round is, as a table that fits into 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from prbgen.annotation.ratings.progress import Coverage
    from prbgen.annotation.ratings.work import RaterProgress, Work
    from prbgen.annotation.standing import Standing
    from prbgen.recipe import AnnotationSettings

_COLUMNS = ("done", "to do", "draft", "disc.", "/h", "s/item", "left", "gold", "rep.")


def tables(standing: Standing) -> Iterator[RenderableType]:
    """A line on the whole, one row a rater with one for each subset under it if there are several, and a legend.

    Red is what a rater would be left out for: overall, as a few items of one subset tell too little.
    """
    campaign, progress = standing.campaign, standing.progress
    name = f"{campaign.round} (senior)" if campaign.senior else campaign.round
    state = f", closed at {campaign.closed_at}" if campaign.closed_at else ""
    yield f"[bold]{name}[/]: {_coverage(progress.total)}{state}"
    several = len(progress.subsets) > 1
    if several:
        for subset, coverage in progress.subsets.items():
            yield f"  {escape(subset)}: {_coverage(coverage)}"
    yield _table(standing, several)
    yield _legend(campaign.settings)


def _table(standing: Standing, several: bool) -> Table:
    def username(rater: RaterProgress) -> str:
        return standing.names.get(rater.rater, rater.rater)

    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    # Only names give way where there is too little room, and are folded, not cut.
    table.add_column("rater", overflow="fold")
    for column in _COLUMNS:
        table.add_column(column, justify="right", no_wrap=True)
    for rater in sorted(standing.progress.raters, key=username):
        outside = "" if rater.known else " (no rater of this round)"
        table.add_row(Text(f"{username(rater)}{outside}"), *_cells(rater.total, standing.campaign.settings))
        if several:
            for subset, work in rater.subsets.items():
                # A long one breaks between its words; the lines above have it as it is.
                table.add_row(Padding(Text(subset.replace("_", " ")), (0, 0, 0, 2)), *_cells(work), style="dim")
    return table


def _legend(settings: AnnotationSettings) -> Text:
    bar = f"{100 * settings.least_gold:g}% or {settings.least_seconds:g} s"
    return Text(f"gold: right of those done; rep.: repeats answered alike; red: below {bar}", style="dim")


def _coverage(coverage: Coverage) -> str:
    left = f", {_hours(coverage.hours_left)} left" if coverage.hours_left is not None else ""
    return (
        f"{coverage.complete} of {coverage.items} items complete, {coverage.there} of {coverage.wanted} responses{left}"
    )


def _cells(work: Work, bar: AnnotationSettings | None = None) -> list[Text]:
    """The figures of a row; what is below the bar is red, unknown is a dash."""
    poor = bar is not None and bool(work.gold_done) and work.gold_right / work.gold_done < bar.least_gold
    hasty = bar is not None and work.median_seconds is not None and work.median_seconds < bar.least_seconds
    return [
        *(Text(str(each)) for each in (work.done, work.pending, work.drafts, work.discarded)),
        Text(f"{work.pace:.0f}" if work.pace is not None else "-"),
        Text(f"{work.median_seconds:.0f}" if work.median_seconds is not None else "-", style="red" if hasty else ""),
        Text(_hours(work.hours_left) if work.hours_left is not None else "-"),
        Text(f"{work.gold_right}/{work.gold_done}" if work.gold_done else "-", style="red" if poor else ""),
        Text(f"{work.repeats_equal:.0%}" if work.repeats_equal is not None else "-"),
    ]


def _hours(hours: float) -> str:
    return f"{hours * 60:.0f} min" if hours < 1 else f"{hours:.1f} h"
