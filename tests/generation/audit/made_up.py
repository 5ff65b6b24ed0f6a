"""Made-up pairs whose two answers come from one source, and so differ by chance alone, unless a test changes them."""

from __future__ import annotations

import random
from collections.abc import Callable

from prbgen.schema import PreferencePair

_SYLLABLES = (
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "ha",
    "je",
    "ki",
    "lo",
    "mu",
    "na",
    "pe",
    "ri",
    "so",
    "tu",
    "va",
    "we",
    "xi",
)
_ENDS = ".....!?"

Change = Callable[[str, str, int], tuple[str, str]]


def vocabulary(seed: int, size: int) -> list[str]:
    """So many words of one to four syllables."""
    rng = random.Random(seed)
    return ["".join(rng.choices(_SYLLABLES, k=rng.randint(1, 4))) for _ in range(size)]


WORDS = vocabulary(0, 1500)
_WEIGHTS = [1 / (rank + 3) for rank in range(len(WORDS))]


def text(rng: random.Random, words: int = 30) -> str:
    """Sentences of about so many words, frequent and rare ones, with commas here and there."""
    drawn = rng.choices(WORDS, _WEIGHTS, k=rng.randint(words * 3 // 4, words * 5 // 4))
    sentences = []
    while drawn:
        length = rng.randint(4, 12)
        sentence, drawn = drawn[:length], drawn[length:]
        if len(sentence) > 6 and rng.random() < 0.5:
            sentence[3] += ","
        sentences.append(" ".join(sentence).capitalize() + rng.choice(_ENDS))
    return " ".join(sentences)


def pair(number: int, chosen: str, rejected: str, user: str, calls: tuple[int, int] | None = None) -> PreferencePair:
    """A pair with nothing but its answers and its user."""
    return PreferencePair(
        id=str(number),
        pair_id=None,
        question=f"Question {number}?",
        chosen=chosen,
        rejected=rejected,
        profile=None,
        rubric_aspects=None,
        narrative=None,
        category=None,
        subset="",
        split="test",
        user_key=user,
        calls=calls,
    )


def made_up(count: int, seed: int, *, most_of_a_user: int = 3, change: Change | None = None) -> list[PreferencePair]:
    """So many pairs by users of one to `most_of_a_user` pairs; `change` gets both answers and the user's number."""
    rng = random.Random(seed)
    pairs: list[PreferencePair] = []
    user = 0
    while len(pairs) < count:
        for _ in range(rng.randint(1, most_of_a_user)):
            answers = text(rng), text(rng)
            chosen, rejected = change(*answers, user) if change else answers
            pairs.append(pair(len(pairs), chosen, rejected, f"user {user}"))
        user += 1
    return pairs[:count]


def turned_round(each: PreferencePair) -> PreferencePair:
    """The pair with its answers on the other sides."""
    calls = each.calls and (each.calls[1], each.calls[0])
    return each.model_copy(update={"chosen": each.rejected, "rejected": each.chosen, "calls": calls})
