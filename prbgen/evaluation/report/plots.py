"""Small plots, as SVG that stands in a page and takes its colours, light or dark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import TYPE_CHECKING

from prbgen.evaluation.summary import Interval

if TYPE_CHECKING:
    from markupsafe import Markup

    from prbgen.evaluation.metrics.comparison import Tested
    from prbgen.evaluation.report.entries import Entry

_BAR, _HEIGHT = 150, 30
_DIGIT = 6  # how wide a digit of a tick is at most
_STEP = 0.05
_BINS, _REACH = 24, 3.0  # of a histogram of margins, which reaches so many standard deviations to each side


@dataclass(frozen=True)
class Axis:
    """What a row of intervals is drawn along; a line stands at `mark`."""

    low: float
    high: float
    mark: float

    @classmethod
    def over(cls, intervals: Sequence[Interval], mark: float) -> Axis:
        """Wide enough for all of them, with round ends; never beyond what is possible."""
        low = min([mark, *(low for low, _ in intervals)])
        high = max([mark, *(high for _, high in intervals)])
        # Rounded first: 0.6 / 0.05 is a little less than 12.
        ends = _STEP * floor(round(low / _STEP, 6) - 0.2), _STEP * ceil(round(high / _STEP, 6) + 0.2)
        return cls(max(ends[0], 0.0 if mark else -1.0), min(ends[1], 1.0), mark)

    def x(self, value: float) -> float:
        """Where a value stands, in units of the drawing."""
        return 6 + (_BAR - 12) * (value - self.low) / (self.high - self.low)


def axis_plot(axis: Axis) -> Markup:
    """The ends and the mark of an axis, for the head of a column."""
    mark = _reach(axis, axis.mark)
    ends = [each for each in (axis.low, axis.high) if _apart(_reach(axis, each), mark)]
    texts = "".join(
        f'<text x="{axis.x(each):.1f}" y="12" text-anchor="{_anchor(axis, each)}">{_tick(each)}</text>'
        for each in sorted({axis.mark, *ends})
    )
    return _svg(_BAR, 16, f"Axis from {_tick(axis.low)} to {_tick(axis.high)}", texts, "axis")


def interval_plot(axis: Axis, value: float | None, interval: Interval | None, tone: str = "") -> Markup:
    """A value with its interval."""
    mark = f'<line class="mark" x1="{axis.x(axis.mark):.1f}" x2="{axis.x(axis.mark):.1f}" y1="0" y2="{_HEIGHT}"/>'
    if value is None:
        return _svg(_BAR, _HEIGHT, "not known", mark, "bar-plot")
    middle = _HEIGHT / 2
    label, drawn = f"{value:.3f}", ""
    if interval:
        label += f", from {interval[0]:.3f} to {interval[1]:.3f}"
        low, high = map(axis.x, interval)
        drawn = f'<line class="reach" x1="{low:.1f}" x2="{high:.1f}" y1="{middle}" y2="{middle}"/>'
    point = f'<circle cx="{axis.x(value):.1f}" cy="{middle}" r="4"/>'
    return _svg(_BAR, _HEIGHT, label, f"{mark}{drawn}{point}", f"bar-plot {tone}".strip())


def margins_plot(entry: Entry) -> Markup | None:
    """How margins are spread: those below 0 in the colour of rejected. Null where they are not."""
    import numpy as np

    figures = entry.summary.margins
    if not figures or figures.standardised is None or not figures.sd:
        return None
    margins = entry.judged.margin[~np.isnan(entry.judged.margin)]
    scaled = np.clip(margins / figures.sd, -_REACH, _REACH - 1e-9)
    counts, _ = np.histogram(scaled, _BINS, (-_REACH, _REACH))
    width, tall = _BAR / _BINS, 34
    bars = "".join(
        f'<rect class="{"against" if at < _BINS // 2 else "for"}" x="{at * width:.2f}" width="{width - 0.75:.2f}" '
        f'y="{tall * (1 - count / counts.max()):.1f}" height="{tall * count / counts.max():.1f}"/>'
        for at, count in enumerate(counts.tolist())
    )
    zero = f'<line class="mark" x1="{_BAR / 2}" x2="{_BAR / 2}" y1="0" y2="{tall}"/>'
    below, above = int((margins < 0).sum()), int((margins > 0).sum())
    label = f"Histogram of margins over their standard deviation: {above:,} above 0, {below:,} below"
    return _svg(_BAR, tall, label, bars + zero, "histogram")


def tone(found: Tested) -> str:
    """The colour of a difference: for one that may be chance, quiet."""
    if not found.apart:
        return "quiet-tone"
    return "more" if (found.paired.difference.value or 0.0) > 0 else "less"


def _tick(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def _reach(axis: Axis, value: float) -> Interval:
    """From where to where a tick's text goes."""
    x, width = axis.x(value), _DIGIT * len(_tick(value))
    left = x - width * {"start": 0.0, "middle": 0.5, "end": 1.0}[_anchor(axis, value)]
    return left, left + width


def _apart(one: Interval, other: Interval) -> bool:
    return one[1] + _DIGIT < other[0] or other[1] + _DIGIT < one[0]


def _anchor(axis: Axis, value: float) -> str:
    room = (value - axis.low) / (axis.high - axis.low)
    return "start" if room < 0.12 else "end" if room > 0.88 else "middle"


def _svg(width: float, height: float, label: str, drawn: str, kind: str) -> Markup:
    """Of numbers and words of our own only."""
    from markupsafe import Markup

    return Markup(  # noqa: S704
        f'<svg class="{kind}" viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{label}">{drawn}</svg>'
    )
