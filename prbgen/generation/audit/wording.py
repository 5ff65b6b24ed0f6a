"""What the page says about a result, in words."""

from __future__ import annotations

from prbgen.generation.audit.results import Audit, Shortcut, Verdict
from prbgen.generation.audit.verdict import verdict_on
from prbgen.text import one_line

_LABELS = {
    "length": "Length",
    "surface": "Surface counts",
    "tfidf": "Words (TF-IDF)",
    "embedding": "Sentence embeddings",
}
_SENTENCES = {
    "clean": "Shallow models that see neither user nor question do hardly better than a coin: what tells the chosen "
    "answer from the rejected one is not on the surface.",
    "leaks": "A shallow model that sees neither user nor question tells the chosen answer from the rejected one more "
    "often than chance allows: a reward model can score here without knowing the user. What tells most shows where to "
    "begin: another strategy or model, or narrower checks in the recipe.",
}


def shortcut_label(kind: str) -> str:
    """The name of a shortcut as people read it."""
    return _LABELS.get(kind) or one_line(kind, 24)


def meaning(audit: Audit) -> str:
    """The verdict in a sentence."""
    if audit.verdict != "unclear":
        return _SENTENCES[audit.verdict]
    unclear = "The intervals are too wide to say whether a shallow model can tell the sides apart"
    if audit.pairs_needed is None:
        return unclear + "; how many pairs would be enough cannot be told."
    return f"{unclear}. At the accuracies as they are, about {rounded(audit.pairs_needed):,} pairs would be enough."


def rounded(count: int) -> int:
    """A count that is only roughly known: two digits of it, upwards."""
    unit = int(10 ** max(len(str(count)) - 2, 0))
    return -(-count // unit) * unit


def shortcut_verdict(shortcut: Shortcut) -> Verdict | None:
    """What one shortcut alone says, null where it is not measured."""
    return verdict_on([shortcut]) if shortcut.ci95 else None


def interval(shortcut: Shortcut | None) -> str:
    """Accuracy and interval."""
    if shortcut is None or shortcut.accuracy is None:
        return "not measured"
    ends = f" [{shortcut.ci95[0]:.3f}, {shortcut.ci95[1]:.3f}]" if shortcut.ci95 else ""
    return f"{shortcut.accuracy:.3f}{ends}"
