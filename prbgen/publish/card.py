"""The dataset card: a template that researchers edit, filled with the figures of the pairs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

from prbgen import __version__
from prbgen.errors import InputError
from prbgen.publish.audited import Audited
from prbgen.publish.figures import Figures
from prbgen.publish.names import ALL

Origin = Literal["lamp-qa", "samples", "other"]

_HARMLESS = re.compile(r"[\w .,:;/@+=()#%&'-]+")


def render_card(template: Path, figures: Figures, origin: Origin, digest: str, audit: Audited | None = None) -> str:
    """Fill a card template.

    It sees `figures`, `origin`, `digest` (of the data), `audit` (null: none has been made), `size` (the Hub's size
    category) and `version` (prbgen's).

    Every text among them is set as code, so that nothing in a model's or a user's name can act as Markdown or HTML;
    within the metadata, `| yaml` quotes it.

    Raises:
        InputError: the template cannot be read or filled, or its metadata would make `datasets` miss a config or
            that the data has changed.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    def as_code(value: Any) -> Any:
        return Markup(code(value)) if isinstance(value, str) and not isinstance(value, Markup) else value  # noqa: S704

    environment = Environment(
        loader=FileSystemLoader(template.parent),
        undefined=StrictUndefined,
        autoescape=True,
        finalize=as_code,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["yaml"] = lambda text: Markup(quoted(text))  # noqa: S704
    size = size_category(figures.pairs)
    values = {"figures": figures, "origin": origin, "digest": digest, "audit": audit, "size": size}
    try:
        card = environment.get_template(template.name).render(values, version=__version__)
    except Exception as error:  # a template of the user's own can fail in any way
        line = getattr(error, "lineno", None)
        where = f"{template}, line {line}" if line else f"{template}"
        raise InputError(f"{where}: the card cannot be filled: {type(error).__name__}: {error}") from None
    _check_metadata(card, (ALL, *figures.subsets), digest, template)
    return card


def code(text: str) -> str:
    """A text as Markdown code on one line, also inside a table; what cannot be seen becomes a space."""
    shown = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    if _HARMLESS.fullmatch(shown):
        return f"`{shown}`"
    return "<code>" + "".join(sign if sign.isalnum() else f"&#{ord(sign)};" for sign in shown) + "</code>"


def quoted(text: str) -> str:
    """A text as a double-quoted YAML scalar in ASCII."""
    plain = "".join(sign if " " <= sign <= "~" and sign not in '"\\' else f"\\U{ord(sign):08x}" for sign in text)
    return f'"{plain}"'


def size_category(pairs: int) -> str:
    """The Hub's word for how many rows there are."""
    bounds = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M"}
    return next((name for bound, name in bounds.items() if pairs < bound), "1M<n<10M")


def _check_metadata(card: str, names: tuple[str, ...], digest: str, template: Path) -> None:
    from huggingface_hub import DatasetCard

    try:
        configs = DatasetCard(card).data.get("configs") or []
        described = {config["config_name"]: str(config.get("description")) for config in configs}
    except Exception as error:  # whatever a YAML reader can raise
        fault = " ".join(str(error).split())
        raise InputError(f"{template}: the metadata between the --- lines is no valid YAML: {fault}") from None
    for name in names:
        if name not in described:
            raise InputError(f"{template}: the metadata declares no config {name!r}, so `datasets` would not find it")
        # `datasets` caches a folder under its last name and its declared configs, not under its path or what it holds.
        if digest not in described[name]:
            raise InputError(
                f"{template}: the description of config {name!r} lacks {{{{ digest }}}},"
                " so `datasets` would show what it has cached of another dataset"
            )
