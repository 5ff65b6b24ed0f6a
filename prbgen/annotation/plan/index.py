"""pairs.jsonl as a card index: of each pair what planning needs, and where its line is, so that texts stay on disk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from prbgen.annotation.plan.show import shown_posts
from prbgen.errors import InputError
from prbgen.run import read_lines
from prbgen.schema import Pair


@dataclass(frozen=True, slots=True)
class Entry:
    """A pair without its texts. `start` and `size` are its line's, in bytes; `aspects` and `posts` are counts."""

    pair_id: str
    start: int
    size: int
    subset: str
    strategy: str
    question_id: str
    user_key: str
    aspects: int
    posts: int

    @property
    def stratum(self) -> tuple[str, str]:
        """What samples and sides are balanced over."""
        return self.subset, self.strategy

    @property
    def asked(self) -> tuple[str, str]:
        """The question, which several pairs may share."""
        return self.subset, self.question_id


class Index:
    """The entries by pair id, in the order of the ids; that of the file does not count."""

    def __init__(self, file: IO[bytes], entries: dict[str, Entry]) -> None:
        self._file = file
        self.entries = entries

    def find(self, pair_id: str | None) -> Pair | None:
        """The whole pair; null if there is none."""
        return self.read(pair_id) if pair_id is not None and pair_id in self.entries else None

    def read(self, pair_id: str) -> Pair:
        """The whole pair, which must be there."""
        entry = self.entries[pair_id]
        self._file.seek(entry.start)
        return Pair.model_validate_json(self._file.read(entry.size))


@contextmanager
def indexed(pairs: Path) -> Iterator[Index]:
    """Read a run's pairs.jsonl once.

    Raises:
        InputError: the file is missing, empty, or not as `prbgen generate` writes it.
    """
    try:
        file = pairs.open("rb")
    except FileNotFoundError:
        raise InputError(f"{pairs}: not there, so there is nothing to rate; run `prbgen generate` first") from None
    except OSError as error:
        raise InputError(f"{pairs}: {error.strerror}") from None
    with file:
        entries: dict[str, Entry] = {}
        for start, size, pair in read_lines(pairs, file, Pair):
            if pair.pair_id in entries:
                raise InputError(f"{pairs}: holds pair {pair.pair_id} twice; run `prbgen generate` again")
            entries[pair.pair_id] = Entry(
                pair_id=pair.pair_id,
                start=start,
                size=size,
                subset=pair.provenance.subset,
                strategy=pair.strategy,
                question_id=pair.id,
                user_key=pair.user_key,
                aspects=len(pair.rubric_aspects),
                posts=len(shown_posts(pair)),
            )
        if not entries:
            raise InputError(f"{pairs}: holds no pairs, so there is nothing to rate; run `prbgen generate` first")
        yield Index(file, dict(sorted(entries.items())))
