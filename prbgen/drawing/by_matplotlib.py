"""Pictures by matplotlib: one look, and the same bytes for the same figure."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, FAINT = "#222222", "#8a8a8a"


@contextmanager
def looking(*, ink: str = INK, faint: str = FAINT, ground: str = "white", **more: Any) -> Iterator[None]:
    """Draw in these colours; the ground is white by default, as pictures are also looked at on a dark page.

    `more` are other settings of matplotlib, with "_" for ".".
    """
    import matplotlib

    style = {
        "text.parse_math": False,
        "text.color": ink,
        "axes.labelcolor": ink,
        "axes.edgecolor": faint,
        "axes.facecolor": ground,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlelocation": "left",
        "axes.titlesize": 9,
        "figure.facecolor": ground,
        # It comes with matplotlib: the same bytes everywhere.
        "font.family": ["DejaVu Sans", "sans-serif"],
        "font.size": 9,
        "svg.fonttype": "none",  # text stays text
        "xtick.color": ink,
        "ytick.color": ink,
        "legend.frameon": False,
        **{name.replace("_", "."): value for name, value in more.items()},
    }
    with matplotlib.rc_context(style), warnings.catch_warnings():
        # No font of ours has every script that a question may be named in; a browser has more of them.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def svg(draw: Callable[[Figure], None], size: tuple[float, float], label: str, salt: str, spaces: str = "") -> str:
    """An <svg> element of so many inches, nothing outside it; `label` is for who cannot see it.

    `salt` has to differ between the plots of a page, for the ids within them to do so. With `spaces`, the names of XML
    name spaces, it may also stand alone. To be called while `looking`.
    """
    import matplotlib
    from matplotlib.figure import Figure

    written = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": salt}):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        figure.savefig(written, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    text = written.getvalue()
    box = re.search(r'viewBox="[^"]*"', text)
    inside = text[text.index("<svg") :]
    opening = " ".join(
        filter(None, ["<svg", spaces, box[0] if box else "", f'role="img" aria-label="{escape(label)}"'])
    )
    return f"{opening}>{inside[inside.index('>') + 1 :].strip()}"


ALONE = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
