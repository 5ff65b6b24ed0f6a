"""The curves as a picture: SVG that stands alone, on a page, or beside a text.

To the left the curves; to the right the reward models by their quality at N, each with its interval and its name: so
many of them stay apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from prbgen.downstream.best_of_n.standing import backdrop, ranked, short_name
from prbgen.downstream.facts import Curve, Curves
from prbgen.drawing.by_matplotlib import ALONE, FAINT, INK, looking, svg
from prbgen.evaluation.summary import Interval, Share
from prbgen.formatting import interval, number
from prbgen.text import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _LEAST_HEIGHT, _ROW = 9.0, 3.4, 0.24  # inches
# Told apart also by those who see few colours (Okabe and Ito); from the eighth on by dashes.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#5a5a5a")
_DASHES = ("-", (0, (5, 1.5)), (0, (1.5, 1.5)), (0, (5, 1.5, 1.5, 1.5)))
_WITH_BARS = 4  # of more curves, intervals at every k would cover each other


def curves_plot(curves: Curves) -> str:
    """An <svg> element: the same bytes for the same curves, nothing outside it, and in words for who cannot see it."""
    order = ranked(curves)
    size = _WIDTH, max(_LEAST_HEIGHT, 1.1 + _ROW * (len(order) + 2))

    def draw(figure: Figure) -> None:
        _draw(figure, curves, order)

    with looking():
        return svg(draw, size, _in_words(curves, order), f"{curves.answers} {curves.judge}", ALONE) + "\n"


def _draw(figure: Figure, curves: Curves, order: Sequence[Curve]) -> None:
    left, right = figure.subplots(1, 2, width_ratios=(1.15, 1))
    styles = [(_COLOURS[at % len(_COLOURS)], _DASHES[at // len(_COLOURS) % len(_DASHES)]) for at in range(len(order))]
    _draw_curves(left, curves, order, styles)
    _draw_at_n(right, curves, order, styles)


def _draw_curves(axes: Axes, curves: Curves, order: Sequence[Curve], styles: Sequence[tuple[str, Any]]) -> None:
    """Over k; random choice and oracle are those of the curve with most questions."""
    from matplotlib.ticker import NullLocator

    if frame := backdrop(curves):
        _line(axes, frame, "oracle", label="oracle", color=INK, linestyle="--", linewidth=1.2)
        _line(axes, frame, "random", label="random", color=FAINT, linestyle=":", linewidth=1.6)
    bars = len(order) <= _WITH_BARS
    for place, (curve, (colour, dashes)) in enumerate(zip(order, styles, strict=True)):
        _line(axes, curve, "quality", color=colour, linestyle=dashes, linewidth=1.6, marker="o", markersize=3)
        # Side by side, as far as a small part of a doubling.
        shift = 2 ** (0.05 * (place - (len(order) - 1) / 2))
        for point in curve.points if bars else ():
            if point.quality.ci95:
                axes.plot([point.k * shift] * 2, point.quality.ci95, color=colour, linewidth=1, alpha=0.6)
    axes.set_xscale("log", base=2)
    axes.set_xticks(curves.ks, [str(k) for k in curves.ks])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("k")
    axes.set_title("Expected quality of best-of-k")
    if frame:
        axes.legend(loc="best")


def _line(axes: Axes, curve: Curve, of: str, **look: Any) -> None:
    known = [(point.k, share.value) for point in curve.points if (share := getattr(point, of)).value is not None]
    if known:
        axes.plot(*zip(*known, strict=True), **look)


def _draw_at_n(axes: Axes, curves: Curves, order: Sequence[Curve], styles: Sequence[tuple[str, Any]]) -> None:
    """At N: each with its interval, the best one first, random choice and oracle around them."""
    frame = backdrop(curves)
    rows: list[tuple[str, Share, str, Any]] = [
        (short_name(curve), curve.points[-1].quality, *style) for curve, style in zip(order, styles, strict=True)
    ]
    if frame:
        rows = [("oracle", frame.points[-1].oracle, INK, "-"), *rows, ("random", frame.points[-1].random, FAINT, "-")]
    for place, (_, share, colour, dashes) in enumerate(rows):
        if share.value is None:
            continue
        low, high = share.ci95 or (share.value, share.value)
        axes.plot((low, high), (place, place), color=colour, linestyle=dashes, linewidth=2)
        axes.plot(share.value, place, marker="o", markersize=5, color=colour)
    axes.set_yticks(range(len(rows)), [name for name, *_ in rows])
    axes.yaxis.tick_right()
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(axis="x", color=FAINT, alpha=0.25)
    axes.set_xlabel("quality, with 95 % interval")
    axes.set_title(f"At k = {curves.n}")


def _in_words(curves: Curves, order: Sequence[Curve]) -> str:
    def said(share: Share) -> str:
        ends: Interval | None = share.ci95
        return f"{number(share.value)} {interval(ends)}".strip()

    parts = [f"{short_name(curve)} {said(curve.points[-1].quality)}" for curve in order]
    if frame := backdrop(curves):
        parts += [f"random {said(frame.points[-1].random)}", f"oracle {said(frame.points[-1].oracle)}"]
    return one_line(f"Expected quality of the best of {curves.n} answers: {'; '.join(parts)}", 4000)
