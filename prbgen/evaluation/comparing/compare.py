"""Two places, and what changed from one to the other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from prbgen.errors import InputError
from prbgen.evaluation.comparing.records import DatasetComparison, ResultsComparison
from prbgen.evaluation.results import Results
from prbgen.run import Run
from prbgen.sources.pairs import PairSource


def compare(old: str, new: str, say: Callable[[str], None] = lambda _: None) -> DatasetComparison | ResultsComparison:
    """Compare two datasets (runs, folders, files, Hub ids) or two sets of results.

    Args:
        old: The place that came first.
        new: The other; of the same kind.
        say: Is told what is being read.

    Raises:
        InputError: one cannot be read, they are of two kinds, or they have nothing to compare.
    """
    before, after = _results(old), _results(new)
    if before and after:
        from prbgen.evaluation.comparing.results import compare_results

        say("Reading results ...")
        return compare_results(before, after)
    if before or after:
        results, data = (old, new) if before else (new, old)
        raise InputError(f"{results} holds results, {data} is data: compare two datasets, or two sets of results")
    from prbgen.evaluation.comparing.datasets import compare_datasets

    sources = [PairSource.at(place) for place in (old, new)]
    say(f"Reading {sources[0].name} and {sources[1].name} ...")
    # Both may well have one name, as runs/2026/dataset and runs/2027/dataset do.
    names = (old, new) if sources[0].name == sources[1].name else (sources[0].name, sources[1].name)
    return compare_datasets(names[0], sources[0], names[1], sources[1])


def _results(place: str) -> Path | None:
    """The folder, if it is one of results: it or one below has a summary. A run or a dataset may have results inside,
    and is none.
    """
    path = Path(place).expanduser()
    summary = Results(path).summary_file.name
    if path.name == summary and path.is_file():
        return path.parent
    if not path.is_dir():
        return None
    if (path / summary).is_file():
        return path
    data = Run(path).recipe.is_file() or (path / "README.md").is_file()
    return None if data or not any(path.rglob(summary)) else path
