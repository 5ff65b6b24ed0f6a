"""Questions that are nearly the same, and answers that stand under several questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from prbgen.generation.audit.results import Duplicates, Twins
from prbgen.generation.audit.shingles import Similarity, shingles
from prbgen.schema import PreferencePair
from prbgen.sources.text import normalised

NEARLY_THE_SAME = 0.8
_EXAMPLES = 20
# 25 bands of 5: of two texts that are .8 alike, one pair in 20,000 is missed; of two that are .3 alike, one in 17 is
# compared in vain.
_BANDS, _ROWS = 25, 5


@dataclass(frozen=True)
class _Question:
    id: str
    subset: str
    text: str


def find_duplicates(pairs: Sequence[PreferencePair]) -> Duplicates:
    """Each question counts once, however many pairs it has. Profiles are not looked at."""
    questions, numbers = _separate(pairs)
    twins = list(_repeats(questions))
    within = sum(each.one_subset == each.other_subset for each in twins)
    return Duplicates(
        within=within,
        across=len(twins) - within,
        same_answers=_same_answers(pairs, numbers),
        examples=tuple(sorted(twins, key=lambda each: -each.similarity)[:_EXAMPLES]),
    )


def _separate(pairs: Sequence[PreferencePair]) -> tuple[list[_Question], list[int]]:
    """The questions, and for each pair the number of its own.

    Pairs of one subset are on one question if it reads the same and has the same id or the same user: those by several
    strategies and generators are.
    """
    questions: list[_Question] = []
    numbers: list[int] = []
    known: dict[tuple[str, ...], int] = {}
    for pair in pairs:
        text = normalised(pair.question)
        keys = (("id", pair.id, pair.subset, text), ("user", pair.user_key, pair.subset, text))
        number = next((known[key] for key in keys if key in known), len(questions))
        if number == len(questions):
            questions.append(_Question(pair.id, pair.subset, text))
        for key in keys:
            known.setdefault(key, number)
        numbers.append(number)
    return questions, numbers


def _repeats(questions: Sequence[_Question]) -> Iterator[Twins]:
    """Questions that nearly repeat an earlier one of their own subset, and one of another: with the most alike.

    A repeat within its subset is not compared with later ones: the work stays small where all are alike.
    """
    from datasketch import MinHash, MinHashLSH

    asked = [each for each in questions if each.text]
    if not asked:
        return
    sets = [shingles(each.text) for each in asked]
    similarity = Similarity(sets)
    index = MinHashLSH(num_perm=_BANDS * _ROWS, params=(_BANDS, _ROWS))
    low_bits = ((each & 0xFFFFFFFF).tolist() for each in sets)
    sketches = MinHash.generator(low_bits, num_perm=_BANDS * _ROWS, seed=1, hashfunc=int)
    for number, sketch in enumerate(sketches):
        question = asked[number]
        candidates = sorted(index.query(sketch))
        nearest: dict[bool, tuple[float, int]] = {}
        for other, alike in zip(candidates, similarity.to(number, candidates), strict=True):
            same_subset = asked[other].subset == question.subset
            if alike >= NEARLY_THE_SAME and alike > nearest.get(same_subset, (0.0, 0))[0]:
                nearest[same_subset] = alike, other
        for alike, other in nearest.values():
            first = asked[other]
            yield Twins(first.id, first.subset, question.id, question.subset, round(alike, 4))
        if True not in nearest:
            index.insert(number, sketch)


def _same_answers(pairs: Sequence[PreferencePair], numbers: Sequence[int]) -> int:
    """How many answers stand under more than one question."""
    first: dict[bytes, int] = {}
    several: set[bytes] = set()
    for pair, number in zip(pairs, numbers, strict=True):
        for answer in filter(None, map(normalised, (pair.chosen, pair.rejected))):
            key = blake2b(answer.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            if first.setdefault(key, number) != number:
                several.add(key)
    return len(several)
