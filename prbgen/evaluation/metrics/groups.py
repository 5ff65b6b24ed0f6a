"""Accuracy, counts and bounds of a set of pairs."""

from __future__ import annotations

import numpy as np

from prbgen.evaluation.metrics.bootstrap import Bootstrap
from prbgen.evaluation.metrics.columns import LOSS, OUTCOMES, TIE, UNSCORED, WIN, Columns, Ints, Labels
from prbgen.evaluation.summary import Group, Macro

# More names of a kind are ids rather than kinds: each would have few pairs, and intervals of its own.
MOST_NAMES = 200


def group(pairs: Columns, places: Ints, bootstrap: Bootstrap) -> Group:
    """The figures of the pairs at these places."""
    outcome = pairs.outcome[places]
    counts = np.bincount(outcome, minlength=len(OUTCOMES)).tolist()
    wins, losses, ties, unscored = (counts[each] for each in (WIN, LOSS, TIE, UNSCORED))
    scored, n = wins + losses + ties, len(outcome)
    won, of = (outcome == WIN).astype(np.int64), (outcome != UNSCORED).astype(np.int64)
    return Group(
        accuracy=bootstrap.share(won, of, pairs.user.codes[places]),
        accuracy_half=(wins + ties / 2) / scored if scored else None,
        n=n,
        wins=wins,
        losses=losses,
        ties=ties,
        unscored=unscored,
        coverage=scored / n if n else None,
        bounds=(wins / n, (wins + unscored) / n) if n else None,
        truncated=int(pairs.truncated[places].sum()),
    )


def groups(pairs: Columns, labels: Labels, bootstrap: Bootstrap, whole: Group) -> dict[str, Group]:
    """The figures under each of the `MOST_NAMES` names with most pairs, in the order of names; pairs without a name are
    in none. `whole` are the figures of all pairs.
    """
    # Most data has one strategy and one generator: no need to draw it all again.
    return {
        name: whole if len(places) == whole.n else group(pairs, places, bootstrap)
        for name, places in labels.members(MOST_NAMES).items()
    }


def macro(pairs: Columns) -> Macro:
    """Means over all subsets and over all categories."""
    return Macro(subset=_mean(pairs, pairs.subset), category=_mean(pairs, pairs.category))


def _mean(pairs: Columns, labels: Labels) -> float | None:
    codes, won = (labels.codes[(labels.codes >= 0) & mask] for mask in (pairs.scored, pairs.won))
    of, wins = (np.bincount(each, minlength=len(labels.names)) for each in (codes, won))
    return float((wins[of > 0] / of[of > 0]).mean()) if len(codes) else None
