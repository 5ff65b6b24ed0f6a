"""The program that loads a dataset from the Hub as a stranger would: python -m ... REPO COMMIT FOLDER CACHE.

It prints one line of JSON: `differences` between the Hub and the folder, and `fault`, null unless it could not tell.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from prbgen.errors import InputError
from prbgen.publication.hub.faults import in_one_line
from prbgen.publication.hub.quiet import quiet

_ROWS = 1000


def differences(repo: str, commit: str, folder: Path, cache: Path) -> Iterator[str]:
    """What is not the same on the Hub as in the folder, in words, config by config."""
    from datasets import disable_progress_bars, get_dataset_config_names, load_dataset

    disable_progress_bars()
    here, there = get_dataset_config_names(str(folder)), get_dataset_config_names(repo, revision=commit)
    if sorted(here) != sorted(there):
        yield f"configs {', '.join(there)} instead of {', '.join(here)}"
    for config in (name for name in here if name in there):
        # One config at a time: they may all be over the same files, and each takes its room on the disk.
        with TemporaryDirectory(dir=cache) as room:
            left = load_dataset(str(folder), config, cache_dir=f"{room}/here")
            right = load_dataset(repo, config, revision=commit, cache_dir=f"{room}/there")
            yield from _between(config, left, right)


def _between(config: str, here: Any, there: Any) -> Iterator[str]:
    if here.keys() != there.keys():
        yield f"config {config}: splits {', '.join(there)} instead of {', '.join(here)}"
    for split in (name for name in here if name in there):
        left, right = here[split], there[split]
        if left.features != right.features:
            yield f"config {config}, split {split}: columns {right.features} instead of {left.features}"
        elif len(left) != len(right):
            yield f"config {config}, split {split}: {len(right)} rows instead of {len(left)}"
        elif (row := _first_other(left, right)) is not None:
            yield f"config {config}, split {split}: row {row} (from 0) is another"


def _first_other(here: Any, there: Any) -> int | None:
    """The first row that differs, of two splits of one length."""
    for start in range(0, len(here), _ROWS):
        rows = range(start, min(start + _ROWS, len(here)))
        left, right = here.select(rows).with_format("arrow")[:], there.select(rows).with_format("arrow")[:]
        if not left.equals(right):
            return next(row for row in rows if here[row] != there[row])
    return None


def main(repo: str, commit: str, folder: str, cache: str) -> None:
    """Print what is found."""
    found: list[str] = []
    fault: str | None = None
    try:
        with quiet(), in_one_line(repo):
            found = list(differences(repo, commit, Path(folder), Path(cache)))
    except InputError as error:
        fault = str(error).removeprefix(f"{repo}: ")
    print(json.dumps({"differences": found, "fault": fault}))


if __name__ == "__main__":
    main(*sys.argv[1:])
