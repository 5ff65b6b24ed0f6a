"""An answer that has nothing to do with a question: another user's, about something else."""

from __future__ import annotations

import re
from random import Random

from prbgen.annotation.plan.index import Entry, Index
from prbgen.text import UNSPACED

_CANDIDATES = 8
# Short words say little about the subject.
_TERM = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]{{4,}}")


def find_donor(entry: Entry, index: Index, rng: Random) -> str | None:
    """The id of the pair, among some drawn at random, whose chosen answer shares the fewest words with the question.

    From another subset where there is one. Null if nobody else asks anything else.
    """
    pair = index.read(entry.pair_id)
    asked = terms(pair.question)
    strangers = [each for each in index.entries.values() if each.user_key != entry.user_key]
    elsewhere = [each for each in strangers if each.subset != entry.subset]
    pool = elsewhere or strangers
    candidates = [index.read(each.pair_id) for each in rng.sample(pool, min(_CANDIDATES, len(pool)))]
    overlap = {
        each.pair_id: len(asked & terms(each.chosen))
        for each in candidates
        if each.chosen != pair.chosen and each.question != pair.question
    }
    return min(overlap, key=overlap.__getitem__, default=None)


def terms(text: str) -> set[str]:
    """The words that may tell what a text is about."""
    return set(_TERM.findall(text.casefold()))
