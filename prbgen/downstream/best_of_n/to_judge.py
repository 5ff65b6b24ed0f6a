"""What there is to judge: a policy's candidates beside the questions that they answer, read in step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from prbgen.downstream.candidates import CandidateRow
from prbgen.downstream.folders import Answers
from prbgen.errors import InputError
from prbgen.evaluation.settings import DataSettings
from prbgen.run import read_records
from prbgen.schema import PreferencePair, RubricAspect
from prbgen.sources import AskerSource
from prbgen.text import one_line

NO_RUBRIC = "the question has no rubric"
BEYOND_LIMIT = "the judge was not asked: beyond --limit"
# Characters of a name that a message quotes.
_NAME = 80


@dataclass(frozen=True)
class ToJudge:
    """A question's candidates, and what the judge needs to know of the question; `lacking` says why it is not asked."""

    row: CandidateRow
    question: str
    narrative: str | None
    aspects: tuple[RubricAspect, ...]
    lacking: str | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """What the judge is asked about: every answer, equal ones once."""
        texts = (each.text for each in self.row.candidates if each.text is not None)
        return () if self.lacking else tuple(dict.fromkeys(texts))


def to_judge(data: DataSettings, answers: Answers) -> Iterator[ToJudge]:
    """All candidates, in their order.

    Raises:
        InputError: the data cannot be read or is other data than the candidates', or none of it has a rubric.
    """
    # Posts do not matter here, so they need no ranking.
    source = AskerSource.at(data.data, subsets=data.subsets, split=data.split)
    askers = source.read()
    with_rubric = False
    for place, row in enumerate(read_records(answers.candidates, CandidateRow)):
        asker = _asker_of(row, askers, source.name, answers)
        aspects = asker.rubric_aspects or ()
        with_rubric = with_rubric or bool(aspects)
        lacking = None if aspects else NO_RUBRIC
        if data.limit and place >= data.limit:
            lacking = BEYOND_LIMIT
        yield ToJudge(row, asker.question, asker.narrative, aspects, lacking)
    if not with_rubric:
        what = "candidates are judged by rubric_aspects, and no question that they answer has any"
        raise InputError(f"{source.name}: {what}")


def _asker_of(row: CandidateRow, askers: Iterator[PreferencePair], data: str, answers: Answers) -> PreferencePair:
    """The question of a row; questions before it that nobody answered are passed over."""
    for asker in askers:
        if f"{asker.subset}/{asker.id}" == row.key:
            return asker
    raise InputError(
        f"{data}: has no question {one_line(row.key, _NAME)}, or not in the order of {answers.candidates}: name the"
        " data, subsets and split that the candidates were written for"
    )
