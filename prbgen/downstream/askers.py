"""Questions to answer, each with its asker's posts in order of relevance, as those of a published dataset are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from prbgen.evaluation.settings import DataSettings
from prbgen.schema import PreferencePair
from prbgen.sources import AskerSource
from prbgen.words.bm25 import bm25_scores

# As ranked profiles are: what rounding changes in a sum must not change an order.
_DECIMALS = 6


@dataclass(frozen=True)
class Askers:
    """A `Source` of questions without answers. Data that has pairs is ranked already; of LaMP-QA's own questions the
    posts are ranked here, by BM25.
    """

    source: AskerSource

    @classmethod
    def at(cls, data: DataSettings) -> Self:
        """Find out what is to be read; the limit is left to the reader.

        Raises:
            InputError: there is no such thing, or nothing in it that is asked for.
        """
        return cls(AskerSource.at(data.data, subsets=data.subsets, split=data.split))

    @property
    def name(self) -> str:
        """What errors call it."""
        return self.source.name

    def read_with_places(self) -> Iterator[tuple[str, PreferencePair]]:
        """The questions with their places, each of them once: see `AskerSource`."""
        for where, asker in self.source.read_with_places():
            yield where, asker if self.source.pairs else _ranked(asker)


def _ranked(asker: PreferencePair) -> PreferencePair:
    profile = asker.profile or ()
    scores = bm25_scores(asker.question, [post.text for post in profile]) if profile else ()
    by_score = sorted(zip(scores, profile, strict=True), key=lambda each: -round(each[0], _DECIMALS))
    return asker.model_copy(update={"profile": tuple(post for _, post in by_score)})
