"""Are both answers laid out in the same way?"""

import re
from collections.abc import Iterator
from itertools import pairwise

from prbgen.generation.check.base import Finding, Given
from prbgen.generation.check.fences import split_fenced

# A hyphen or the like, or a small picture, before the text of an item.
_BULLET = re.compile(
    r"\s*(?:[-*+•‣◦▪●○■·–—]|[\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff]\ufe0f?)[ \t]+\S"
)
_NUMBER = re.compile(r"\s*(?:\*\*)?\(?(\d{1,2})(?:[.):．](?:\*\*)?[ \t]+\S|[、）])")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+\S")
_UNDERLINE = re.compile(r" {0,3}={3,}\s*")
_INLINE_CODE = re.compile(r"`[^`\n]{1,300}`")
# Not 2*3*4 or snake_case: no letter or digit outside the marks, and no space inside them. Chinese has no space outside.
_EMPHASIS = re.compile(
    r"(?<![A-Za-z0-9*])(\*{1,3})(?=[^\s*])[^*\n]{1,300}(?<=[^\s*])\1(?![A-Za-z0-9*])"
    r"|(?<!\w)(_{1,3})(?=[^\s_])[^_\n]{1,300}(?<=[^\s_])\2(?!\w)"
)


def check(one: str, other: str, given: Given) -> Finding:
    """What of lists, headings, emphasis, tables and code blocks only one answer has; the figure is their number."""
    ones, others = set(_parts(one)), set(_parts(other))
    only_one = sorted(ones ^ others)
    if not only_one:
        return Finding("pass", 0)
    return Finding("fail", len(only_one), f"is laid out otherwise than the other one: one has {_listed(only_one)}")


def _listed(names: list[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}, one has not" if first else f"{last}, one has not"


def _parts(text: str) -> Iterator[str]:
    lines, fenced = split_fenced(text)
    if fenced is not None:
        yield "a code block"
    lines = [_INLINE_CODE.sub("x", line) for line in lines]
    if any(_HEADING.match(line) for line in lines) or any(
        _UNDERLINE.fullmatch(line) and before.strip() for before, line in pairwise(lines)
    ):
        yield "a heading"
    if any(_is_table_rule(line) for line in lines):
        yield "a table"
    # One such line may be prose: "- as they say", or a date: "2. May".
    if sum(1 for line in lines if _BULLET.match(line) and not _is_rule(line)) >= 2:
        yield "a bulleted list"
    numbers = [int(found[1]) for line in lines if (found := _NUMBER.match(line))]
    if any(second == first + 1 for first, second in pairwise(numbers)):
        yield "a numbered list"
    # The bullet of an item is no emphasis.
    if any(_EMPHASIS.search(line) for line in lines):
        yield "bold or italic type"


def _is_rule(line: str) -> bool:
    """Whether it is a line across the page: "* * *"."""
    return len(set(line.split())) == 1 and len(line.split()) > 2


def _is_table_rule(line: str) -> bool:
    """Whether it is the line below the head of a table: "|---|:--|"."""
    return "|" in line and "--" in line and set(line) <= set("|:- \t\r")
