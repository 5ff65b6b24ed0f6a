"""An audit as a page that opens anywhere: one file, no script, no network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from prbgen.generation.audit import wording
from prbgen.generation.audit.plots import lengths_plot, ratio_plot, shortcuts_plot
from prbgen.generation.audit.results import Audit
from prbgen.pages.environment import page_environment

_TEMPLATE = "page.html.j2"


def render_page(audits: Sequence[Audit]) -> str:
    """The page as HTML; several sets stand side by side first. Equal audits give equal bytes.

    Raises:
        ValueError: There is no audit.
    """
    if not audits:
        raise ValueError("no audit to show")
    from markupsafe import Markup, escape

    environment = page_environment(Path(__file__).parent)
    environment.filters.update(
        label=wording.shortcut_label,
        alone=wording.shortcut_verdict,
        meaning=lambda audit: escape(wording.meaning(audit)),
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
