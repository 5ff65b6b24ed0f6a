"""Everything that a report says, whatever it is written as."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from prbgen.evaluation.report.boards import Board, boards
from prbgen.evaluation.report.contrasts import Contrast, contrasts
from prbgen.evaluation.report.disagreements import Disagreements, disagreements
from prbgen.evaluation.report.entries import Entry, read_entries
from prbgen.evaluation.report.labels import labelled
from prbgen.evaluation.report.repeats import Repeat, without_repeats
from prbgen.evaluation.results import Results

DISAGREEMENTS = 12


@dataclass(frozen=True)
class Evaluated:
    """All results on the same pairs: the same rows with the same texts. `names` are what the data was called; `users`
    are the fewest and the most that a result knows, as not every copy of the data names them; `repeats` are left out.
    """

    names: tuple[str, ...]
    splits: tuple[str | None, ...]
    pairs: int
    users: tuple[int, int]
    entries: tuple[Entry, ...]
    boards: tuple[Board, ...]
    contrasts: tuple[Contrast, ...]
    disagreements: Disagreements | None
    repeats: tuple[Repeat, ...]

    @property
    def systems(self) -> tuple[str, ...]:
        """The models, in the order of the first leaderboard, then as they come."""
        ranked = (row.entry.system for board in self.boards for row in board.rows)
        return tuple(dict.fromkeys(ranked))


@dataclass(frozen=True)
class Report:
    """What was evaluated on each set of pairs; most results first. Different sets are never compared."""

    sets: tuple[Evaluated, ...]


def make_report(results: Iterable[Results], data: str | None = None, *, most: int = DISAGREEMENTS) -> Report:
    """Read results and compare them.

    Args:
        results: Those to report on.
        data: Where to read the texts of pairs to show; null: where the results say, if that can be read here.
        most: How many pairs on which models disagree are shown.

    Raises:
        InputError: results are damaged, or `data` cannot be read.
    """
    sets: dict[str, list[Entry]] = {}
    for entry in read_entries(results):
        sets.setdefault(entry.summary.pairs, []).append(entry)
    evaluated = [_evaluated(entries, data, most) for entries in sets.values()]
    return Report(tuple(sorted(evaluated, key=lambda each: (-len(each.entries), -each.pairs, each.names))))


def _evaluated(found: Sequence[Entry], data: str | None, most: int) -> Evaluated:
    kept, repeats = without_repeats(found)
    entries = labelled(kept)
    summaries = [entry.summary for entry in entries]
    return Evaluated(
        names=tuple(sorted({each.data for each in summaries})),
        splits=tuple(sorted({each.split for each in summaries}, key=lambda split: split or "")),
        pairs=summaries[0].n,
        users=(min(each.users for each in summaries), max(each.users for each in summaries)),
        entries=tuple(entries),
        boards=boards(entries),
        contrasts=contrasts(entries),
        disagreements=disagreements(entries, data, most),
        repeats=tuple(repeats),
    )
