"""A regenerated dataset against the one before."""

from __future__ import annotations

from collections.abc import Sequence

from prbgen.evaluation.comparing.matching import Level, Matched, matched
from prbgen.evaluation.comparing.records import Changed, DatasetComparison, PairsCompared, QuestionsCompared
from prbgen.evaluation.comparing.sides import PairTrace, QuestionTrace, side
from prbgen.sources.pairs import PairSource

_EXAMPLES = 5
_Both = Sequence[tuple[PairTrace, PairTrace, int]]

# An id may be given anew, so that a text that is the same says more.
_OF_QUESTIONS: tuple[Level[QuestionTrace], ...] = (
    lambda each: (each.subset, each.id, each.text) if each.id else None,
    lambda each: (each.subset, each.text),
    lambda each: each.text,
    lambda each: (each.subset, each.id) if each.id else None,
)
_REWORDED = 3
_OF_PAIRS: tuple[Level[PairTrace], ...] = (
    lambda each: each.pair_id,
    lambda each: each.answers,
    lambda each: (each.strategy, each.generator),
    lambda each: each.strategy,
    lambda each: "a question's only pair",
)


def compare_datasets(old_name: str, old: PairSource, new_name: str, new: PairSource) -> DatasetComparison:
    """What is the same, what has changed, what is gone, what is new. Some 500 bytes a pair are in memory."""
    before, after = side(old_name, old), side(new_name, new)
    questions = matched(before.questions, after.questions, _OF_QUESTIONS)
    return DatasetComparison(
        old=before.facts, new=after.facts, questions=_questions(questions), pairs=_pairs(questions)
    )


def _questions(found: Matched[QuestionTrace]) -> QuestionsCompared:
    reworded = sum(level == _REWORDED for *_, level in found.both)
    same_id = sum((one.subset, one.id) == (two.subset, two.id) and one.id is not None for one, two, _ in found.both)
    return QuestionsCompared(
        same=len(found.both),
        other_id=len(found.both) - same_id,
        reworded=reworded,
        only_old=len(found.only_old),
        only_new=len(found.only_new),
        examples_only_old=tuple(each.shown for each in found.only_old[:_EXAMPLES]),
        examples_only_new=tuple(each.shown for each in found.only_new[:_EXAMPLES]),
    )


def _pairs(questions: Matched[QuestionTrace]) -> PairsCompared:
    found = [matched(old.pairs, new.pairs, _OF_PAIRS) for old, new, _ in questions.both]
    both = [each for one in found for each in one.both]
    return PairsCompared(
        joined=len(both),
        unchanged=sum(not _differs(old, new, *_ALL) for old, new, _ in both),
        answers=_changed(both, "answers"),
        rubric=_changed(both, "aspects", "narrative"),
        profile=_changed(both, "profile"),
        only_old=sum(len(each.only_old) for each in found),
        only_new=sum(len(each.only_new) for each in found),
    )


_ALL = ("answers", "aspects", "narrative", "profile")


def _differs(old: PairTrace, new: PairTrace, *fields: str) -> bool:
    values = [(getattr(old, name), getattr(new, name)) for name in fields]
    return any(None not in both and both[0] != both[1] for both in values)


def _changed(both: _Both, *fields: str) -> Changed:
    compared = [
        (old, new)
        for old, new, _ in both
        if any(getattr(old, name) is not None and getattr(new, name) is not None for name in fields)
    ]
    return Changed(changed=sum(_differs(old, new, *fields) for old, new in compared), compared=len(compared))
