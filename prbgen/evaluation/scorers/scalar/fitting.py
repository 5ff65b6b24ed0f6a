"""From answers to their tokens with as many posts as fit, and from their scores to what is said of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from prbgen.evaluation.scorers.scalar.plan import Row
from prbgen.evaluation.scorers.scalar.schedule import GroupScores
from prbgen.evaluation.scorers.scorer import TOO_LONG, Asked, Found, UnscoredError
from prbgen.evaluation.scorers.shorten import Shortening


class Fitting:
    """Notes the posts that are shown, until there are scores."""

    def __init__(self, encode: Callable[[str, Sequence[str]], list[Row] | None]) -> None:
        """`encode` gives nothing where a message with one of the answers is too long; may raise UnscoredError."""
        self._encode = encode
        self._posts: dict[int, int] = {}

    def __call__(self, asked: Asked) -> tuple[int, list[Row] | str]:
        """The place of answers, and their tokens with as many posts as fit, or why they cannot be scored.

        May be called in a thread of its own.
        """
        fitting: list[Row] | str = TOO_LONG
        self._posts[asked.place] = 0
        try:
            for tried in (shortening := Shortening(asked.most)):
                if rows := self._encode(asked.message(tried), asked.answers):
                    fitting, self._posts[asked.place] = rows, tried
                else:
                    shortening.too_long()
        except UnscoredError as why:
            return asked.place, str(why)
        return asked.place, fitting

    def found(self, scores: GroupScores) -> Found:
        """What the scores come to, once."""
        posts = self._posts.pop(scores.place)
        if scores.reason:
            return Found(scores.place, posts, reason=scores.reason, faulty=scores.reason != TOO_LONG)
        return Found(scores.place, posts, scores.scores)
