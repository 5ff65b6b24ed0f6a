"""What is asked about the candidates of every question, and what they score by the answers to that."""

from __future__ import annotations

from collections.abc import Iterator

from prbgen.downstream.best_of_n.groups import Group, groups, scores_of
from prbgen.downstream.best_of_n.score_settings import BestOfNScoring
from prbgen.downstream.candidates import CandidateRow, ScoreRow
from prbgen.downstream.folders import Answers
from prbgen.errors import InputError
from prbgen.evaluation.conditions.message import asked_of
from prbgen.evaluation.conditions.pair import SHOW_POSTS, PreparedPair
from prbgen.evaluation.conditions.prepared import Prepared
from prbgen.evaluation.scorers.scorer import Asked, Found
from prbgen.evaluation.scoring import Scoring, Tally
from prbgen.llm.templates import Prompts
from prbgen.run import read_records

# What a kind of scorer is asked about, where it is not all candidates of a question.
_WHAT = {"judge": "comparisons", "rate": "answers"}


class ScoreWork:
    """The candidates of every question, with what is asked about them, as often as need be."""

    def __init__(self, settings: BestOfNScoring, answers: Answers, questions: Prepared, prompts: Prompts) -> None:
        self._settings, self._answers, self._questions, self._prompts = settings, answers, questions, prompts
        # Of what failed, by its place: the places of its answers when they are asked about one by one.
        self._alone: dict[int, range] = {}

    @property
    def what(self) -> str:
        """What is asked about, in messages."""
        return _WHAT.get(self._settings.scorer.kind, "questions")

    @property
    def together(self) -> bool:
        """Whether several answers are asked about at once that could be asked about one by one."""
        return self._settings.scorer.kind not in _WHAT

    def __iter__(self) -> Iterator[tuple[PreparedPair, CandidateRow, list[Group]]]:
        """Each question with its candidates and what is asked about them: nothing, if it lacks something."""
        questions = iter(self._questions)
        for row in read_records(self._answers.candidates, CandidateRow):
            question = next((each for each in questions if each.key == row.key), None)
            if question is None:
                raise InputError(
                    f"{self._settings.data.data}: has no question {row.key} at its place among those of"
                    f" {self._answers.candidates}; name the data that was sampled from, and the same --split"
                )
            texts = [each.text for each in row.candidates]
            lacks = question.lacking is not None
            yield question, row, [] if lacks else groups(self._settings.scorer.kind, texts, self._settings.opponents)

    def asked(self) -> Iterator[Asked]:
        """All that is asked about."""
        for place, (question, row, group) in enumerate(self._groups()):
            yield self._asked(place, question, row, group)

    def one_by_one(self, scoring: Scoring, tally: Tally) -> Iterator[Asked]:
        """The answers of what failed, where that has not been done; they are counted in the tally."""
        failed = scoring.unscored.keys() - self._alone.keys()
        place = sum(map(len, self._alone.values()))
        for whole, (question, row, group) in enumerate(self._groups()):
            if not failed:
                return
            if whole in failed:
                failed.remove(whole)
                self._alone[whole] = range(place, place + len(group.places))
                tally.total += len(group.places)
                for each in group.places:
                    yield self._asked(place, question, row, Group((each,)))
                    place += 1

    def rows(self, scoring: Scoring, alone: Scoring) -> Iterator[tuple[CandidateRow, ScoreRow]]:
        """What each question's candidates came to."""
        place = 0
        for question, row, asked in self:
            done: list[tuple[Group, Found]] = []
            for whole, group in enumerate(asked, place):
                if places := self._alone.get(whole):
                    one_by_one = zip(group.places, places, strict=True)
                    done += [(Group((each,)), alone.found(at)) for each, at in one_by_one]
                else:
                    done.append((group, scoring.found(whole)))
            place += len(asked)
            yield row, self._row(question, row, [group for group, _ in done], [found for _, found in done])

    def _groups(self) -> Iterator[tuple[PreparedPair, CandidateRow, Group]]:
        return ((question, row, group) for question, row, asked in self for group in asked)

    def _asked(self, place: int, question: PreparedPair, row: CandidateRow, group: Group) -> Asked:
        texts = tuple(row.candidates[at].text or "" for at in group.places)
        return asked_of(place, question, texts, self._settings.condition, self._prompts)

    def _row(self, question: PreparedPair, row: CandidateRow, asked: list[Group], found: list[Found]) -> ScoreRow:
        texts = [each.text for each in row.candidates]
        scores, reasons = scores_of(self._settings.scorer.kind, texts, asked, found)
        if question.lacking:
            reasons = tuple(None if text is None else question.lacking for text in texts)
        most = len(question.posts) if self._settings.condition in SHOW_POSTS else 0
        shown = min((each.posts for each in found), default=None)
        truncated = shown is not None and (shown < most or question.posts_lost > 0)
        return ScoreRow(key=row.key, scores=scores, reasons=reasons, posts_shown=shown, truncated=truncated)
