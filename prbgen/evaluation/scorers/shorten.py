"""Answers with as many posts as fit. Fewer posts never take more room, so that halving finds how many these are."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterator

from prbgen.evaluation.scorers.scorer import TOO_LONG, Asked, Found, TooLongError, UnscoredError


class Shortening:
    """Numbers of posts to try, all of them first; say `too_long` of each that does not fit before the next is taken.

    The last one that fitted is the most that fit, as if posts had been dropped one by one.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._fits = True

    def __iter__(self) -> Iterator[int]:
        most_that_fit, too_many, posts = -1, self._most + 1, self._most
        while most_that_fit + 1 < too_many:
            self._fits = True
            yield posts
            if self._fits:
                most_that_fit = posts
            else:
                too_many = posts
            posts = (most_that_fit + too_many) // 2

    def too_long(self) -> None:
        """The number that was just tried does not fit."""
        self._fits = False


async def shortened(asked: Asked, scores: Callable[[str], Awaitable[tuple[float, ...]]]) -> Found:
    """Score answers with the most posts that fit. A try that is refused, and one that is not, cost the same: nothing.

    Args:
        asked: The answers.
        scores: From what the asker says to the scores of the answers; may raise `TooLongError` or `UnscoredError`.
    """
    found = Found(asked.place, 0, reason=TOO_LONG)
    for posts in (shortening := Shortening(asked.most)):
        try:
            found = _of(asked, posts, await scores(asked.message(posts)))
        except TooLongError:
            shortening.too_long()
        except UnscoredError as why:
            return Found(asked.place, posts, reason=str(why), faulty=True)
    return found


def _of(asked: Asked, posts: int, scores: tuple[float, ...]) -> Found:
    if not all(map(math.isfinite, scores)):
        return Found(asked.place, posts, reason="a score is not finite", faulty=True)
    return Found(asked.place, posts, scores)
