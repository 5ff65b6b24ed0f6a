"""Results as leaderboards: `prbgen report`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prbgen.api.display import QUIET, Display
from prbgen.api.given import Place, place, places, refuse_none

if TYPE_CHECKING:
    from prbgen.evaluation.report.report import Evaluated, Report


@dataclass(frozen=True)
class Reported:
    """A report, and the `files` that have it: a page, Markdown, LaTeX."""

    report: Report
    files: tuple[Path, ...]

    @property
    def sets(self) -> tuple[Evaluated, ...]:
        """What was evaluated on each set of pairs; different sets are never compared."""
        return self.report.sets

    @property
    def scored(self) -> bool:
        """Whether any pair is scored."""
        return any(entry.summary.accuracy.value is not None for each in self.sets for entry in each.entries)

    def document(self) -> dict[str, Any]:
        """What JSON can hold: what `prbgen report --json` prints."""
        from prbgen.evaluation.report.document import document

        return {"files": [str(file) for file in self.files], **document(self.report)}


def report(
    results: Place | Iterable[Place], *, out: Place = "report", data: Place | None = None, display: Display = QUIET
) -> Reported:
    """Compare results of evaluations and write report.html, report.md and report.tex.

    Args:
        results: Folders of results, or above some.
        out: Where the files go.
        data: Where to read the pairs on which models disagree (where the results say, if that is there).
        display: Is told how it goes.

    Raises:
        InputError: there are no results, or they cannot be read or written.
    """
    from prbgen.evaluation.report.files import write_report
    from prbgen.evaluation.report.report import make_report
    from prbgen.evaluation.results import found_results

    folders = places(results, "results")
    refuse_none(results=folders)
    with display.saying("Reading results ...") as say:
        made = make_report(found_results(folders), None if data is None else str(data))
        say("Writing the report ...")
        return Reported(made, write_report(made, place(out, "out")))
