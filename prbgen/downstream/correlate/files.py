"""The files of `prbgen correlate`, and the document that programs read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from prbgen.downstream.correlate.plot import plot
from prbgen.downstream.correlate.records import Correlations
from prbgen.errors import InputError
from prbgen.run import whole_file


def document(found: Correlations) -> dict[str, Any]:
    """Of one comparison its own fields; of several `comparisons` and `differences`."""
    if len(found.comparisons) == 1:
        return found.comparisons[0].model_dump(mode="json")
    return found.model_dump(mode="json")


def write_correlations(found: Correlations, folder: Path) -> tuple[Path, ...]:
    """Write correlation.json and correlation.svg; returns where they are.

    Raises:
        InputError: the folder cannot be one.
    """
    # Before anything is written: what cannot be drawn leaves earlier files as they are.
    texts = {
        "json": json.dumps(document(found), indent=2, ensure_ascii=False) + "\n",
        "svg": plot(found.comparisons),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be the folder of a correlation ({error.strerror or error})") from None
    for ending, text in texts.items():
        with whole_file(folder / f"correlation.{ending}") as file:
            file.write(text)
    return tuple(folder / f"correlation.{ending}" for ending in texts)
