"""A round's form: read from folders of the user's own or from annotation/, frozen beside the ratings, read back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from prbgen.annotation.form.asked import Asked, Form
from prbgen.annotation.form.questions import read_questions
from prbgen.annotation.plan.wording import TEMPLATE, Wording
from prbgen.errors import InputError
from prbgen.resources import resource
from prbgen.run import cannot_write, whole_file
from prbgen.schema import Round

GUIDELINES_MOST = 10_000  # characters that Argilla takes
_SHOWN = "record.fields.item"
_GOLD = f"gold/{TEMPLATE}"
_ENDINGS = {"guidelines": "md", "questions": "toml", "layout": "html"}
# The number of aspects that a questions file fixes stands above its first table.
_FIXED = re.compile(r"""^[ \t]*["']?aspects["']?[ \t]*=[^\n]*\n*""", re.MULTILINE)
_TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)


def read_form(round_: Round, folders: Sequence[Path], aspects: int) -> Form:
    """The form of a round as it is laid out now.

    Each of `folders` may have guidelines/, questions/, layout/ and gold/, as annotation/ has; a file is taken from the
    first that has it, else from those that come with prbgen. `aspects` is the greatest number of aspects of a pair.

    Raises:
        InputError: a file is not as it should be; names it, the place and what would be right.
    """
    within = [*folders, resource("annotation")]
    return _form(round_, {name: _first(within, name) for name in _names(round_)}, aspects)


def freeze(form: Form, folder: Path) -> None:
    """Keep the files that a form was made of in `folder`, in the places in which `read_form` would find them.

    Its questions fix how many aspects there are to tick.

    Raises:
        PrbgenError: they cannot be written.
    """
    for name in _names(form.round):
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(path, error) from None
        with whole_file(path) as file:
            file.write(form.sources[name])


def frozen(folder: Path, round_: Round) -> Form:
    """The form as `freeze` kept it.

    Raises:
        InputError: a copy is missing or was changed into something that is no such file.
    """
    return _form(round_, {name: folder / name for name in _names(round_)}, 0)


def _names(round_: Round) -> list[str]:
    """The places of a form's files in its folder."""
    names = [f"{kind}/{round_}.{ending}" for kind, ending in _ENDINGS.items()]
    return [*names, _GOLD] if round_ == "rubric" else names


def _first(folders: Sequence[Path], name: str) -> Path:
    return next((folder / name for folder in folders if (folder / name).exists()), folders[-1] / name)


def _form(round_: Round, paths: dict[str, Path], aspects: int) -> Form:
    sources = {name: _text(path) for name, path in paths.items()}
    guidelines, questions, layout = (name for name in paths if name != _GOLD)
    asked = read_questions(sources[questions], str(paths[questions]), round_, aspects)
    if _GOLD in paths:
        Wording(sources[_GOLD], str(paths[_GOLD]))  # a broken one is said now
    return Form(
        round=round_,
        guidelines=_guidelines(paths[guidelines], sources[guidelines]),
        asked=asked,
        layout=_layout(paths[layout], sources[layout]),
        gold=sources.get(_GOLD),
        sources=sources | {questions: _with_aspects(sources[questions], asked)},
    )


def _with_aspects(text: str, asked: Iterable[Asked]) -> str:
    """The questions file with the number of aspects in it, if there is a question about them."""
    labels = next((len(each.options) - 1 for each in asked if each.kind == "aspects"), None)
    if labels is None:
        return text
    table = _TABLE.search(text)
    end = table.start() if table else len(text)
    return f"aspects = {labels}  # how many there are to tick, fixed when the round began\n\n" + (
        _FIXED.sub("", text[:end]).lstrip("\n") + text[end:]
    )


def _text(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not a UTF-8 text file") from None
    if not text.strip():
        raise InputError(f"{path}: is empty; `prbgen init DIR` writes one to begin from")
    return text


def _guidelines(path: Path, text: str) -> str:
    text = text.strip()
    if len(text) > GUIDELINES_MOST:
        raise InputError(f"{path}: has {len(text)} characters; Argilla takes {GUIDELINES_MOST}, so say it in less")
    return text


def _layout(path: Path, text: str) -> str:
    text = text.strip()
    # The SDK would take anything else for the address of a file, and Argilla's page gives "$" a meaning of its own.
    if not text.startswith("<"):
        raise InputError(f"{path}: must begin with a tag or a comment: '<'")
    if "$" in text:
        line = text[: text.index("$")].count("\n") + 1
        raise InputError(f"{path}: line {line}: '$' is lost in Argilla's page; write &dollar; instead")
    if not re.search(re.escape(_SHOWN) + r"\b", text):
        raise InputError(
            f"{path}: shows nothing of the item: it must use {_SHOWN}, as in {{{{{{{_SHOWN}.question}}}}}}"
        )
    return text
