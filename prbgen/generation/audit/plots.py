"""Plots for the page: SVG that stands inside it and takes its colours, light or dark."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from prbgen.drawing.by_matplotlib import looking, svg
from prbgen.generation.audit.results import Audit, Histogram, Lengths, Shortcut
from prbgen.generation.audit.verdict import CHANCE, CLEAN_BELOW, LEAKS_ABOVE
from prbgen.generation.audit.wording import interval, shortcut_label, shortcut_verdict
from prbgen.text import middle_out, one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH = 5.4  # inches
# Each colour that is drawn stands for one of the page's.
_INK, _FAINT, _CHOSEN, _REJECTED = "#010101", "#020202", "#030303", "#040404"
_TONES = {"clean": "#050505", "unclear": "#060606", "leaks": "#070707", None: _INK}
_OF_PAGE = {
    _INK: "currentColor",
    _FAINT: "var(--faint)",
    _CHOSEN: "var(--chosen)",
    _REJECTED: "var(--rejected)",
    **{colour: f"var(--{verdict})" for verdict, colour in _TONES.items() if verdict},
}


def shortcuts_plot(audits: Sequence[Audit], salt: str) -> str:
    """Accuracy of each shortcut with its interval; of several sets, below each other.

    `salt` has to differ between the plots of a page, for the ids within them to do so.
    """
    several = len(audits) > 1
    kinds = list(dict.fromkeys(kind for audit in audits for kind in audit.shortcut))
    # Of several sets, each shortcut has a line of its own for its name.
    rows: list[tuple[str, Audit | None]] = [
        row for kind in kinds for row in [(kind, None)] * several + [(kind, audit) for audit in audits]
    ]
    bounds = [bound for audit in audits for each in audit.shortcut.values() for bound in each.ci95 or ()]

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        for value, dashes in ((CHANCE, "-"), (LEAKS_ABOVE, ":"), (CLEAN_BELOW, "--")):
            axes.axvline(value, color=_FAINT, linestyle=dashes, linewidth=1, zorder=0)
        for place, (kind, audit) in enumerate(rows):
            if audit is not None:
                _interval(axes, place, audit.shortcut.get(kind))
        names = [middle_out(audit.name, 28) if several and audit else shortcut_label(kind) for kind, audit in rows]
        axes.set_yticks(range(len(rows)), names)
        for text, (_, audit) in zip(axes.get_yticklabels(), rows, strict=True):
            text.set_fontweight("normal" if audit else "bold")
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlim(min([0.44, *bounds]) - 0.01, max([0.66, *bounds]) + 0.01)
        axes.set_xlabel("accuracy on pairs, with 95 % interval")
        axes.tick_params(axis="y", length=0)

    label = "Accuracy of shallow models: " + "; ".join(_in_words(kind, audit, several) for kind, audit in rows if audit)
    return _svg(draw, 0.8 + 0.3 * len(rows), one_line(label, 2000), salt)


def lengths_plot(lengths: Lengths, salt: str) -> str:
    """Words of chosen and of rejected answers, one over the other."""

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        for histogram, colour, side in (
            (lengths.chosen, _CHOSEN, "chosen"),
            (lengths.rejected, _REJECTED, "rejected"),
        ):
            axes.stairs(histogram.counts, fill=True, color=colour, alpha=0.25)
            axes.stairs(histogram.counts, color=colour, linewidth=1.5, label=side)
        _edges(axes, lengths.chosen)
        axes.set_xlabel("words")
        axes.set_ylabel("answers")
        axes.legend(loc="upper left", bbox_to_anchor=(0, 1.18), ncols=2)

    medians = f"{lengths.median_chosen:g} words in chosen, {lengths.median_rejected:g} in rejected answers"
    return _svg(draw, 2.6, f"Histogram of lengths: median {medians}", salt)


def ratio_plot(lengths: Lengths, salt: str) -> str:
    """The ratio of the lengths."""

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        axes.stairs(lengths.ratio.counts, fill=True, color=_FAINT, alpha=0.5)
        axes.stairs(lengths.ratio.counts, color=_INK, linewidth=1)
        _edges(axes, lengths.ratio)
        axes.set_xlabel("words in chosen / words in rejected")
        axes.set_ylabel("pairs")

    median = "not known" if lengths.median_ratio is None else f"{lengths.median_ratio:.2f}"
    return _svg(draw, 2.6, f"Histogram of the ratio of lengths, chosen to rejected: median {median}", salt)


def _interval(axes: Axes, place: int, shortcut: Shortcut | None) -> None:
    if shortcut is None or shortcut.accuracy is None:
        axes.text(CHANCE, place, " not measured", va="center", style="italic")
        return
    colour = _TONES[shortcut_verdict(shortcut)]
    if shortcut.ci95 is not None:
        axes.plot(shortcut.ci95, (place, place), color=colour, linewidth=2.5, solid_capstyle="round")
    axes.plot(shortcut.accuracy, place, marker="o", markersize=6, color=colour)


def _edges(axes: Axes, histogram: Histogram) -> None:
    """Bins are drawn as equally wide: the last one may reach far."""
    from matplotlib.ticker import MaxNLocator

    last = len(histogram.edges) - 1
    step = -(-last // 12)
    shown = [place for place in range(0, last, step) if place <= last - step] + [last]
    axes.set_xticks(shown, [f"{histogram.edges[place]:g}" for place in shown])
    axes.set_xlim(0, last)
    axes.set_ylim(0, max(1.0, axes.get_ylim()[1]))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))


def _in_words(kind: str, audit: Audit, several: bool) -> str:
    name = f"{shortcut_label(kind)} ({middle_out(audit.name, 28)})" if several else shortcut_label(kind)
    return f"{name} {interval(audit.shortcut.get(kind))}"


def _svg(draw: Callable[[Figure], None], height: float, label: str, salt: str) -> str:
    """An <svg> element in the page's own colours."""
    with looking(ink=_INK, faint=_FAINT, ground="none"):
        drawn = svg(draw, (_WIDTH, height), label, salt)
    drawn = re.sub(r"<style[^>]*>.*?</style>", "", drawn, flags=re.DOTALL)
    drawn = re.sub(r'<g id="[^"]*"', "<g", drawn)
    return re.sub(f"(?<=: )(?:{'|'.join(_OF_PAGE)})", lambda found: _OF_PAGE[found[0]], drawn)
