"""The mean reward by step, as a picture."""

from __future__ import annotations

import io
from collections.abc import Sequence

_STYLE = {"svg.fonttype": "none", "svg.hashsalt": "prbgen", "axes.spines.top": False, "axes.spines.right": False}


def reward_plot(rewards: Sequence[float], reward_model: str) -> str:
    """SVG; the same rewards give the same text."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({**_STYLE, "text.parse_math": False}):
        figure = Figure(figsize=(5.4, 3), layout="constrained")
        axes = figure.add_subplot()
        axes.plot(range(1, len(rewards) + 1), rewards, color="#2563a8", linewidth=1.5)
        axes.set_xlabel("step")
        axes.set_ylabel("mean reward")
        axes.set_title(reward_model, fontsize=9, loc="left")
        drawn = io.StringIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    return drawn.getvalue()
