"""Best-of-N as a result downstream: the expected quality of the candidate that each reward model chooses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from prbgen.downstream.correlate.side import ByUser, Side, by_user
from prbgen.downstream.facts import Curve, Curves, QuestionQualities, Sampling
from prbgen.downstream.folders import Answers, JudgedBy
from prbgen.errors import InputError
from prbgen.evaluation.settings import Condition
from prbgen.run import read_record, read_records
from prbgen.text import one_line


def found_curves(place: Path) -> list[JudgedBy]:
    """The judges' folders with curves: this one, or those below it."""
    files = [place / "curve.json", *sorted(place.rglob("judges/*/curve.json"))]
    return list({file.resolve(): JudgedBy(file.parent) for file in files if file.is_file()}.values())


def read_curves(found: Iterable[JudgedBy], k: int | None) -> list[Side]:
    """A side for each judge and each condition under which candidates were scored, at `k` candidates; if null, at the
    most that all of its reward models have.

    Raises:
        InputError: a file is damaged or out of date, a model has two curves under one condition, or not all have k.
    """
    return [side for judged in found for side in _sides(judged, k)]


def _sides(judged: JudgedBy, k: int | None) -> Iterator[Side]:
    curves = read_record(judged.curve, Curves, "prbgen bon curve")
    about = Answers(judged.folder.parent.parent).about
    if about.is_file() and read_record(about, Sampling, "prbgen bon sample").answers != curves.answers:
        raise InputError(f"{judged.curve}: is of earlier candidates; `prbgen bon curve` makes it anew")
    groups: dict[Condition, dict[str, tuple[str, Curve]]] = {}
    for name, curve in curves.models.items():
        group = groups.setdefault(curve.condition, {})
        if curve.scorer in group:
            names = f"{group[curve.scorer][0]} and {name}"
            raise InputError(
                f"{judged.curve}: {names} are both of {curve.scorer} under {curve.condition}; take one of them away,"
                " and run `prbgen bon curve` again"
            )
        group[curve.scorer] = name, curve
    if not groups:
        raise InputError(f"{judged.curve}: no curve in it; `prbgen bon score` has reward models score the candidates")
    for condition, group in groups.items():
        at = _chosen_k(judged, [curve for _, curve in group.values()], k)
        yield Side.of_items(
            f"best of {at} by {one_line(curves.policy, 60)}, {one_line(curves.data, 80)}, scored under {condition}",
            "best_of_n",
            "quality",
            {scorer: _qualities(judged.qualities(name), at) for scorer, (name, _) in group.items()},
            people=(curves.data, curves.split),
            aspects=(
                f"judge {curves.judge}",
                f"split {curves.split or 'unknown'}",
                f"policy under {curves.condition}",
                f"answers {curves.answers[:8]}",
            ),
            place=str(judged.folder),
        )


def _chosen_k(judged: JudgedBy, group: Iterable[Curve], k: int | None) -> int:
    having = [{point.k for point in curve.points if point.quality.value is not None} for curve in group]
    common = sorted(set.intersection(*having))
    if not common:
        raise InputError(f"{judged.curve}: no k that all reward models have; see its `points`")
    if k is not None and k not in common:
        raise InputError(f"--k {k}: {judged.curve} has k = {', '.join(map(str, common))} for all reward models")
    return k or common[-1]


def _qualities(path: Path, k: int) -> ByUser:
    name = str(k)
    return by_user(
        (each.user_key, each.quality[name]) for each in read_records(path, QuestionQualities) if name in each.quality
    )
