"""What is where in the folder of a study."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from prbgen.downstream.folders import Answers
from prbgen.downstream.study.settings import Study
from prbgen.evaluation.results import Results
from prbgen.kept_folder import kept_folder
from prbgen.run import whole_file


@dataclass(frozen=True)
class StudyFolder:
    """A study: its settings, its parts, and its report."""

    folder: Path

    @property
    def settings(self) -> Path:
        """The study as resolved, there from the beginning; `prbgen study` takes it, too."""
        return self.folder / "resolved.toml"

    def kept(self) -> AbstractContextManager[None]:
        """Keep it to this process.

        Raises:
            InputError: another one is at work there, or it holds something else.
        """
        return kept_folder(self.folder, "studies", self.settings)

    def begin(self, study: Study) -> None:
        """Write the settings, which show what folder this is."""
        with whole_file(self.settings) as file:
            file.write(study.to_toml())

    @property
    def evaluations(self) -> Path:
        """The folder with a folder of results for each reward model under each condition."""
        return self.folder / "evaluations"

    def evaluated(self, name: str) -> Results:
        """The results of this name."""
        return Results(self.evaluations / name)

    @property
    def planner(self) -> Path:
        """The planner's replies, for all reward models."""
        return self.folder / "planner.sqlite"

    @property
    def answers(self) -> Answers:
        """The policy's candidates, and who scored and judged them."""
        return Answers(self.folder / "best-of-n")

    @property
    def page(self) -> Path:
        """The report."""
        return self.folder / "study.html"

    @property
    def document(self) -> Path:
        """The same for programs."""
        return self.folder / "study.json"

    @property
    def tables(self) -> Path:
        """The folder with the leaderboards as Markdown and LaTeX."""
        return self.folder / "report"

    @property
    def correlation(self) -> Path:
        """The folder with the correlations."""
        return self.folder / "correlation"
