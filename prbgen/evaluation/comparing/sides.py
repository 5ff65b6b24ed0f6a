"""One of two datasets that are compared: of each pair no more than hashes and two numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from hashlib import blake2b
from statistics import fmean, median

from prbgen.evaluation.comparing.records import DatasetFacts, Words
from prbgen.schema import PreferencePair
from prbgen.sources.pairs import PairSource
from prbgen.sources.users import question_key
from prbgen.text import count_words


@dataclass(frozen=True, slots=True)
class PairTrace:
    """What is kept of a pair; hashes are null for what it does not have."""

    pair_id: str | None
    strategy: str | None
    generator: str | None
    answers: bytes
    aspects: bytes | None
    narrative: bytes | None
    profile: bytes | None


@dataclass(frozen=True, slots=True)
class QuestionTrace:
    """A question with its pairs; `id` is null if it is only a place, `text` the hash of its normalised text."""

    subset: str
    id: str | None
    text: bytes
    shown: str
    pairs: list[PairTrace] = field(default_factory=list)


@dataclass(frozen=True)
class Side:
    """A dataset."""

    facts: DatasetFacts
    questions: list[QuestionTrace]


def side(name: str, source: PairSource) -> Side:
    """Take the pairs one by one."""
    questions: dict[tuple[str, str | None, bytes], QuestionTrace] = {}
    users, known, words = set[str](), False, (list[int](), list[int]())
    counts = {name: Counter[str]() for name in ("subset", "split", "category", "strategy", "generator")}
    for place, pair in source.read_with_places():
        text = _hash(question_key(pair.question))
        # A row without an id is called by the place where it stands, which says nothing of another file.
        own = None if place in (pair.id, f"{source.name}/{pair.id}") else pair.id
        trace = QuestionTrace(pair.subset, own, text, pair.id)
        questions.setdefault((pair.subset, own, text), trace).pairs.append(_trace(pair))
        users.add(pair.user_key)
        known |= pair.user_known
        for lengths, answer in zip(words, (pair.chosen, pair.rejected), strict=True):
            lengths.append(count_words(answer))
        for column, counter in counts.items():
            if value := getattr(pair, column):
                counter[value] += 1
    facts = DatasetFacts(
        name=name,
        pairs=len(words[0]),
        questions=len(questions),
        users=len(users) if known else None,
        words_chosen=_words(words[0]),
        words_rejected=_words(words[1]),
        by_subset=_sorted(counts["subset"]),
        by_split=_sorted(counts["split"]),
        by_category=_sorted(counts["category"]),
        by_strategy=_sorted(counts["strategy"]),
        by_generator=_sorted(counts["generator"]),
    )
    return Side(facts, list(questions.values()))


def _trace(pair: PreferencePair) -> PairTrace:
    aspects, profile = pair.rubric_aspects, pair.profile
    return PairTrace(
        pair_id=pair.pair_id,
        strategy=pair.strategy,
        generator=pair.generator,
        answers=_hash(pair.chosen, pair.rejected),
        aspects=None if aspects is None else _hash(*(each.model_dump_json() for each in aspects)),
        narrative=None if pair.narrative is None else _hash(pair.narrative),
        profile=None if profile is None else _hash(*(post.text for post in profile)),
    )


def _hash(*texts: str) -> bytes:
    found = blake2b(digest_size=8)
    for text in texts:
        # The length keeps texts apart that are only cut elsewhere.
        data = text.encode("utf-8", "surrogatepass")
        found.update(len(data).to_bytes(8) + data)
    return found.digest()


def _words(counts: list[int]) -> Words:
    return Words(mean=fmean(counts), median=median(counts), most=max(counts))


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))
