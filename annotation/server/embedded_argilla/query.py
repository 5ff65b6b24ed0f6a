"""What people type into Argilla's search box: words that must all occur, in the manner of Elasticsearch's
`simple_query_string`: `"a phrase"`, `begin*`, `-without`, `this | that`, `(groups)`. Nothing typed is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# SQLite refuses statements that are much longer or deeper; nobody types such a query.
MOST_TERMS = 200
_DEEPEST = 20
_TOKENS = re.compile(r'"(?P<phrase>[^"]*)"?(?:~\d+)?|(?P<sign>[()|+]|-(?=\S))|(?P<word>[^\s()|"]+)')


@dataclass(frozen=True, slots=True)
class Term:
    """A word or a phrase; with `prefix`, the beginning of one."""

    text: str
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class Without:
    """What must not occur."""

    part: Query


@dataclass(frozen=True, slots=True)
class Every:
    """Parts that all must hold (two or more)."""

    parts: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """Parts of which one must hold (two or more)."""

    parts: tuple[Query, ...]


Query = Term | Without | Every | Either


def parse(text: str) -> Query | None:
    """The query in `text`, or None if it has no word to look for. Never raises; words after MOST_TERMS are ignored."""
    return _Parser(text).either(top=True)


def looked_for(query: Query) -> Iterator[Term]:
    """The terms that a match has, as opposed to those which it must be without."""
    match query:
        case Term():
            yield query
        case Every() | Either():
            for part in query.parts:
                yield from looked_for(part)
        case Without():
            pass


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens = list(_tokens(text))
        self.at = 0
        self.depth = 0

    def either(self, *, top: bool = False) -> Query | None:
        """`this | that`; at the top, a closing bracket that nobody opened is passed over."""
        parts = [self.every(top=top)]
        while self.taken("|"):
            parts.append(self.every(top=top))
        return _one_of(Either, parts)

    def every(self, *, top: bool) -> Query | None:
        parts: list[Query | None] = []
        while self.at < len(self.tokens) and self.tokens[self.at] != "|":
            if self.tokens[self.at] == ")" and not top:
                break
            parts.append(self.single())
        return _one_of(Every, parts)

    def single(self) -> Query | None:
        without = False
        while self.taken("-"):
            without = not without
        if self.at == len(self.tokens):
            return None
        here = self.tokens[self.at]
        if here == "|":
            return None
        self.at += 1
        part: Query | None = None
        if here == "(" and self.depth < _DEEPEST:
            self.depth += 1
            part = self.either()
            self.depth -= 1
            self.taken(")")
        elif isinstance(here, Term):
            part = here
        return Without(part) if part and without else part

    def taken(self, sign: str) -> bool:
        """Passes over `sign` if it comes next."""
        here = self.at < len(self.tokens) and self.tokens[self.at] == sign
        self.at += here
        return here


def _tokens(text: str) -> Iterator[Term | str]:
    terms = 0
    for found in _TOKENS.finditer(text):
        sign, word = found["sign"], found["word"]
        written = word or found["phrase"] or ""
        if sign and sign != "+":
            yield sign
        elif terms < MOST_TERMS and re.search(r"[^\W_]", written):
            terms += 1
            yield Term(written.rstrip("*"), prefix=bool(word) and written.endswith("*"))


def _one_of(kind: type[Every] | type[Either], parts: list[Query | None]) -> Query | None:
    present = tuple(part for part in parts if part is not None)
    return kind(present) if len(present) > 1 else present[0] if present else None
