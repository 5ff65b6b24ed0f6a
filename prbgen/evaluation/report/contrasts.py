"""The same model under two conditions: what does it gain by what it sees?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from prbgen.evaluation.conditions.pair import REST_ON_POSTS
from prbgen.evaluation.metrics.comparison import Tested, as_family, compared
from prbgen.evaluation.report.entries import Entry
from prbgen.evaluation.report.labels import system_key
from prbgen.evaluation.settings import Condition


@dataclass(frozen=True)
class Gain:
    """What one model gains by `one` over `other`: its accuracy under `one`, the second of what is tested, less that
    under `other`.
    """

    name: str
    one: Entry
    other: Entry
    tested: Tested

    @property
    def value(self) -> float | None:
        """The difference; null where no pair is scored in both."""
        return self.tested.paired.difference.value


@dataclass(frozen=True)
class Contrast:
    """A question that two conditions answer: accuracy under `one` minus accuracy under `other`. And what all models
    gain that have results under both, the greatest gain first.
    """

    one: Condition
    other: Condition
    question: str
    meaning: str
    gains: tuple[Gain, ...] = ()

    @property
    def models(self) -> int:
        """How many models they are: of one there may be several gains, for other numbers of posts."""
        return len({each.one.system for each in self.gains})

    def told(self, sign: int) -> int:
        """How many gain (1) or lose (-1) by more than chance."""
        return sum(each.tested.apart is True and (each.value or 0.0) * sign > 0 for each in self.gains)


# The headline first.
_ASKED = (
    Contrast(
        "profile",
        "shuffled",
        "What does the person's own history add over a stranger's?",
        "Both conditions show as many posts; only whose they are differs. What is gained is personalisation.",
    ),
    Contrast(
        "profile",
        "none",
        "Does the raw profile help or hurt?",
        "Against the bare question. A model may lose by a long input more than it gains by what is in it.",
    ),
    Contrast(
        "planner",
        "none",
        "Does the planner help?",
        "What the planner infers of the person's wishes, against the bare question.",
    ),
    Contrast(
        "planner",
        "profile",
        "Is the planner better than the raw profile?",
        "The same history, as inferred wishes instead of posts.",
    ),
)


def contrasts(entries: Sequence[Entry]) -> tuple[Contrast, ...]:
    """The questions that these results can answer."""
    found = (replace(asked, gains=_gains(asked, entries)) for asked in _ASKED)
    return tuple(each for each in found if each.gains)


def _gains(asked: Contrast, entries: Sequence[Entry]) -> tuple[Gain, ...]:
    matched = list(_matched(asked, entries))
    family = as_family([compared(other.judged, one.judged) for one, other in matched])
    gains = [Gain(one.label, one, other, each) for (one, other), each in zip(matched, family, strict=True)]
    return tuple(sorted(gains, key=lambda each: (each.value is None, -(each.value or 0.0), each.name)))


def _matched(asked: Contrast, entries: Sequence[Entry]) -> Iterator[tuple[Entry, Entry]]:
    # Conditions that rest on posts are compared for the same number of them.
    by_posts = asked.one in REST_ON_POSTS and asked.other in REST_ON_POSTS
    for one in entries:
        for other in entries:
            if (
                (one.summary.condition, other.summary.condition) == (asked.one, asked.other)
                and system_key(one.summary) == system_key(other.summary)
                and (one.summary.posts == other.summary.posts or not by_posts)
            ):
                yield one, other
