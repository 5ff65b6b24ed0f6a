"""The dataset card: a template that researchers edit, filled with what is known of the pairs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prbgen import __version__
from prbgen.errors import InputError
from prbgen.publication.citation import bibtex
from prbgen.publication.facts import Facts
from prbgen.publication.names import ALL, RATINGS
from prbgen.publication.spelling import alt, between, code, decimal, quoted, told
from prbgen.recipe import ValidationSettings
from prbgen.resources import resource

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def render_card(template: Path, facts: Facts, own: Path | None = None) -> str:
    """Fill a card template.

    It sees every field of `facts` by its name, `usual` (the default thresholds), `size` (the Hub's size category),
    `dataset_info` (that part of the metadata), `bibtex` (the dataset's entry, for a block of code) and `version`
    (prbgen's). It may include other templates: those in the folder `own`, those beside it, and those that come with
    prbgen, in this order.

    Every text among them is set as code, so that nothing in a model's or a user's name can act as Markdown or HTML;
    within the metadata, `| yaml` quotes it; `| alt` makes it the words for an image. Numbers: `| told(digits)` for a
    figure with its interval or why it is not known, `| decimal(digits)`, and `| between(digits)` for an interval.

    Raises:
        InputError: the template cannot be read or filled, or its metadata would make `datasets` miss a config or
            that the data has changed, or says something else of the files than they do.
    """
    from markupsafe import Markup

    if not template.is_file():
        raise InputError(f"{template}: there is no such card template")
    values = vars(facts) | {
        "usual": ValidationSettings(),
        "size": size_category(facts.figures.pairs),
        "dataset_info": _dataset_info(facts),
        "bibtex": Markup(bibtex(facts.publication)),  # noqa: S704
        "version": __version__,
    }
    try:
        card = _environment(own, template.parent).from_string(template.read_text(encoding="utf-8")).render(values)
    except Exception as error:  # a template of the user's own can fail in any way
        line = getattr(error, "lineno", None)
        name = getattr(error, "filename", None) or template
        where = f"{name}, line {line}" if line else f"{template}"
        raise InputError(f"{where}: the card cannot be filled: {type(error).__name__}: {error}") from None
    _check_metadata(card, facts, template)
    return card


def size_category(pairs: int) -> str:
    """The Hub's word for how many rows there are."""
    bounds = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M"}
    return next((name for bound, name in bounds.items() if pairs < bound), "1M<n<10M")


def _environment(*folders: Path | None) -> Environment:
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment
    from markupsafe import Markup

    def as_code(value: Any) -> Any:
        return Markup(code(value)) if isinstance(value, str) and not isinstance(value, Markup) else value  # noqa: S704

    environment = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader([*filter(None, folders), resource("data_cards")]),
        undefined=StrictUndefined,
        autoescape=True,
        finalize=as_code,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "yaml": _marked(quoted),
        "alt": _marked(alt),
        "told": _marked(told),
        "decimal": _marked(decimal),
        "between": _marked(between),
    }
    return environment


def _marked(spell: Callable[..., str]) -> Callable[..., Markup]:
    """A filter whose result can be set as it is."""
    from markupsafe import Markup

    return lambda *arguments: Markup(spell(*arguments))  # noqa: S704


def _dataset_info(facts: Facts) -> Markup:
    from huggingface_hub import DatasetCardData
    from markupsafe import Markup

    entries = [info.entry() for info in facts.infos]
    return Markup(DatasetCardData(dataset_info=entries).to_yaml() if entries else "")  # noqa: S704


def _check_metadata(card: str, facts: Facts, template: Path) -> None:
    from huggingface_hub import DatasetCard

    try:
        metadata = DatasetCard(card).data
        configs = metadata.get("configs") or []
        described = {config["config_name"]: str(config.get("description")) for config in configs}
    except Exception as error:  # whatever a YAML reader can raise
        fault = " ".join(str(error).split())
        raise InputError(f"{template}: the metadata between the --- lines is no valid YAML: {fault}") from None
    for name in (ALL, *facts.figures.subsets, *([RATINGS] if facts.ratings else [])):
        if name not in described:
            raise InputError(
                f"{template}: the metadata declares no config {name!r}, so `datasets` would not find it;"
                " `prbgen init` writes a template that does"
            )
        # `datasets` caches a folder under its last name and its declared configs, not under its path or what it holds.
        if facts.digest not in described[name]:
            raise InputError(
                f"{template}: the description of config {name!r} lacks {{{{ digest }}}},"
                " so `datasets` would show what it has cached of another dataset"
            )
    info = metadata.get("dataset_info")
    if info is not None and info != [each.entry() for each in facts.infos]:
        raise InputError(
            f"{template}: dataset_info in the metadata is not that of the files, so `datasets` would refuse them;"
            " write {{ dataset_info }} on a line of its own instead"
        )
