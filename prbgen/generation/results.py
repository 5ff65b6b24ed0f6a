"""What this command brings, on disk until all of it is there: results come in any order, and memory stays small."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO, TypeAlias

from prbgen.run import Run, as_line, cannot_write
from prbgen.schema import Pair, Reject, StrategyName

# Which pair of a question: by which strategy and generator. Null: a row that is no question.
Variant: TypeAlias = tuple[StrategyName, str] | None


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file of records: where it lies, which question it is about, and which variant of its pair."""

    start: int
    length: int
    question: str
    variant: Variant


class Lines:
    """A file of records that is too large for memory, and what its lines are about."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.lines: list[Line] = []

    def append(self, text: str, question: str, variant: Variant) -> None:
        """Write a line at the end."""
        start = self._file.seek(0, 2)
        length = self._file.write(text.encode())
        self.lines.append(Line(start, length, question, variant))

    def text(self, line: Line) -> str:
        """Read a line."""
        self._file.seek(line.start)
        # Whoever edited the file may have left the last line without its end.
        return self._file.read(line.length).decode().removesuffix("\n") + "\n"


class Results:
    """Pairs and rejects of one pass over the source, in a file that vanishes with the process."""

    def __init__(self, file: IO[bytes], variant: Variant, run: Run) -> None:
        self._run = run
        self._variant = variant
        self._questions: dict[int, str] = {}
        self.pairs, self.rejects = Lines(file), Lines(file)

    @classmethod
    @contextmanager
    def of(cls, run: Run, variant: Variant) -> Iterator[Results]:
        """An empty one, on the disk of a run."""
        try:
            file = TemporaryFile(dir=run.folder)  # noqa: SIM115 - only its making is the disk's fault
        except OSError as error:
            raise cannot_write(run.folder, error) from None
        try:
            yield cls(file, variant, run)
        finally:
            # On a full disk it cannot be emptied of what it still buffers, which nobody needs any more.
            with suppress(OSError):
                file.close()

    def add(self, place: int, result: Pair | Reject) -> None:
        """Take the result of the item at this place of the source.

        Raises:
            PrbgenError: the disk refuses.
        """
        if isinstance(result, Pair):
            question, lines = f"{result.provenance.subset}/{result.id}", self.pairs
        else:
            # A row that is no question stands for itself.
            question = f"{result.subset}/{result.id}" if result.stage != "source" else f"\0{place}"
            lines = self.rejects
        self._questions[place] = question
        try:
            lines.append(as_line(result), question, None if question.startswith("\0") else self._variant)
        except OSError as error:
            raise cannot_write(self._run.folder, error) from None

    @property
    def questions(self) -> list[str]:
        """All that this command dealt with, in source order."""
        return [self._questions[place] for place in sorted(self._questions)]
