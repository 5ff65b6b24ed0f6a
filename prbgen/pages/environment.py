"""How pages are made of templates: whatever the data says is text, on one line, and short."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from prbgen.formatting import usd
from prbgen.text import one_line

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_LONGEST = 120  # characters of a name, an id or a term
# They stand inside words, and join emoji.
_JOINERS = "\u200c\u200d"


def page_environment(*folders: Path) -> Environment:
    """Templates of these folders, which may include "base.css", and "head.html.j2": it allows a page no
    request, and no script but the one whose `script_hash` it has. All that is put in is escaped, and unknown names are
    errors. Filters: `short(most)`, `sentence` (up to 400 characters), `usd`, `passage(most)`.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import escape

    environment = Environment(
        loader=FileSystemLoader([*folders, Path(__file__).parent]),
        undefined=StrictUndefined,
        autoescape=True,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        short=one_line, sentence=lambda text: escape(one_line(text, 400)), usd=usd, passage=passage
    )
    return environment


def passage(text: str, most: int = 6000) -> Markup:
    """A text at length with its line ends, without what cannot be seen; of a longer one, the beginning."""
    from markupsafe import escape

    shown = "".join(each if each.isprintable() or each in "\n" + _JOINERS else " " for each in text[:most])
    rest = f" … ({len(text) - most:,} more characters)" if len(text) > most else ""
    return escape(shown + rest)


def _shown(value: Any) -> Any:
    """Text of the data on one line, without what cannot be seen, and no longer than a table takes; then escaped."""
    return one_line(value, _LONGEST) if isinstance(value, str) and not hasattr(value, "__html__") else value
