"""Does a question or an answer repeat what only the scoring standard may say?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from prbgen.schema import Pair
from prbgen.validation.report import Gate
from prbgen.words.runs import longest_shared
from prbgen.words.tokens import tokens

# So many words in a row are a passage, fewer may be a phrase.
PASSAGE = 8
_NAMED = 5
_COLUMNS = ("question", "chosen", "rejected")


def leak_gate(pairs: Iterable[Pair]) -> Gate:
    """The gate "leak": no passage of a narrative, or of an aspect's evidence or reason, in question, chosen, rejected.

    A passage has `PASSAGE` words in a row. Answers may repeat those of the question. The aspects are those of both
    answers' rubrics.
    """
    counts: Counter[str] = Counter()
    places: list[str] = []
    total = 0
    for pair in pairs:
        total += 1
        for column in leaking_columns(pair):
            counts[column] += 1
            if len(places) < _NAMED:
                places.append(f"pair {pair.pair_id} ({column})")
    rule = f"{PASSAGE} words in a row of a narrative, an evidence or a reason"
    apart = "not counting words of the question in the answers"
    if not places:
        return Gate(name="leak", state="pass", said=f"no text of {total} pairs repeats {rule}, {apart}")
    by_column = ", ".join(f"{column} {counts[column]}" for column in _COLUMNS)
    more = "" if counts.total() <= _NAMED else ", ..."
    said = f"of {total} pairs some repeat {rule} ({by_column}; {apart}): {', '.join(places)}{more}"
    return Gate(name="leak", state="fail", said=said)


def leaking_columns(pair: Pair) -> tuple[str, ...]:
    """Those of question, chosen and rejected that repeat a passage."""
    aspects = (*pair.rubric_aspects, *pair.provenance.rejected_aspects)
    texts = (pair.narrative, *(text for each in aspects for text in (each.evidence, each.reason)))
    guarded = _guarded(tuple(dict.fromkeys(text for text in texts if text)))
    question = tokens(pair.question)
    words = {"question": question, "chosen": tokens(pair.chosen), "rejected": tokens(pair.rejected)}
    return tuple(
        column
        for column in _COLUMNS
        if longest_shared(words[column], guarded, excused=[] if column == "question" else question).length >= PASSAGE
    )


# Pairs of one question follow each other.
@lru_cache(maxsize=8)
def _guarded(texts: tuple[str, ...]) -> tuple[list[str], ...]:
    return tuple(tokens(text) for text in texts)
