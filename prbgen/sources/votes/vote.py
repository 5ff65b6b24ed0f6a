"""One person's choice between two answers, and what becomes of a benchmark's choices."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from prbgen.schema import Post
from prbgen.sources.text import normalised
from prbgen.words.words import is_character_end, is_word_end

# Characters of a question or an answer that a post shows: a post of three such texts is at most some 800 tokens long.
SHOWN = 1_000
CUT = " […]"


@dataclass(frozen=True, slots=True)
class Vote:
    """A question, the answer that its asker preferred, and the one that it was preferred to; none of them is blank.

    `split` is that of the file, "" where it is of none. `where` is the place of the row.
    """

    id: str
    user: str
    conversation: str
    question: str
    preferred: str
    other: str
    category: str | None
    split: str
    where: str

    def answers(self) -> frozenset[str]:
        """Both, as they are compared."""
        return frozenset((normalised(self.preferred), normalised(self.other)))

    def post(self) -> Post:
        """What it tells about its user, in their words. Long texts are cut to `SHOWN` characters and end with `CUT`."""
        question, preferred, other = map(_shortened, (self.question, self.preferred, self.other))
        text = f"My question: {question}\n\nThe answer I preferred: {preferred}\n\nThe answer I liked less: {other}"
        return Post(category=self.category, id=self.id, text=text)


@dataclass
class Votes:
    """The votes that can be used, in source order, and how many were left out for each reason."""

    kept: list[Vote] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    def add(self, vote: Vote) -> None:
        """Keep a vote, unless a text of it is blank or its answers are the same."""
        if not (vote.question.strip() and vote.preferred.strip() and vote.other.strip()):
            self.left_out["with an empty text"] += 1
        elif len(vote.answers()) < 2:
            self.left_out["between two answers that are the same"] += 1
        else:
            self.kept.append(vote)


def _shortened(text: str) -> str:
    text = text.strip()
    if len(text) <= SHOWN:
        return text
    for is_end in (is_word_end, is_character_end):
        end = next(at for at in range(SHOWN, -1, -1) if is_end(text, at))
        if start := text[:end].rstrip():
            return start + CUT
    return text[:SHOWN] + CUT
