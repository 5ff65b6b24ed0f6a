"""New results against old ones: what each scorer gained or lost, and whether the order of scorers holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os.path import relpath
from pathlib import Path
from typing import Literal

from prbgen.errors import InputError
from prbgen.evaluation.comparing.matching import Level, matched
from prbgen.evaluation.comparing.ranks import rankings
from prbgen.evaluation.comparing.records import ResultChange, ResultFacts, ResultsComparison
from prbgen.evaluation.metrics.comparison import LeftOut, Paired, compared, incomparable
from prbgen.evaluation.metrics.joined import Judged, by_pair, by_question
from prbgen.evaluation.results import Results, found_results
from prbgen.evaluation.settings import CONDITIONS
from prbgen.evaluation.summary import Summary

_SETTINGS = ("scorer", "condition", "split", "posts", "protocol", "planner")


@dataclass(frozen=True)
class _Result:
    place: Path
    results: Results
    summary: Summary
    alone: bool

    @property
    def facts(self) -> ResultFacts:
        summary, folder = self.summary, relpath(self.results.folder, self.place)
        return ResultFacts(
            folder=folder,
            label=summary.scorer if self.alone else f"{summary.scorer} ({folder})",
            scorer=summary.scorer,
            condition=summary.condition,
            data=summary.data,
            accuracy=summary.accuracy,
            n=summary.n,
            coverage=summary.coverage,
        )

    @property
    def said(self) -> str:
        return f"{self.summary.scorer} under {self.summary.condition}"


def _key(*more: str) -> Level[_Result]:
    return lambda each: tuple(getattr(each.summary, name) for name in ("scorer", "condition", *more))


# Of a scorer with several results under one condition those go together that are most alike.
_LEVELS = (_key("pairs", *_SETTINGS), _key(*_SETTINGS), _key("pairs"), _key())


def compare_results(old: Path, new: Path) -> ResultsComparison:
    """Compare the results in or below two folders, joined by scorer and condition.

    One result on each side is compared with the other whatever they are, and what differs is said.

    Raises:
        InputError: there are none, they are damaged, or they share neither scorer nor condition.
    """
    olds, news = _results(old), _results(new)
    found = matched(olds, news, _LEVELS)
    both, only_old, only_new = [(one, two) for one, two, _ in found.both], found.only_old, found.only_new
    if len(olds) == len(news) == 1:
        both, only_old, only_new = [(olds[0], news[0])], [], []
    if not both:
        raise InputError(
            f"{old} has {_listed(olds)}, {new} has {_listed(news)}: no one scorer and condition to compare"
        )
    both.sort(
        key=lambda each: (CONDITIONS.index(each[0].summary.condition), each[0].summary.scorer, each[0].facts.folder)
    )
    changes = tuple(_change(one, two) for one, two in both)
    return ResultsComparison(
        changes=changes,
        rankings=rankings(changes),
        only_old=tuple(each.facts for each in only_old),
        only_new=tuple(each.facts for each in only_new),
    )


def _results(place: Path) -> list[_Result]:
    found = [(each, each.summary()) for each in found_results([place])]
    alike = Counter((summary.scorer, summary.condition) for _, summary in found)
    return [
        _Result(place, each, summary, alone=alike[summary.scorer, summary.condition] == 1) for each, summary in found
    ]


def _change(old: _Result, new: _Result) -> ResultChange:
    joined_by, paired = _paired(old, new)
    return ResultChange(
        old=old.facts,
        new=new.facts,
        same_data=old.summary.pairs == new.summary.pairs,
        joined_by=joined_by,
        paired=paired,
        differs=tuple(_differences(old.summary, new.summary)),
    )


def _paired(old: _Result, new: _Result) -> tuple[Literal["pairs", "questions"] | None, Paired]:
    """By pair where any is in both, else by question."""
    seed, resamples = new.summary.seed, new.summary.resamples
    mine, theirs = (Judged.of(each.results.items(), by_pair) for each in (old, new))
    if mine.shares(theirs):
        return "pairs", compared(mine, theirs, seed=seed, resamples=resamples)
    mine, theirs = (Judged.of(each.results.items(), by_question) for each in (old, new))
    if mine.shares(theirs):
        return "questions", compared(mine, theirs, seed=seed, resamples=resamples)
    left_out = LeftOut(only_first=len(mine), only_second=len(theirs), unscored=0)
    return None, incomparable("no pair and no question in common", left_out)


def _differences(old: Summary, new: Summary) -> Iterable[str]:
    for name in _SETTINGS:
        was, now = getattr(old, name), getattr(new, name)
        if was != now:
            yield f"{name}: {was if was is not None else 'none'} -> {now if now is not None else 'none'}"


def _listed(results: Sequence[_Result]) -> str:
    said = sorted({each.said for each in results})
    return ", ".join(said[:3]) + (f" and {len(said) - 3} more" if len(said) > 3 else "")
