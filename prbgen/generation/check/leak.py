"""Does the answer repeat a passage that it was not to quote: of the narrative, the evidence or the reasons?"""

from __future__ import annotations

from functools import lru_cache

from prbgen.generation.check.base import Finding, Given
from prbgen.text import one_line
from prbgen.words.runs import longest_shared
from prbgen.words.tokens import READ, quoted, tokens


def check(answer: str, given: Given) -> Finding:
    """The longest run of words that the answer shares with a guarded text and not with the question.

    The figure is its length; in scripts without spaces two characters count as one word.
    """
    found = longest_shared(tokens(answer[:READ]), _guarded(given.guarded), excused=tokens(given.question))
    if found.length < given.settings.leaked_words:
        return Finding("pass", found.length)
    quote = one_line(quoted(list(found.words)))
    return Finding(
        "fail", found.length, f'repeats {found.length:g} words in a row of a text that it may not quote: "{quote}"'
    )


# The two answers of a pair are held against the same texts.
@lru_cache(maxsize=8)
def _guarded(texts: tuple[str, ...]) -> tuple[list[str], ...]:
    return tuple(tokens(text) for text in texts)
