"""Reads questions and who asked them from data of any kind: pairs, each question once, or questions without answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from prbgen.errors import InputError
from prbgen.recipe import SAMPLES, SourceSettings
from prbgen.schema import PreferencePair, Question, Reject
from prbgen.sources.pairs import PairSource
from prbgen.sources.parts import absolute, hub_id
from prbgen.sources.questions import check_source, described, read_questions

_LAMP_QA_SPLIT = "test"


@dataclass(frozen=True)
class AskerSource:
    """Where questions are. They come as pairs whose answers, and whatever is about these, are empty or null."""

    name: str
    pairs: PairSource | None
    questions: SourceSettings | None

    @classmethod
    def at(cls, data: str, *, subsets: Sequence[str] = (), split: str = "") -> Self:
        """Find out what is to be read; what is on the Hub is fetched.

        Args:
            data: A run, a folder, a file, a Hub id, or "samples": with pairs, or with LaMP-QA's columns alone.
            subsets: Those to read; none means all.
            split: The one to read; "" means the first one of pairs that people have validated, else `test`.

        Raises:
            InputError: there is no such thing, or nothing in it that is asked for.
        """
        if data != SAMPLES:
            pairs = PairSource.at(data, subsets=subsets, split=split, one_split=True)
            if pairs.has_answers():
                return cls(pairs.name, pairs, None)
        path = data if data == SAMPLES or hub_id(data) else str(absolute(data))
        questions = SourceSettings(path=path, subsets=tuple(subsets), split=split or _LAMP_QA_SPLIT)
        check_source(questions)
        return cls(data, None, questions)

    def read(self) -> Iterator[PreferencePair]:
        """The questions, in source order, each of them once.

        Raises:
            InputError: a row cannot be read, or there is none of those asked for; before any is given out.
        """
        for _, asker in self.read_with_places():
            yield asker

    def read_with_places(self) -> Iterator[tuple[str, PreferencePair]]:
        """The same, each with its place, or with its name where the place is not known."""
        if self.questions:
            for question in read_questions(self.questions, strict=True):
                if isinstance(question, Reject):
                    raise InputError(described(question))
                yield f"{question.subset}/{question.id}", _asker(question)
        elif self.pairs:
            seen = set[tuple[str, str]]()
            for where, pair in self.pairs.read_with_places():
                if (pair.subset, pair.id) not in seen:
                    seen.add((pair.subset, pair.id))
                    about_answers = {"pair_id": None, "strategy": None, "generator": None, "calls": None}
                    yield where, pair.model_copy(update={"chosen": "", "rejected": "", **about_answers})


def _asker(question: Question) -> PreferencePair:
    return PreferencePair(
        id=question.id,
        pair_id=None,
        question=question.question,
        chosen="",
        rejected="",
        profile=question.profile,
        rubric_aspects=question.rubric_aspects,
        narrative=question.narrative,
        category=question.category,
        subset=question.subset,
        split=question.split,
        user_key=question.user_key,
    )
