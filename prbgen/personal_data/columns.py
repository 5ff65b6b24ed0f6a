"""In which columns of a row something looks like personal data: where, never what."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from prbgen.once import OncePerText
from prbgen.personal_data.patterns import has_address, has_email, has_phone
from prbgen.schema import Pair, PreferencePair

PersonalKind = Literal["e-mail", "phone", "address"]
KINDS: tuple[PersonalKind, ...] = ("e-mail", "phone", "address")
COLUMNS = ("question", "chosen", "rejected", "narrative", "rubric_aspects", "profile")

_FINDERS = {"e-mail": has_email, "phone": has_phone, "address": has_address}


class PersonalColumns:
    """Looks through rows one by one. Of posts it keeps 64-bit hashes, as many rows have the same ones."""

    def __init__(self) -> None:
        self._of_post = OncePerText(_kinds)

    def of(self, pair: Pair | PreferencePair) -> Iterator[tuple[str, PersonalKind]]:
        """The columns of a row and what stands there, in the order of `COLUMNS` and `KINDS`, each once."""
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
                yield column, kind
        in_posts = {kind for post in pair.profile or () for kind in self._of_post(post.text)}
        for kind in KINDS:
            if kind in in_posts:
                yield "profile", kind


def _kinds(text: str) -> tuple[PersonalKind, ...]:
    return tuple(kind for kind in KINDS if _FINDERS[kind](text))
