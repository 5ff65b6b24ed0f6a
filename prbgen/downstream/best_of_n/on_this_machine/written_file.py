"""What a policy on this machine has written, on disk as soon as it is known."""

from __future__ import annotations

from collections.abc import Sequence

from prbgen.downstream.candidates import Candidate
from prbgen.kept_table import KeptTable

_TABLE = """
CREATE TABLE IF NOT EXISTS written (
    work TEXT NOT NULL, sample INTEGER NOT NULL, text TEXT, truncated INTEGER NOT NULL, reason TEXT,
    PRIMARY KEY (work, sample)
) WITHOUT ROWID;
"""


class WrittenFile(KeptTable):
    """Candidates by what they answer (`work`, a hash) and their number."""

    what, verb = "answers", "write"
    tables, sign = _TABLE, "written"

    def get(self, work: str, n: int) -> dict[int, Candidate]:
        """Which of the first n candidates have been written."""
        query = "SELECT sample, text, truncated, reason FROM written WHERE work = ? AND sample < ?"
        with self._told():
            rows = self._file.execute(query, (work, n)).fetchall()
        return {row[0]: Candidate(text=row[1], truncated=bool(row[2]), reason=row[3]) for row in rows}

    def add(self, work: str, samples: Sequence[tuple[int, Candidate]]) -> None:
        """Keep candidates with their numbers: all of them, or none."""
        rows = [(work, number, each.text, each.truncated, each.reason) for number, each in samples]
        with self._told(), self._file:
            self._file.execute("BEGIN")
            self._file.executemany("INSERT OR REPLACE INTO written VALUES (?, ?, ?, ?, ?)", rows)
