"""Scores on a benchmark against scores downstream, as one SVG: a panel for each comparison, one below the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from textwrap import wrap

from prbgen.downstream.correlate.records import Correlation, ModelScore, ModelScores
from prbgen.drawing.axes import Scale
from prbgen.drawing.labels import LINE, Box, Placed, placed, width
from prbgen.formatting import chance, interval, number
from prbgen.text import middle_out, one_line

_WIDTH, _TALL = 720, 440  # of a panel, without its key
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 24, 56, 54
_FIELD = Box(_LEFT, _WIDTH - _RIGHT, _TOP, _TALL - _BOTTOM)
_BESIDE = 14  # more models have numbers, and a key below
_NAME, _IN_KEY = 44, 88  # letters of a name that are shown
_ACROSS, _UP = 96, 58  # letters of a line beside an axis
_VERDICTS = {"alike": "conclusive", "opposite": "the other way round", "open": "not conclusive"}
_STYLE = """
svg { --page: #fcfcfb; --ink: #1d2126; --quiet: #5b6470; --line: #e2e5e9; --tone: #2563c9;
  font: 12px system-ui, sans-serif; }
@media (prefers-color-scheme: dark) {
  svg { --page: #14171b; --ink: #e6e9ed; --quiet: #9aa4b1; --line: #2b3138; --tone: #7fb0ff; }
}
.page { fill: var(--page); } text { fill: var(--ink); } .quiet { fill: var(--quiet); } .title { font-weight: 600; }
.grid { stroke: var(--line); } .reach { stroke: var(--tone); stroke-width: 1.5; opacity: .45; }
.leader { stroke: var(--quiet); stroke-width: .75; opacity: .7; } circle { fill: var(--tone); }
.name { paint-order: stroke; stroke: var(--page); stroke-width: 3px; }
"""


def plot(comparisons: Sequence[Correlation]) -> str:
    """The drawing, for one comparison or more; of the same ones it is the same to the last byte."""
    drawn, height = [], 0.0
    for each in comparisons:
        panel, tall = _panel(each)
        drawn.append(f'<g transform="translate(0 {height:g})">{panel}</g>')
        height += tall
    about = escape(one_line(" ".join(each.sentence for each in comparisons), 2000))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:g}" width="{_WIDTH}" '
        f'height="{height:g}" role="img" aria-label="{about}">\n<style>{_STYLE}</style>\n'
        f'<rect class="page" width="100%" height="100%"/>\n' + "\n".join(drawn) + "\n</svg>\n"
    )


def _panel(found: Correlation) -> tuple[str, float]:
    x = Scale.over(_ends([each.benchmark for each in found.models]), _FIELD.left, _FIELD.right)
    y = Scale.over(_ends([each.downstream for each in found.models]), _FIELD.bottom, _FIELD.top)
    models = sorted(found.models, key=lambda each: (-each.downstream.value, -each.benchmark.value, each.model))
    points = [(x.at(each.benchmark.value), y.at(each.downstream.value)) for each in models]
    names = [middle_out(each.model, _NAME) for each in models]
    lines = [box for each in models for box in _line(each, x, y)]
    spots = placed(names, points, _FIELD, lines) if len(names) <= _BESIDE else None
    if spots is None:
        names = [middle_out(each.model, _IN_KEY) for each in models]
    key = list(_key(names)) if spots is None else []
    if spots is None:
        numbers = [str(place) for place in range(1, len(names) + 1)]
        # Of very many points on one another not every number finds a place of its own.
        spots = placed(numbers, points, _FIELD) or [
            Placed(one, across + 7, up - 5, "start", None) for one, (across, up) in zip(numbers, points, strict=True)
        ]
    drawn = [
        *_head(found),
        *_grid(x, y),
        *(line for each in models for line in _reaches(each, x, y)),
        *(f'<circle cx="{across:.1f}" cy="{up:.1f}" r="4.5"/>' for across, up in points),
        *(text for each in spots for text in _name(each)),
        *key,
    ]
    rows = -(-len(names) // _columns(names)) if key else 0
    return "\n".join(drawn), _TALL + rows * LINE + (16 if rows else 0)


def _ends(scores: Sequence[ModelScore]) -> Iterator[float]:
    for each in scores:
        yield from (each.value, *(each.ci95 or ()))


def _head(found: Correlation) -> Iterator[str]:
    rho = found.spearman
    said = f"Spearman {number(rho.value)} {interval(rho.ci95)}".replace("-", "−").rstrip()
    p = chance(rho.p)
    tested = f", p {p if p.startswith('<') else f'= {p}'}" if rho.p is not None else ""
    ends = "; lines are 95 % intervals" if found.resampled else ""
    yield f'<text class="title" x="{_LEFT}" y="22">{escape(said + tested)}: {_VERDICTS[found.verdict]}</text>'
    yield f'<text class="quiet" x="{_LEFT}" y="40">{found.n_models} models{ends}</text>'
    across, up = (f"{side.measure}: {side.label}" for side in (found.benchmark, found.downstream))
    middle = (_FIELD.left + _FIELD.right) / 2, (_FIELD.top + _FIELD.bottom) / 2
    text = '<text class="quiet" text-anchor="middle"'
    yield f'{text} x="{middle[0]:g}" y="{_TALL - 14}">{escape(middle_out(across, _ACROSS))}</text>'
    lines = wrap(up, _UP)
    if len(lines) > 2:
        lines = [lines[0], middle_out(" ".join(lines[1:]), _UP)]
    for place, line in enumerate(lines):
        turned = f'transform="translate({34 - 15 * (len(lines) - 1 - place)} {middle[1]:g}) rotate(-90)"'
        yield f"{text} {turned}>{escape(line)}</text>"


def _grid(x: Scale, y: Scale) -> Iterator[str]:
    for at, text in x.ticks():
        yield f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{_FIELD.top:g}" y2="{_FIELD.bottom:g}"/>'
        yield f'<text class="quiet" x="{at:.1f}" y="{_FIELD.bottom + 16:g}" text-anchor="middle">{text}</text>'
    for at, text in y.ticks():
        yield f'<line class="grid" x1="{_FIELD.left:g}" x2="{_FIELD.right:g}" y1="{at:.1f}" y2="{at:.1f}"/>'
        yield f'<text class="quiet" x="{_FIELD.left - 6:g}" y="{at + 4:.1f}" text-anchor="end">{text}</text>'


def _line(model: ModelScores, x: Scale, y: Scale) -> Iterator[Box]:
    """Where an interval would run through a name."""
    if model.benchmark.ci95:
        low, high = map(x.at, model.benchmark.ci95)
        up = y.at(model.downstream.value)
        yield Box(low, high, up - 1, up + 1)


def _reaches(model: ModelScores, x: Scale, y: Scale) -> Iterator[str]:
    across, up = x.at(model.benchmark.value), y.at(model.downstream.value)
    if model.benchmark.ci95:
        low, high = map(x.at, model.benchmark.ci95)
        yield f'<line class="reach" x1="{low:.1f}" x2="{high:.1f}" y1="{up:.1f}" y2="{up:.1f}"/>'
    if model.downstream.ci95:
        low, high = map(y.at, model.downstream.ci95)
        yield f'<line class="reach" x1="{across:.1f}" x2="{across:.1f}" y1="{low:.1f}" y2="{high:.1f}"/>'


def _name(spot: Placed) -> Iterator[str]:
    if spot.leader:
        x, y = spot.leader
        yield f'<line class="leader" x1="{x:.1f}" y1="{y:.1f}" x2="{spot.x:.1f}" y2="{spot.y - 4:.1f}"/>'
    yield (
        f'<text class="name" x="{spot.x:.1f}" y="{spot.y:.1f}" text-anchor="{spot.anchor}">{escape(spot.name)}</text>'
    )


def _columns(names: Sequence[str]) -> int:
    widest = max(map(width, names)) + 34
    return max(1, int((_FIELD.right - _FIELD.left) // widest))


def _key(names: Sequence[str]) -> Iterator[str]:
    columns = _columns(names)
    rows, wide = -(-len(names) // columns), (_FIELD.right - _FIELD.left) / columns
    for place, name in enumerate(names):
        column, row = divmod(place, rows)
        x, y = _FIELD.left + column * wide, _TALL + 10 + row * LINE
        yield f'<text class="quiet" x="{x + 18:.1f}" y="{y:g}" text-anchor="end">{place + 1}</text>'
        yield f'<text x="{x + 24:.1f}" y="{y:g}">{escape(name)}</text>'
