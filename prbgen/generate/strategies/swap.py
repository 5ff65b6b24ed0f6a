"""`swap`: the rejected answer keeps the gold rubric of another user's most similar question."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from prbgen.generate.rank.bm25 import query_words
from prbgen.generate.rank.words import words
from prbgen.generate.strategies.base import Brief
from prbgen.generate.tools import RejectedError, Tools
from prbgen.schema import Question, Rubric
from prbgen.sources import read_questions


class Swap:
    """Similarity is BM25 between question texts, over all questions of the source that have a gold rubric."""

    prompts: tuple[str, ...] = ()

    def __init__(self, tools: Tools) -> None:
        # All of the source, whatever part of it is asked for: a limit must not change whose rubric is taken.
        self._source = tools.recipe.source.model_copy(update={"limit": 0, "ids": ()})

    async def brief(self, question: Question, rubric: Rubric) -> Brief:
        """The other user's aspects, to be kept. Raises RejectedError if no other user's question shares a word."""
        others, index = self._others
        scores = index.get_scores(query_words(question.question)).tolist() if index else []
        # Stable: of equally similar questions the first in the source is taken.
        for place in sorted(range(len(scores)), key=lambda place: -scores[place]):
            other = others[place]
            if scores[place] > 0 and other.user_key != question.user_key:
                return Brief(other.rubric_aspects or (), taken_from=f"{other.subset}/{other.id}")
        raise RejectedError("pair", "no other user's question resembles this one, so there is no rubric to swap in")

    @cached_property
    def _others(self) -> tuple[list[Question], Any]:
        import bm25s

        others = [
            question.model_copy(update={"profile": (), "narrative": None})
            for question in read_questions(self._source)
            if isinstance(question, Question) and question.rubric_aspects
        ]
        corpus = [words(other.question) for other in others]
        if not any(corpus):
            return others, None
        index = bm25s.BM25()
        index.index(corpus, show_progress=False)
        return others, index
