"""Accuracy against the number of parameters, as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import TYPE_CHECKING

from prbgen.drawing.labels import Box, Placed, placed
from prbgen.evaluation.report.boards import Board
from prbgen.evaluation.report.wording import parameters
from prbgen.evaluation.summary import Interval
from prbgen.text import one_line

if TYPE_CHECKING:
    from markupsafe import Markup

_WIDTH, _HEIGHT = 400, 270
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 20, 12, 42
_NAMED = 14  # more points are named by the tables alone


@dataclass(frozen=True)
class _Point:
    name: str
    parameters: int
    accuracy: float
    interval: Interval


class _Scale:
    """From parameters and accuracies to places in the drawing."""

    def __init__(self, points: Sequence[_Point]) -> None:
        logs = [log10(point.parameters) for point in points]
        self.left, self.right = floor(min(logs) * 2 - 0.3) / 2, ceil(max(logs) * 2 + 0.3) / 2
        self.low = floor(min([0.5, *(point.interval[0] for point in points)]) * 20 - 0.2) / 20
        self.high = ceil(max([0.5, *(point.interval[1] for point in points)]) * 20 + 0.2) / 20

    def x(self, count: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (log10(count) - self.left) / (self.right - self.left)

    def y(self, accuracy: float) -> float:
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * (accuracy - self.low) / (self.high - self.low)


def parameters_plot(board: Board) -> Markup | None:
    """A point for each result whose model's size is known; null where there are not two models to compare."""
    from markupsafe import Markup, escape

    points = list(_points(board))
    if len({row.entry.system for row in board.sized}) < 2:
        return None
    scale = _Scale(points)
    drawn = [*_grid(scale), *(_point(scale, point) for point in points)]
    for spot in _names(scale, points) if len(points) <= _NAMED else ():
        drawn.append(f'<text x="{spot.x:.1f}" y="{spot.y:.1f}" text-anchor="{spot.anchor}">{escape(spot.name)}</text>')
    said = "; ".join(f"{each.name}: {parameters(each.parameters)}, {each.accuracy:.3f}" for each in points)
    label = escape(f"Accuracy against parameters under {board.condition}. {said}")
    opening = f'<svg class="scatter" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">'
    return Markup(f"{opening}{''.join(drawn)}</svg>")  # noqa: S704  # names are escaped


def _points(board: Board) -> Iterator[_Point]:
    for row in board.sized:
        found = row.entry.summary
        if found.model.parameters and found.accuracy.value is not None:
            value = found.accuracy.value
            name = one_line(_short(row.entry.system), 28)
            yield _Point(name, found.model.parameters, value, found.accuracy.ci95 or (value, value))


def _grid(scale: _Scale) -> Iterator[str]:
    floor_y, end = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    for step in range(round(scale.low * 20), round(scale.high * 20) + 1):
        value = step / 20
        if step % 2 == 0:
            y = scale.y(value)
            kind = "mark" if step == 10 else "grid"
            yield f'<line class="{kind}" x1="{_LEFT}" x2="{end}" y1="{y:.1f}" y2="{y:.1f}"/>'
            yield f'<text class="tick" x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:.1f}</text>'
    for half in range(round(scale.left * 2), round(scale.right * 2) + 1):
        count = 10 ** (half // 2) * (3 if half % 2 else 1)
        if scale.left <= log10(count) <= scale.right:
            x = scale.x(count)
            yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{floor_y}"/>'
            yield f'<text class="tick" x="{x:.1f}" y="{floor_y + 15}" text-anchor="middle">{parameters(count)}</text>'
    yield f'<text class="tick" x="{(_LEFT + end) / 2}" y="{_HEIGHT - 6}" text-anchor="middle">parameters</text>'


def _point(scale: _Scale, point: _Point) -> str:
    x = scale.x(point.parameters)
    low, high = map(scale.y, point.interval)
    return (
        f'<line class="reach" x1="{x:.1f}" x2="{x:.1f}" y1="{low:.1f}" y2="{high:.1f}"/>'
        f'<circle cx="{x:.1f}" cy="{scale.y(point.accuracy):.1f}" r="4.5"/>'
    )


def _names(scale: _Scale, points: Sequence[_Point]) -> list[Placed]:
    """Beside the points; none where there is no room for all of them, as the tables have them, too."""
    field = Box(_LEFT, _WIDTH, 0, _HEIGHT - _BOTTOM)
    places = [(scale.x(each.parameters), scale.y(each.accuracy)) for each in points]
    return placed([each.name for each in points], places, field) or []


def _short(name: str) -> str:
    """The last part of a model's name: KIND:ORG/MODEL without KIND and ORG."""
    head, _, details = name.partition(" (")
    return head.rpartition("/")[2] + (f" ({details}" if details else "")
