"""Surface features of an answer: what can be counted without understanding it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from prbgen.schema import PreferencePair
from prbgen.text import count_words

# A look-behind stands after the mark: the search can then skip from mark to mark, which is several times faster.
_TOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’»)\]*_]*(?=\s|\Z)|[。！？]+")
_LIST_ITEM = re.compile(r"^[ \t]*(?:[-*+•‣◦–]|\d{1,3}[.)]|[a-z][.)])[ \t]+\S", re.MULTILINE)
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+\S", re.MULTILINE)
_BOLD = re.compile(r"\*\*[^\s*][^*\n]*\*\*|__[^\s_][^_\n]*__")
_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n(?![ \t]*\n)[^\n]*)*")
_FULL_STOP = re.compile(r"\.(?<!\.\.)(?!\.)|[。．]")
_ELLIPSIS = re.compile(r"\.{3,}|…")
_DASH = re.compile(r"[–—]|-(?<=\s-)-{0,2}(?=\s)|-(?<=\w-)-(?=\w)")
_HYPHEN = re.compile(r"[-‐‑](?<=\w.)(?=\w)")
_APOSTROPHE = re.compile(r"['’](?<=\w.)(?=\w)")
_QUOTE = re.compile(r"[\"“”„«»「」『』]|['‘](?<!\w.)(?=\w)")
_EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u2b50\u2b55]")
_ASKS_LAST = re.compile(r"[?？][\s\"'”’»)\]*_]*\Z")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FIRST_PERSON = _words("i i'm i've i'd i'll me my mine myself we we're we've we'd we'll us our ours ourselves")
_SECOND_PERSON = _words("you you're you've you'd you'll your yours yourself yourselves")
_HEDGES = _words(
    "about almost apparently approximately arguably could essentially fairly generally largely likely mainly may maybe"
    " might mostly often partly perhaps possibly potentially presumably probably quite rather relatively roughly seem"
    " seems seemingly sometimes somewhat suggest suggests tend tends typically unlikely usually"
)


class Answer:
    """One answer as the features see it; what several of them need is worked out once."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def words(self) -> int:
        """Words as people count them."""
        return count_words(self.text)

    @cached_property
    def sentences(self) -> int:
        """Sentences, by their end marks; words without any are one."""
        return len(_SENTENCE_END.findall(self.text)) or min(self.words, 1)

    @cached_property
    def tokens(self) -> list[str]:
        """The words in lower case, with plain apostrophes."""
        return _TOKEN.findall(self.text.replace("’", "'").lower())


Feature = Callable[[Answer], float]


def _found(pattern: re.Pattern[str]) -> Feature:
    return lambda answer: len(pattern.findall(answer.text))


def _characters(each: str) -> Feature:
    return lambda answer: sum(map(answer.text.count, each))


def _among(words: frozenset[str]) -> Feature:
    return lambda answer: sum(map(words.__contains__, answer.tokens))


FEATURES: dict[str, Feature] = {
    "words": lambda answer: answer.words,
    "characters": lambda answer: len(answer.text),
    "sentences": lambda answer: answer.sentences,
    "words a sentence": lambda answer: answer.words / max(answer.sentences, 1),
    "paragraphs": _found(_PARAGRAPH),
    "list items": _found(_LIST_ITEM),
    "headings": _found(_HEADING),
    "bold": _found(_BOLD),
    "commas": _characters(",，、"),
    "full stops": _found(_FULL_STOP),
    "exclamation marks": _characters("!！"),
    "question marks": _characters("?？"),
    "colons": _characters(":："),
    "semicolons": _characters(";；"),
    "dashes": _found(_DASH),
    "hyphens": _found(_HYPHEN),
    "apostrophes": _found(_APOSTROPHE),
    "quotation marks": _found(_QUOTE),
    "brackets": _characters("([{（【"),
    "ellipses": _found(_ELLIPSIS),
    "digits": lambda answer: sum(map(str.isdigit, answer.text)),
    "capitals": lambda answer: sum(map(str.isupper, answer.text)),
    "emoji": _found(_EMOJI),
    "first person": _among(_FIRST_PERSON),
    "second person": _among(_SECOND_PERSON),
    "hedges": _among(_HEDGES),
    "ends with a question": lambda answer: bool(_ASKS_LAST.search(answer.text)),
}
MODEL_CALLS = "model calls"


def features(text: str) -> tuple[float, ...]:
    """The features of one text, in the order of FEATURES; all finite, for any text."""
    answer = Answer(text)
    return tuple(float(feature(answer)) for feature in FEATURES.values())


def feature_differences(pairs: Sequence[PreferencePair]) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Names of k features, and chosen minus rejected, n x k.

    The last feature, model calls, is there only where all pairs tell how many there were.
    """
    rows = [np.subtract(features(pair.chosen), features(pair.rejected)) for pair in pairs]
    names, matrix = tuple(FEATURES), np.array(rows, dtype=np.float64).reshape(-1, len(FEATURES))
    calls = [pair.calls for pair in pairs if pair.calls is not None]
    if len(calls) < len(pairs) or not pairs:
        return names, matrix
    more = np.array([[chosen - rejected] for chosen, rejected in calls], dtype=np.float64)
    return (*names, MODEL_CALLS), np.hstack([matrix, more])
