"""How a question is explained to raters in one text."""

from __future__ import annotations

from prbgen.annotation.form.asked import Asked


def described(asked: Asked) -> str:
    """The description of a question; for a rating with the meaning of each mark, the best first, one a line."""
    if asked.kind != "rating":
        return asked.description
    marks = sorted(asked.options, key=lambda option: int(option[0]), reverse=True)
    return "\n".join([asked.description, *(f"{value}: {meaning}" for value, meaning in marks)]).strip()
