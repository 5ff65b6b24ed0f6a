"""The prompts of a folder of `prbgen ppo prepare`: what each asker says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prbgen.digest import text_hash
from prbgen.errors import InputError
from prbgen.sources.parquet_rows import parquet_rows
from prbgen.sources.raw import RawRow


@dataclass(frozen=True)
class Words:
    """What an asker says, `text`, and how it goes with one post less, with two less, and so on: so many characters of
    the beginning, and so many of the end.
    """

    text: str
    shorter: tuple[tuple[int, int], ...] = ()

    def with_posts(self, posts: int) -> str:
        """With so many of the posts that can be left out, 0 to len(shorter): with all of them, it is the text."""
        if posts >= len(self.shorter):
            return self.text
        head, tail = self.shorter[len(self.shorter) - posts - 1]
        return self.text[:head] + self.text[len(self.text) - tail :]


def read_prompts(folder: Path) -> list[Words]:
    """The user's message of each row of train.parquet, in their order.

    Raises:
        InputError: there is no such file, it holds no prompts, or a prompt is not one message of a user.
    """
    path = folder / "train.parquet"
    try:
        rows = list(parquet_rows(path, path.name, ("prompt", "extra_info")))
    except OSError as error:
        what = error.strerror or error
        raise InputError(f"{path}: {what}; name a folder that `prbgen ppo prepare` wrote") from None
    if not rows:
        raise InputError(f"{path}: holds no prompts")
    return [_words(row) for row in rows]


def hash_of(prompts: list[Words]) -> str:
    """What tells prompts apart from others."""
    return text_hash(*(f"{words.text}\x1f{words.shorter}" for words in prompts))


def _words(row: RawRow) -> Words:
    match row.value:
        case {"prompt": [{"role": "user", "content": str(text)}], **rest} if text.strip():
            return Words(text, _shorter(row, text, rest.get("extra_info")))
    fault = row.fault or "`prompt` should be one message of a user, as [{role, content}]"
    raise InputError(f"{row.where}: {fault}")


def _shorter(row: RawRow, text: str, extra_info: Any) -> tuple[tuple[int, int], ...]:
    """Where the text can be cut; nowhere, if the data does not say."""
    said = extra_info.get("shorter") if isinstance(extra_info, dict) else None
    try:
        shorter = tuple((int(head), int(tail)) for head, tail in said or ())
    except (TypeError, ValueError):
        shorter = ((-1, -1),)
    if any(head < 0 or tail < 0 or head + tail > len(text) for head, tail in shorter):
        raise InputError(f"{row.where}: `extra_info.shorter` should be places in `prompt`, as [[begin, end], ...]")
    return shorter
