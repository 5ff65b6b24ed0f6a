"""Which earlier posts matter for a question: all of a profile by relevance, and what of it a prompt gets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from prbgen.generation.rank.budget import estimate_tokens, fit
from prbgen.recipe import ProfileSettings
from prbgen.schema import Question, RankedProfile

__all__ = ["Ranker", "estimate_tokens", "make_ranker"]

Scorer = Callable[[str, Sequence[str]], Sequence[float]]
"""(question, texts of n posts) -> n scores, higher is more relevant; the same for equal texts."""

_DECIMALS = 6
"""Scores that differ by less are a tie: what batching and threads change in a sum must not change an order."""


@dataclass(frozen=True)
class Ranker:
    """Ranks profiles, one question at a time. `label` names the method in records, without a machine's folders."""

    label: str
    settings: ProfileSettings
    score: Scorer

    def __call__(self, question: Question) -> RankedProfile:
        """All posts of the profile by relevance (ties in source order) and the top ones within the token budget.

        Only the question's text is the query: narrative and rubric hold the scoring standard.
        """
        scores = self.score(question.question, [post.text for post in question.profile]) if question.profile else ()
        by_score = sorted(zip(scores, question.profile, strict=True), key=lambda pair: -round(pair[0], _DECIMALS))
        posts = tuple(post for _, post in by_score)
        shown, cut = fit(posts[: self.settings.posts], self.settings.tokens)
        return RankedProfile(posts=posts, shown=shown, cut=cut)


def make_ranker(settings: ProfileSettings) -> Ranker:
    """The ranker that the recipe names: "bm25", or "dense:NAME-OR-FOLDER", whose model is loaded here, once.

    Raises:
        MissingExtraError: dense ranking is asked for and `prbgen[dense]` is not installed.
        InputError: the dense model cannot be loaded.
    """
    method, _, name = settings.ranker.partition(":")
    if method == "dense":
        from prbgen.generation.rank.dense import DenseScorer

        label = Path(name).name if Path(name).is_dir() else name
        return Ranker(f"dense:{label}", settings, DenseScorer(name))
    from prbgen.words.bm25 import bm25_scores

    return Ranker("bm25", settings, bm25_scores)
