"""What earlier commands left in a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO

from prbgen.generation.results import Line, Lines, Variant
from prbgen.llm.templates import Prompts
from prbgen.run import Run, read_lines
from prbgen.schema import Pair, Reject


class Earlier:
    """Pairs and rejects of earlier commands."""

    def __init__(self, pairs: IO[bytes], rejects: IO[bytes]) -> None:
        self._templates: Counter[tuple[Variant, str, str]] = Counter()
        self._judges: Counter[tuple[Variant, str | None]] = Counter()
        self.pairs, self.rejects = Lines(pairs), Lines(rejects)

    @classmethod
    @contextmanager
    def of(cls, run: Run) -> Iterator[Earlier]:
        """Those of a run.

        Raises:
            InputError: a line is no record; names file and line.
        """
        with _opened(run.pairs) as pairs, _opened(run.rejects) as rejects:
            earlier = cls(pairs, rejects)
            for start, length, pair in read_lines(run.pairs, pairs, Pair):
                earlier._add_pair(start, length, pair)
            for start, length, reject in read_lines(run.rejects, rejects, Reject):
                earlier._add_reject(start, length, reject)
            yield earlier

    def by_other_templates(self, variant: Variant, prompts: Prompts) -> dict[str, int]:
        """How many pairs of a variant were made by another version of a template than there is now, by template."""
        pairs: Counter[str] = Counter()
        for (made, name, digest), count in self._templates.items():
            if made == variant and prompts.digest(name) != digest:
                pairs[name] += count
        return dict(pairs)

    def by_other_judges(self, variant: Variant, judge: str | None) -> dict[str | None, int]:
        """How many pairs of a variant were judged by another model than this one (null: by none), by that model."""
        return {other: pairs for (made, other), pairs in self._judges.items() if made == variant and other != judge}

    def _add_pair(self, start: int, length: int, pair: Pair) -> None:
        variant = (pair.strategy, pair.generator)
        self.pairs.lines.append(Line(start, length, f"{pair.provenance.subset}/{pair.id}", variant))
        self._judges[variant, pair.provenance.judge] += 1
        self._templates.update((variant, name, digest) for name, digest in pair.provenance.prompts.items())

    def _add_reject(self, start: int, length: int, reject: Reject) -> None:
        variant = (reject.strategy, reject.generator) if reject.strategy and reject.generator else None
        self.rejects.lines.append(Line(start, length, f"{reject.subset}/{reject.id}", variant))


def _opened(path: Path) -> AbstractContextManager[IO[bytes]]:
    return path.open("rb") if path.is_file() else BytesIO()
