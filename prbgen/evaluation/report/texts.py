"""Questions and answers of a few pairs: results hold none, they are read from the data."""

from __future__ import annotations

from collections.abc import Set

from prbgen.errors import InputError, PrbgenError
from prbgen.evaluation.summary import Summary
from prbgen.schema import Record
from prbgen.text import one_line


class PairText(Record):
    """What may be shown of a pair: never narrative or rubric."""

    question: str
    chosen: str
    rejected: str


def read_texts(summary: Summary, wanted: Set[str], data: str | None) -> tuple[dict[str, PairText], str | None]:
    """The texts of these pairs, by `ScoredItem.key`, and why some or all are missing.

    Args:
        summary: Of a result on these pairs.
        wanted: The keys of the pairs.
        data: Where to read; null: where the summary says, and if that cannot be read here, there are none.

    Raises:
        InputError: `data` is given and cannot be read.
    """
    where = data or summary.data
    try:
        found = _read(where, summary.split, wanted)
    except PrbgenError as error:
        if data:
            raise
        return {}, f"{one_line(str(error))}; `--data DATA` names another place"
    except (OSError, ValueError) as error:
        if data:
            raise InputError(f"{data}: cannot be read ({one_line(str(error))})") from None
        return {}, f"{where}: cannot be read here ({one_line(str(error))}); `--data DATA` names another place"
    missing = len(wanted - found.keys())
    return (
        found,
        f"{where} does not hold {missing:,} of these pairs; `--data DATA` names another place" if missing else None,
    )


def _read(where: str, split: str | None, wanted: Set[str]) -> dict[str, PairText]:
    from prbgen.sources import open_source

    found: dict[str, PairText] = {}
    for _, pair in open_source(where, split=split or "").read_with_places():
        if len(found) == len(wanted):
            break
        key = pair.pair_id or f"{pair.subset}/{pair.id}"
        if key in wanted:
            found[key] = PairText(question=pair.question, chosen=pair.chosen, rejected=pair.rejected)
    return found
