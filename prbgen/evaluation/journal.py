"""What has been scored, on disk as soon as it is known: whatever kills the process, it is not scored again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from prbgen.errors import InputError
from prbgen.evaluation.scorers.scorer import Found
from prbgen.kept_table import KeptTable

_TABLES = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS found (
    work TEXT PRIMARY KEY, posts INTEGER NOT NULL, scores TEXT NOT NULL,
    verdict_ab TEXT CHECK (verdict_ab IN ('A', 'B')), verdict_ba TEXT CHECK (verdict_ba IN ('A', 'B'))
) WITHOUT ROWID;
"""


# An earlier prbgen kept the two scores of a pair in columns of their own, of a table with this name.
_EARLIER = "scores"


class Journal(KeptTable):
    """The file that keeps scores, by what they are scores of (`work`, a hash)."""

    what, verb = "scores", "score"
    tables, sign = _TABLES, "about"

    def begin(self, identity: Mapping[str, object]) -> None:
        """Note which evaluation this is.

        Raises:
            InputError: it is another one; says in what.
        """
        before = self._about("identity")
        if before is None:
            self._note("identity", dict(identity))
        elif changed := [name for name in identity if before.get(name) != identity[name]]:
            name = changed[0]
            raise InputError(
                f"{self.path.parent}: holds results of another evaluation ({name} {before.get(name)!r}, not"
                f" {identity[name]!r}); name another folder with --out"
            )

    def get(self, work: str, place: int) -> Found | None:
        """What this work came to, if it has been done, as found at this place."""
        with self._told():
            row = self._file.execute(
                "SELECT posts, scores, verdict_ab, verdict_ba FROM found WHERE work = ?", (work,)
            ).fetchone()
            return Found(place, row[0], tuple(json.loads(row[1])), *row[2:]) if row else None

    def add(self, work: str, found: Found, seconds: float) -> None:
        """Keep what was scored, and how long scoring has taken by now, in seconds over all processes."""
        row = (work, found.posts, json.dumps(found.scores), found.verdict_ab, found.verdict_ba)
        with self._told(), self._file:
            self._file.execute("BEGIN")
            self._file.execute("INSERT OR REPLACE INTO found VALUES (?, ?, ?, ?, ?)", row)
            self._note("seconds", seconds)

    @property
    def seconds(self) -> float:
        """How long scoring has taken, over all processes."""
        return float(self._about("seconds") or 0)

    def add_versions(self, versions: Mapping[str, str]) -> None:
        """Note what a process scores with."""
        known = self._about("versions") or {}
        self._note("versions", {name: sorted({*known.get(name, ()), each}) for name, each in versions.items()})

    @property
    def versions(self) -> dict[str, str]:
        """What all processes scored with: where they did not have the same, all of it."""
        return {name: ", ".join(each) for name, each in (self._about("versions") or {}).items()}

    def _take_over(self) -> None:
        """What an earlier prbgen scored is paid for, too."""
        if not self._file.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (_EARLIER,)).fetchone():
            return
        columns = "work, posts, score_chosen, score_rejected, verdict_ab, verdict_ba"
        # All of it, or nothing.
        with self._file:
            self._file.execute("BEGIN IMMEDIATE")
            rows = self._file.execute(f"SELECT {columns} FROM {_EARLIER}")  # noqa: S608
            # SQLite's own JSON would round.
            found = ((row[0], row[1], json.dumps([] if row[2] is None else row[2:4]), *row[4:]) for row in rows)
            self._file.executemany("INSERT OR IGNORE INTO found VALUES (?, ?, ?, ?, ?)", found)
            self._file.execute(f"DROP TABLE {_EARLIER}")

    def _about(self, name: str) -> Any:
        with self._told():
            row = self._file.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
            return json.loads(row[0]) if row else None

    def _note(self, name: str, value: object) -> None:
        with self._told():
            self._file.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (name, json.dumps(value)))
