"""The mean reward by step, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from prbgen.drawing.by_matplotlib import ALONE, looking, svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def reward_plot(rewards: Sequence[float], reward_model: str) -> str:
    """SVG; the same rewards give the same text."""

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        axes.plot(range(1, len(rewards) + 1), rewards, color="#2563a8", linewidth=1.5)
        axes.set_xlabel("step")
        axes.set_ylabel("mean reward")
        axes.set_title(reward_model)

    with looking():
        label = f"Mean reward by step, {len(rewards):,} steps, by {reward_model}"
        return svg(draw, (5.4, 3), label, "prbgen", ALONE) + "\n"
