"""Can a shallow model tell chosen from rejected without user and question?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from prbgen.generation.audit.crossval import outcomes
from prbgen.generation.audit.folds import FOLDS
from prbgen.generation.audit.interval import interval95
from prbgen.generation.audit.results import Shortcut
from prbgen.generation.audit.terms import tfidf_differences
from prbgen.generation.audit.view import View, view
from prbgen.schema import PreferencePair

# More of them narrow the intervals, but ever less.
_REPEATS = 4


def shortcuts(
    pairs: Sequence[PreferencePair], *, embedding: str | None = None, seed: int = 0, seen: View | None = None
) -> dict[str, Shortcut]:
    """The accuracy on pairs of a model of length alone ("length"), of all surface features ("surface"), of the words
    and pairs of words ("tfidf") and, where a model is named, of its embeddings ("embedding").

    Cross-validated by user, 5 folds, means over several ways to form them. Neither the order of pairs matters nor
    whether all of them are turned round. An accuracy is null where in every pair both answers are alike to that model,
    and where there are `too_few` users. `seen` is what `view(pairs)` gives, where it is at hand.
    Raises what `embedding_differences` raises.
    """
    if reason := too_few(pairs):
        return {kind: Shortcut(None, None, reason) for kind in ("length", "surface", "tfidf")}
    seen = seen or view(pairs)
    groups = [pair.user_key for pair in seen.pairs]
    length = seen.features[:, [seen.feature_names.index("words")]]
    words = tfidf_differences(seen.in_chosen, seen.in_rejected)
    differences: dict[str, tuple[Any, str]] = {
        "length": (length, "in every pair both answers have the same number of words"),
        "surface": (seen.features, "in every pair both answers have the same surface features"),
        "tfidf": (words, "no pair differs in a word that further answers have"),
    }
    if embedding is not None:
        from prbgen.generation.audit.embed import embedding_differences

        meaning = embedding_differences(seen.pairs, embedding)
        differences["embedding"] = (meaning, "in every pair both answers are the same")
    return {kind: _measure(each, groups, seed, alike) for kind, (each, alike) in differences.items()}


def too_few(pairs: Sequence[PreferencePair]) -> str | None:
    """Why nothing can be measured, if there are fewer users than folds."""
    users = len({pair.user_key for pair in pairs})
    if users >= FOLDS:
        return None
    whose = "user" if users == 1 else "users"
    return f"{len(pairs):,} pairs that differ, of {users} {whose}; cross-validation by user needs at least {FOLDS}"


def _measure(differences: Any, groups: Sequence[str], seed: int, alike: str) -> Shortcut:
    if not abs(differences).sum():
        return Shortcut(None, None, alike)
    came_out = outcomes(differences, groups, seed=seed, repeats=_REPEATS)
    low, high = interval95(came_out, groups, repeats=_REPEATS)
    return Shortcut(round(float(came_out.mean()), 6), (round(low, 6), round(high, 6)))
