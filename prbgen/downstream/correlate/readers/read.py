"""From places to sides, whatever lies there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from prbgen.downstream.correlate.readers.curves import found_curves, read_curves
from prbgen.downstream.correlate.readers.evaluations import has_evaluations, read_evaluations
from prbgen.downstream.correlate.readers.policies import TrainedPolicy, found_policies, read_policies
from prbgen.downstream.correlate.readers.score_file import read_scores
from prbgen.downstream.correlate.side import Side, told_apart
from prbgen.downstream.folders import JudgedBy
from prbgen.errors import InputError

Role = Literal["benchmark", "downstream"]


def read_sides(places: Sequence[Path], role: Role, k: int | None = None) -> list[Side]:
    """The sides at these places: files of scores, and folders of results or above some.

    A folder may have evaluations and uses in it, as results/DATA has: a benchmark is then what was evaluated, and
    downstream what it was used for.

    Raises:
        InputError: there is nothing at one of them, or what is there is damaged or does not go together.
    """
    files = list({each.resolve(): each for each in places if each.is_file()}.values())
    evaluated: list[Path] = []
    judged: list[JudgedBy] = []
    trained: list[TrainedPolicy] = []
    for place in places:
        if place.is_file():
            continue
        if not place.is_dir():
            raise InputError(f"{place}: there is no such folder of results, or file of scores")
        evaluations = has_evaluations(place)
        if evaluations and role == "benchmark":
            evaluated.append(place)
            continue
        curves, policies = found_curves(place), found_policies(place)
        if not (evaluations or curves or policies):
            raise InputError(
                f"{place}: no results in it; `prbgen evaluate`, `prbgen bon curve` and `prbgen ppo answer` write them"
            )
        if not (curves or policies):
            evaluated.append(place)
        judged += curves
        trained += policies
    judged = list({each.folder.resolve(): each for each in judged}.values())
    sides = [read_scores(each) for each in files]
    sides += read_evaluations(evaluated) if evaluated else []
    sides += read_curves(judged, k)
    sides += read_policies(trained)
    return told_apart(sides)


def refuse_idle_k(k: int | None, sides: Sequence[Side]) -> None:
    """Raises InputError if a k is given that says nothing."""
    if k is not None and not any(side.kind == "best_of_n" for side in sides):
        raise InputError("--k says nothing here: it goes with results of Best-of-N")
