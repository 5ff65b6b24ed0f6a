"""Does the answer come to its end, or does it break off?"""

import re
import unicodedata

from prbgen.generation.check.base import PASSED, Finding, Given
from prbgen.generation.check.fences import split_fenced
from prbgen.text import UNSPACED, count_words, one_line

# Shorter last lines need no full stop: "Good luck".
_SIGN_OFF = 8
_END_MARKS = frozenset(".!?…。！？｡．‼⁇⁈⁉؟۔।॥։።፧။།។៕;~～♪")
_BREAKS = frozenset(",，、،;；:：-–—([{（「『【《〈")
# They may follow an end mark; a backslash ends a line in Markdown.
_CLOSERS = frozenset("\"'`*_~\\)]}>|\u200d\ufe0e\ufe0f")
_BEHIND = frozenset(')]}"”»')
_SMILEY = re.compile(r"(?:^|\s|(?<=[.!?,]))(?:[:;=8][-']?[()\]DPp/*]|<3|[xX:]D|\^_*\^)$")
_LIST_ITEM = re.compile(r"\s*(?:[-*+•‣◦▪●·–]|\(?\d{1,2}[.)、]|\(?[a-zA-Z][.)])\s+\S")
_EMPTY_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,2}[.)])\s*")
_RULE = re.compile(r"\s*([-*_=])(?:\s*\1){2,}\s*")
_ADDRESS = re.compile(r"(?:(?:https?://|www\.).+|[^@]+@[^@]+\.\w+)")
# Words that end no sentence. In lower case only: a blood group is "A". None may be a last word in another language.
_FUNCTION_WORD = re.compile(
    r"\b(?:the|an?|and|or|of|with|from|than|because|although|unless|whose|your|my|their|our|every|und|oder|der|dem"
    r"|eine[mnr]?|weil|et|ou|les|des|une|avec|el|una|del|y|para)$"
)
# Thai, Lao, Burmese and Khmer mark no end of a sentence, or seldom.
_WITHOUT_END_MARKS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]$")
_UNSPACED = re.compile(f"[{UNSPACED}]")


def check(answer: str, given: Given) -> Finding:
    """Whether all code fences are closed and the last line ends as a sentence, a list item or a sign-off does."""
    _, closed = split_fenced(answer)
    if closed is False:
        return Finding("fail", detail="breaks off: a code fence is not closed")
    lines = [line for line in answer.splitlines() if line.strip() and not _RULE.fullmatch(line)]
    # What stands inside a closed fence is code.
    if not lines or (closed and lines[-1].lstrip().startswith(("```", "~~~"))):
        return PASSED
    last = lines[-1].rstrip()
    if _breaks_off(last):
        return Finding("fail", detail=f'breaks off at its end: "{one_line(last[-80:])}"')
    return PASSED


def _breaks_off(line: str) -> bool:
    if _EMPTY_ITEM.fullmatch(line):
        return True
    if _SMILEY.search(line) or _ADDRESS.fullmatch(line.split()[-1].strip("()[]<>*_")):
        return False
    end = _without_closers(line)
    if not end or (end[-1] in _END_MARKS and not (end[-1] == ";" and end.isascii())):
        return False
    # A source in brackets, a quotation: nothing breaks off behind its end.
    if line.rstrip("*_~` ")[-1:] in _BEHIND and not _FUNCTION_WORD.search(end):
        return False
    # Many write an emoji in place of a full stop.
    if any(unicodedata.category(character) == "So" for character in line[len(end) :]):
        return False
    if end[-1] in _BREAKS:
        return True
    if _FUNCTION_WORD.search(end):
        return True
    if _LIST_ITEM.match(line) or line.lstrip().startswith("|") or _WITHOUT_END_MARKS.search(end):
        return False
    # Two characters make about one word of Chinese or Japanese.
    return count_words(end) - len(_UNSPACED.findall(end)) / 2 > _SIGN_OFF


def _without_closers(line: str) -> str:
    """The line without quotation marks, closing brackets, emphasis and emoji at its end."""
    end = len(line)
    while end and (
        line[end - 1].isspace()
        or line[end - 1] in _CLOSERS
        # Closing and quotation marks; symbols, skin tones and accents, of which emoji are made.
        or unicodedata.category(line[end - 1]) in ("Pe", "Pf", "Pi", "So", "Sk", "Mn", "Me", "Cf")
    ):
        end -= 1
    return line[:end]
