"""How sure scores, and what follows from them, are: the percentile bootstrap over users.

Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13, with users as the unit; as in an evaluation.
A user who is on several sides has the same weight on all of them, so that what sides share moves them together; on
sides of other data, or of another split, the same key may stand for somebody else, and is taken for that. The
models are those that they are: what other models would show is not in these intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from prbgen.downstream.correlate.coefficients import Floats
from prbgen.downstream.correlate.side import People, Side, means
from prbgen.evaluation.summary import Interval
from prbgen.percentiles import interval95

# Weights in memory at a time.
_AT_ONCE = 1 << 20
_FEWEST = 2


@dataclass(frozen=True)
class Resampling:
    """So many resamples of users, drawn with this seed."""

    seed: int = 0
    resamples: int = 2000

    def scores(self, sides: Sequence[Side]) -> list[Floats] | None:
        """The scores of each side's models in each resample (r, m); NaN where nothing of a model is drawn.

        A side without items has the same scores in all of them. Null where no side has items, or where fewer than two
        users are behind all of them.
        """
        behind = [users_of(side) for side in sides]
        # In the order of the sides: what the data is called must not move an interval.
        users = sorted({user: None for each in behind for user in each}, key=lambda user: user[1])
        if len(users) < _FEWEST:
            return None
        place = {user: at for at, user in enumerate(users)}
        rows = [np.array([place[user] for user in each], int) for each in behind]
        found: list[list[Floats]] = [[] for _ in sides]
        generator, step = np.random.default_rng(self.seed), max(1, _AT_ONCE // len(users))
        for start in range(0, self.resamples, step):
            count = min(step, self.resamples - start)
            draws = generator.integers(len(users), size=(count, len(users)))
            draws += np.arange(count)[:, None] * len(users)
            weights = np.bincount(draws.ravel(), minlength=count * len(users)).reshape(count, -1).astype(np.float64)
            for side, mine, kept in zip(sides, rows, found, strict=True):
                if side.items:
                    own = weights[:, mine]
                    kept.append(means(own @ side.items.sums, own @ side.items.counts))
                else:
                    kept.append(np.broadcast_to(side.scores, (count, len(side.models))))
        return [np.concatenate(each) for each in found]


def users_of(side: Side) -> list[tuple[People, str]]:
    """The users behind a side, those of other data told apart."""
    return [(side.people, user) for user in side.items.users] if side.items else []


def no_interval(sides: Sequence[Side]) -> str:
    """Why there are no resamples of these sides."""
    one = any(side.items for side in sides)
    why = "there is one user, and resampling takes several" if one else "there are no items to resample"
    return f"no interval: {why}"


def intervals(replicates: Floats) -> list[Interval | None]:
    """The 95 % interval of each column of (r, m) replicates."""
    return [interval95(column) for column in replicates.T]
