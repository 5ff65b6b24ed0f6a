"""Which answers a reward model is asked about together, and what each of them scores then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prbgen.evaluation.outcome import outcome_of
from prbgen.evaluation.scorers.scorer import Found
from prbgen.evaluation.settings import Kind

# Of a win, a tie and a loss.
_POINTS = {"win": 1.0, "tie": 0.5, "loss": 0.0}
_ALONE = "there is no other answer to compare with"


@dataclass(frozen=True)
class Group:
    """Answers that are asked about together: their places among the candidates, equal ones once."""

    places: tuple[int, ...]


def groups(kind: Kind, texts: Sequence[str | None], opponents: int) -> list[Group]:
    """What to ask about a question's candidates; null is no answer.

    All of them at once, so that what they share is computed once; each by itself where every answer is a call to an
    LLM, so that one reply that cannot be used costs no other its score. A judge compares: each answer, in the order of
    the candidates, with so many of its neighbours in a circle, or with all if there are not more; its score is then the
    mean of its points.
    """
    first: dict[str, int] = {}
    for place, text in enumerate(texts):
        if text is not None:
            first.setdefault(text, place)
    places = list(first.values())
    if kind == "rate":
        return [Group((place,)) for place in places]
    if kind != "judge":
        return [Group(tuple(places))] if places else []
    count = len(places)
    pairs = {
        tuple(sorted((at, (at + step) % count))): None
        for at in range(count)
        for step in range(1, min(opponents // 2, count // 2) + 1)
    }
    return [Group((places[one], places[other])) for one, other in pairs]


def scores_of(
    kind: Kind, texts: Sequence[str | None], asked: Sequence[Group], found: Sequence[Found]
) -> tuple[tuple[float | None, ...], tuple[str | None, ...]]:
    """The score of each candidate, and why it has none; both null for a candidate without a text.

    A comparison that brought no verdict leaves both its answers without a score: a mean over fewer of them would rest
    on which ones failed.
    """
    points: dict[str, list[float]] = {}
    reasons: dict[str, str] = {}
    for group, each in zip(asked, found, strict=True):
        answers = [texts[place] or "" for place in group.places]
        if each.reason is not None:
            for answer in answers:
                reasons.setdefault(answer, each.reason)
        elif kind == "judge":
            won = _POINTS[outcome_of(each)]
            for answer, point in zip(answers, (won, 1 - won), strict=True):
                points.setdefault(answer, []).append(point)
        else:
            for answer, score in zip(answers, each.scores, strict=True):
                points.setdefault(answer, []).append(score)
    scores = [None if text is None or text in reasons or text not in points else _mean(points[text]) for text in texts]
    whys = [
        None if text is None or score is not None else reasons.get(text, _ALONE)
        for text, score in zip(texts, scores, strict=True)
    ]
    return tuple(scores), tuple(whys)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
