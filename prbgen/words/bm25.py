"""BM25: posts that share rare words with the question come first."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import cast

from prbgen.words.words import words


def bm25_scores(question: str, posts: Sequence[str]) -> list[float]:
    """BM25 of each of n posts (Lucene's variant, k1 1.5, b 0.75) for the question, among these posts.

    English stop words in the question don't count. Where no post shares a word with it, all scores are 0.

    Source: Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), as in bm25s.
    """
    import bm25s

    query = query_words(question)
    # An index answers one question only, so all other words may share one id: they matter for a post's length alone.
    vocabulary = {word: place for place, word in enumerate(dict.fromkeys(["", *query]))}
    ids = [[vocabulary.get(word, 0) for word in words(post)] for post in posts]
    if not any(map(any, ids)):
        return [0.0] * len(posts)
    index = bm25s.BM25()
    index.index((ids, vocabulary), show_progress=False)
    return cast("list[float]", index.get_scores(query).tolist())


class Bm25:
    """BM25 as by `bm25_scores`, of the same texts for many questions."""

    def __init__(self, texts: Sequence[str]) -> None:
        import bm25s

        self._count = len(texts)
        self._vocabulary: dict[str, int] = {}
        ids = [[self._vocabulary.setdefault(word, len(self._vocabulary)) for word in words(text)] for text in texts]
        self._index = bm25s.BM25()
        if self._vocabulary:
            self._index.index((ids, self._vocabulary), show_progress=False)

    def scores(self, question: str) -> list[float]:
        """The score of each text."""
        query = [word for word in query_words(question) if word in self._vocabulary]
        return cast("list[float]", self._index.get_scores(query).tolist()) if query else [0.0] * self._count


def query_words(question: str) -> list[str]:
    """The words of a question that say what it is about."""
    return [word for word in words(question) if word not in _stop_words()]


@cache
def _stop_words() -> frozenset[str]:
    from bm25s.stopwords import STOPWORDS_EN_PLUS

    return frozenset(STOPWORDS_EN_PLUS)
