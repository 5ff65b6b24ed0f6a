"""An audit as a page that opens anywhere: one file, no script, no network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from prbgen.generate.audit import wording
from prbgen.generate.audit.plots import lengths_plot, ratio_plot, shortcuts_plot
from prbgen.generate.audit.results import Audit
from prbgen.text import one_line

_TEMPLATE = "page.html.j2"
_LONGEST = 120  # characters of a name, an id or a term


def render_page(audits: Sequence[Audit]) -> str:
    """The page as HTML; several sets stand side by side first. Equal audits give equal bytes.

    Raises:
        ValueError: There is no audit.
    """
    if not audits:
        raise ValueError("no audit to show")
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup, escape

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        autoescape=True,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        label=wording.shortcut_label,
        alone=wording.shortcut_verdict,
        meaning=lambda audit: escape(wording.meaning(audit)),
        short=one_line,
        sentence=lambda text: escape(one_line(text, 400)),
        usd=wording.usd,
    )

    def plot(draw: Any, what: Any, salt: str) -> Markup:
        return Markup(draw(what, salt))  # noqa: S704  # matplotlib escapes what is drawn

    return environment.get_template(_TEMPLATE).render(
        audits=audits,
        kinds=list(dict.fromkeys(kind for audit in audits for kind in audit.shortcut)),
        shortcuts_plot=lambda several, salt: plot(shortcuts_plot, several, salt),
        lengths_plot=lambda lengths, salt: plot(lengths_plot, lengths, salt),
        ratio_plot=lambda lengths, salt: plot(ratio_plot, lengths, salt),
    )


def _shown(value: Any) -> Any:
    """Text of the data on one line, without what cannot be seen, and no longer than a table takes; then escaped."""
    return one_line(value, _LONGEST) if isinstance(value, str) and not hasattr(value, "__html__") else value
