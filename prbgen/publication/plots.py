"""The plots beside a card, as PNG files: pages that show cards rarely show other kinds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from prbgen.drawing.by_matplotlib import FAINT, INK, looking
from prbgen.publication.spelling import between, decimal
from prbgen.text import one_line
from prbgen.validation.validation import Validation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH, _DOTS = 6.4, 144  # inches, and dots an inch
_CHOSEN, _REJECTED = "#1b6ca8", "#c8553d"
_GAP_STEP = 0.25  # marks

Words = Mapping[int, int]
Draw = Callable[["Axes"], None]


@dataclass(frozen=True)
class Plot:
    """A plot: its path in the dataset, and what it shows for who cannot see it."""

    file: str
    alt: str


def draw_plots(folder: Path, words: tuple[Words, Words], validation: Validation | None) -> tuple[Plot, ...]:
    """Write plots/*.png into `folder`, each only if there is something to show; the same data gives the same bytes.

    Args:
        folder: The dataset.
        words: Of chosen and of rejected answers: {words: how many have so many}.
        validation: What people found; null if nobody rated the pairs.

    Raises:
        OSError: a file cannot be written.
    """
    with looking():
        return tuple(_written(folder, *each) for each in _plots(words, validation))


def _written(folder: Path, plot: Plot, height: float, draw: Draw) -> Plot:
    from matplotlib.figure import Figure

    path = folder / plot.file
    path.parent.mkdir(exist_ok=True)
    figure = Figure(figsize=(_WIDTH, height), layout="constrained")
    draw(figure.add_subplot())
    figure.savefig(path, format="png", dpi=_DOTS, metadata={"Software": None})
    return plot


def _plots(words: tuple[Words, Words], validation: Validation | None) -> Iterator[tuple[Plot, float, Draw]]:
    if validation:
        known = list(_alphas(validation))
        if known:
            yield _agreement(known)
        for name, title in (("quality", "General quality"), ("adherence", "Adherence to the rubric")):
            gaps = list(_gaps(validation, name))
            if gaps:
                yield _distribution(name, title, gaps)
    means = [sum(each * count for each, count in side.items()) / sum(side.values()) for side in words]
    alt = f"Histogram of lengths: on average {means[0]:.1f} words in chosen, {means[1]:.1f} in rejected answers"
    yield Plot("plots/words.png", alt), 2.6, lambda axes: _draw_words(axes, words)


def _alphas(validation: Validation) -> Iterator[tuple[str, float, tuple[float, float] | None]]:
    """Of each question of a round whose alpha is known: its name, alpha and interval, over the raters that count."""
    for each in validation.report.agreement:
        alpha = each.counted.alpha
        if not each.subset and alpha.value is not None:
            yield one_line(f"{each.round}: {each.question}", 40), alpha.value, alpha.ci95


def _agreement(known: list[tuple[str, float, tuple[float, float] | None]]) -> tuple[Plot, float, Draw]:
    def draw(axes: Axes) -> None:
        for place, (_, alpha, interval) in enumerate(known):
            if interval:
                axes.plot(interval, (place, place), color=_CHOSEN, linewidth=2.5, solid_capstyle="round")
            axes.plot(alpha, place, marker="o", markersize=6, color=_CHOSEN)
        axes.axvline(0, color=FAINT, linewidth=1, zorder=0)
        axes.set_yticks(range(len(known)), [name for name, _, _ in known])
        axes.set_ylim(len(known) - 0.4, -0.6)
        axes.set_xlim(min(-0.05, *(min((alpha, *(interval or ()))) for _, alpha, interval in known)) - 0.02, 1.02)
        axes.set_xlabel("Krippendorff's alpha, with 95 % interval where known")
        axes.tick_params(axis="y", length=0)

    said = "; ".join(
        f"{name} {decimal(alpha)}" + (f" ({between(interval)})" if interval else "") for name, alpha, interval in known
    )
    plot = Plot("plots/agreement.png", f"Krippendorff's alpha by round and question: {said}")
    return plot, 0.9 + 0.3 * len(known), draw


def _gaps(validation: Validation, of: str) -> Iterator[tuple[float, bool]]:
    """Of each pair whose answers were both rated: chosen less rejected, and whether it is validated."""
    for verdict in validation.verdicts.values():
        chosen, rejected = getattr(verdict, f"{of}_chosen"), getattr(verdict, f"{of}_rejected")
        if chosen is not None and rejected is not None:
            yield chosen - rejected, verdict.validated


def _distribution(name: str, title: str, gaps: list[tuple[float, bool]]) -> tuple[Plot, float, Draw]:
    rated = [gap for gap, _ in gaps]
    validated = [gap for gap, good in gaps if good]

    def draw(axes: Axes) -> None:
        # Bins are centred on the marks and halves that gaps mostly are.
        places = [round(gap / _GAP_STEP) for gap in (*rated, -1, 1)]
        edges = [(place - 0.5) * _GAP_STEP for place in range(min(places), max(places) + 2)]
        for values, colour, label in ((rated, FAINT, "rated"), (validated, _CHOSEN, "validated")):
            if values:
                counts = Counter(round(value / _GAP_STEP) for value in values)
                heights = [counts[place] for place in range(min(places), max(places) + 1)]
                axes.stairs(heights, edges, fill=True, color=colour, alpha=0.5, label=f"{label} ({len(values)})")
        axes.axvline(0, color=INK, linewidth=1)
        axes.set_xlabel(f"{title}: marks of chosen less those of rejected")
        _finish(axes, "pairs")

    alt = f"{title}, chosen less rejected: {_mean(rated)} over the {len(rated)} rated pairs"
    alt += f", {_mean(validated)} over the {len(validated)} validated ones" if validated else ", none is validated"
    return Plot(f"plots/{name}.png", alt), 2.6, draw


def _mean(values: Iterable[float]) -> str:
    return f"mean {decimal(fmean(values))}"


def _draw_words(axes: Axes, words: tuple[Words, Words]) -> None:
    most = max(max(side) for side in words)
    step = max(1, -(-most // 25))
    edges = list(range(0, most + step + 1, step))
    for side, colour, label in zip(words, (_CHOSEN, _REJECTED), ("chosen", "rejected"), strict=True):
        heights = [0] * (len(edges) - 1)
        for count, answers in side.items():
            heights[count // step] += answers
        axes.stairs(heights, edges, fill=True, color=colour, alpha=0.25)
        axes.stairs(heights, edges, color=colour, linewidth=1.5, label=label)
    axes.set_xlabel("words")
    _finish(axes, "answers")


def _finish(axes: Axes, counted: str) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.set_ylabel(counted)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    axes.legend(loc="upper left", bbox_to_anchor=(0, 1.18), ncols=2)
