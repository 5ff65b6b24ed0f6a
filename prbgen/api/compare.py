"""What changed from one dataset, or one set of results, to another: `prbgen compare`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from prbgen.api.display import QUIET, Display
from prbgen.api.given import Place

if TYPE_CHECKING:
    from prbgen.evaluation.comparing.records import DatasetComparison, ResultsComparison


def compare(old: Place, new: Place, *, display: Display = QUIET) -> DatasetComparison | ResultsComparison:
    """Compare two datasets, or two sets of results: same questions, or same pairs.

    Args:
        old: A run, a folder or file of pairs, or a Hub id; or a folder of results, or one above several.
        new: What it is compared with, of the same kind.
        display: Is told how it goes.

    Raises:
        InputError: one cannot be read, or they are of two kinds.
    """
    from prbgen.evaluation.comparing.compare import compare as compared

    with display.saying("Reading ...") as say:
        return compared(os.fspath(old), os.fspath(new), say)
