"""A report for programs."""

from __future__ import annotations

from typing import Any

from prbgen.evaluation.report.boards import Row
from prbgen.evaluation.report.contrasts import Contrast
from prbgen.evaluation.report.disagreements import Disagreement, Disagreements
from prbgen.evaluation.report.report import Evaluated, Report


def document(report: Report) -> dict[str, Any]:
    """All that the page shows, to be printed as JSON; what is not known is null."""
    return {"sets": [_set(each) for each in report.sets]}


def _set(evaluated: Evaluated) -> dict[str, Any]:
    return {
        "data": evaluated.names,
        "splits": evaluated.splits,
        "pairs": evaluated.pairs,
        "users": {"fewest": evaluated.users[0], "most": evaluated.users[1]},
        "leaderboards": {board.condition: [_row(row) for row in board.rows] for board in evaluated.boards},
        "contrasts": [_contrast(each) for each in evaluated.contrasts],
        "disagreements": _disagreements(evaluated.disagreements),
        "repeats": [
            {"results": str(each.entry.results.folder), "shown": str(each.shown.results.folder)}
            for each in evaluated.repeats
        ],
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "results": str(row.entry.results.folder),
        "model": row.entry.system,
        "label": row.entry.label,
        "mark": row.mark,
        "upper_bound": row.entry.summary.condition == "oracle",
        "same_family_as": row.entry.kin,
        **row.standing.model_dump(mode="json", exclude={"name"}),
        "summary": row.entry.summary.model_dump(mode="json"),
    }


def _contrast(contrast: Contrast) -> dict[str, Any]:
    return {
        "one": contrast.one,
        "other": contrast.other,
        "question": contrast.question,
        "models": [
            {
                "label": gain.name,
                "one": str(gain.one.results.folder),
                "other": str(gain.other.results.folder),
                "value": gain.value,
                **gain.tested.model_dump(mode="json"),
            }
            for gain in contrast.gains
        ],
    }


def _disagreements(found: Disagreements | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "condition": found.condition,
        "divided": found.divided,
        "lacking": found.lacking,
        "pairs": [_disagreement(each) for each in found.shown],
    }


def _disagreement(found: Disagreement) -> dict[str, Any]:
    return {
        "pair_id": found.item.pair_id,
        "id": found.item.id,
        "subset": found.item.subset,
        "for_chosen": found.for_chosen,
        "for_rejected": found.for_rejected,
        "ties": found.undecided,
        "unscored": found.unscored,
        "text": found.text and found.text.model_dump(mode="json"),
    }
