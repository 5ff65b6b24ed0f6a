"""A text's words as one compares them with those of another."""

import re
import unicodedata
from itertools import groupby

from prbgen.text import UNSPACED
from prbgen.words.words import words

_INNER_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_BETWEEN_UNSPACED = re.compile(f"(?<=[{UNSPACED}]) (?=[{UNSPACED}])")
# Zero-width characters and soft hyphens, which part no words; an underscore does: it is emphasis.
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
# Characters of an answer that are compared: one that is longer is far too long anyway.
READ = 20_000
# No language stacks more accents on a letter, and normalising takes time with the square of their number.
_ACCENTS = 30


def tokens(text: str) -> list[str]:
    """The words in order, in one spelling, without punctuation; "don't" is one, as is a character of Chinese."""
    return words(_INNER_APOSTROPHE.sub("", _with_few_accents(_UNSEEN.sub("", text).replace("_", " "))))


def quoted(found: list[str]) -> str:
    """Such words as one text."""
    return _BETWEEN_UNSPACED.sub("", " ".join(found))


def _with_few_accents(text: str) -> str:
    if text.isascii():
        return text
    runs = groupby(text, lambda character: unicodedata.combining(character) != 0)
    return "".join("".join(run)[:_ACCENTS] if accents else "".join(run) for accents, run in runs)
