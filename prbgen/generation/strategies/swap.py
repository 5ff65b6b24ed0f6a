"""`swap`: the rejected answer keeps the gold rubric of another user's most similar question."""

from __future__ import annotations

from typing import Any

from prbgen.generation.strategies.base import Brief
from prbgen.generation.tools import RejectedError, Tools
from prbgen.schema import Question, Rubric
from prbgen.sources import read_questions
from prbgen.words.bm25 import query_words
from prbgen.words.words import words


class Swap:
    """Similarity is BM25 between question texts, over all questions of the source that have a gold rubric."""

    prompts: tuple[str, ...] = ()
    without = False

    def __init__(self, tools: Tools) -> None:
        # All of the source, whatever part of it is asked for: a limit must not change whose rubric is taken. Read now,
        # as no reply can be let in while it is.
        source = tools.recipe.source.model_copy(update={"limit": 0, "ids": ()})
        self._others = [
            question.model_copy(update={"profile": (), "narrative": None})
            for question in read_questions(source)
            if isinstance(question, Question) and question.rubric_aspects
        ]
        self._index = _index([words(other.question) for other in self._others])

    async def brief(self, question: Question, rubric: Rubric) -> Brief:
        """The other user's aspects, to be kept. Raises RejectedError if no other user's question shares a word."""
        scores = self._index.get_scores(query_words(question.question)).tolist() if self._index else []
        # Stable: of equally similar questions the first in the source is taken.
        for place in sorted(range(len(scores)), key=lambda place: -scores[place]):
            other = self._others[place]
            if scores[place] > 0 and other.user_key != question.user_key:
                return Brief(other.rubric_aspects or (), taken_from=f"{other.subset}/{other.id}")
        raise RejectedError("pair", "no other user's question resembles this one, so there is no rubric to swap in")


def _index(corpus: list[list[str]]) -> Any:
    import bm25s

    if not any(corpus):
        return None
    index = bm25s.BM25()
    index.index(corpus, show_progress=False)
    return index
