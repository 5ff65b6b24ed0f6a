"""Personal data that the rows may hold: where, never what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from prbgen.generate.audit.patterns import has_address, has_email, has_phone
from prbgen.generate.audit.results import Personal, PersonalKind
from prbgen.schema import Post, PreferencePair

_FINDERS = {"e-mail": has_email, "phone": has_phone, "address": has_address}
_KINDS: tuple[PersonalKind, ...] = ("e-mail", "phone", "address")
_COLUMNS = ("question", "chosen", "rejected", "narrative", "rubric_aspects", "profile")
_EXAMPLES = 5


class PersonalData:
    """Takes rows one by one. Of posts it keeps 64-bit hashes, as many rows have the same ones."""

    def __init__(self) -> None:
        self._rows: Counter[tuple[str, str]] = Counter()
        self._examples: dict[tuple[str, str], dict[str, None]] = {}
        self._clean_posts: set[int] = set()
        self._telling_posts: dict[int, tuple[PersonalKind, ...]] = {}

    def add(self, pair: PreferencePair) -> None:
        """Look through the texts of a row."""
        rubric = (part for each in pair.rubric_aspects or () for part in (each.aspect, each.evidence, each.reason))
        texts = {
            "question": pair.question,
            "chosen": pair.chosen,
            "rejected": pair.rejected,
            "narrative": pair.narrative or "",
            "rubric_aspects": "\n".join(part for part in rubric if part),
        }
        for column, text in texts.items():
            for kind in _kinds(text):
                self._note(kind, column, pair.id)
        for kind in {kind for post in pair.profile or () for kind in self._of_post(post)}:
            self._note(kind, "profile", pair.id)

    def found(self) -> tuple[Personal, ...]:
        """What was found so far, by kind and column; nothing for those where nothing was."""
        return tuple(
            Personal(kind, column, self._rows[kind, column], tuple(self._examples[kind, column]))
            for kind in _KINDS
            for column in _COLUMNS
            if (kind, column) in self._rows
        )

    def _of_post(self, post: Post) -> tuple[PersonalKind, ...]:
        key = hash(post.text)
        if key in self._clean_posts:
            return ()
        if key not in self._telling_posts:
            kinds = tuple(_kinds(post.text))
            if not kinds:
                self._clean_posts.add(key)
                return ()
            self._telling_posts[key] = kinds
        return self._telling_posts[key]

    def _note(self, kind: PersonalKind, column: str, row: str) -> None:
        self._rows[kind, column] += 1
        examples = self._examples.setdefault((kind, column), {})
        if len(examples) < _EXAMPLES:
            examples[row] = None


def _kinds(text: str) -> Iterator[PersonalKind]:
    return (kind for kind in _KINDS if _FINDERS[kind](text))
