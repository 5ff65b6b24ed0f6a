"""Texts and numbers as a card shows them, so that none can act as Markdown, HTML or YAML."""

from __future__ import annotations

import re

from prbgen.validation.report import Figure

_HARMLESS = re.compile(r"[\w .,:;/@+=()#%&'-]+")


def code(text: str) -> str:
    """A text as Markdown code on one line, also inside a table; what cannot be seen becomes a space."""
    shown = _visible(text)
    return f"`{shown}`" if _HARMLESS.fullmatch(shown) else f"<code>{_spelled(shown, ' ')}</code>"


def alt(text: str) -> str:
    """A text as the words that stand for an image, between [ and ], on one line."""
    return _spelled(_visible(text), " .,:;()-")


def quoted(text: str) -> str:
    """A text as a double-quoted YAML scalar in ASCII."""
    plain = "".join(sign if " " <= sign <= "~" and sign not in '"\\' else f"\\U{ord(sign):08x}" for sign in text)
    return f'"{plain}"'


def decimal(value: float, digits: int = 2) -> str:
    """A number with so many digits after the point; there is no minus before zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}"


def between(bounds: tuple[float, float], digits: int = 2) -> str:
    """An interval."""
    return f"{decimal(bounds[0], digits)} to {decimal(bounds[1], digits)}"


def told(figure: Figure | None, digits: int = 2) -> str:
    """A figure with its 95 % interval, and the reason where either is null."""
    if figure is None:
        return "unknown"
    if figure.value is None:
        return f"unknown ({code(figure.reason)})" if figure.reason else "unknown"
    value = decimal(figure.value, digits)
    if figure.ci95:
        return f"{value} ({between(figure.ci95, digits)})"
    return f"{value} ({code(figure.reason)})" if figure.reason else value


def _visible(text: str) -> str:
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def _spelled(text: str, harmless: str) -> str:
    return "".join(sign if sign.isalnum() or sign in harmless else f"&#{ord(sign)};" for sign in text)
