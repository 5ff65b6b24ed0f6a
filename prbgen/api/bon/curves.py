"""The quality of the best of k, by each reward model: `prbgen bon curve`."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from prbgen.api.bon.candidates import answers_of
from prbgen.api.display import QUIET, Display
from prbgen.api.given import Place, data_of
from prbgen.downstream.facts import Curves


class DrawnCurves(Curves):
    """The curves, and the `folder` of the judge that has them: curve.json, curve.svg, and the qualities of each reward
    model. `unfinished`: folders of scores that are not complete, or of other answers than there are now.
    """

    folder: Path = Field(exclude=True)
    unfinished: tuple[Path, ...] = Field(exclude=True)


def curve(data: Place, *, candidates: Place | None = None, judge: str = "", display: Display = QUIET) -> DrawnCurves:
    """What reward models bring when they choose the best of k answers, beside random choice and the judge's best.

    Args:
        data: What `sample` was given.
        candidates: The folder that `sample` wrote (the only one below results/DATA).
        judge: Whose qualities count (the only judge's).
        display: Is told how it goes.

    Raises:
        InputError: there are no candidates, or nobody has scored or judged them.
    """
    from prbgen.downstream.best_of_n.curve import draw_curves, judge_of, scorers_of

    answers = answers_of(data_of(data).data, candidates)
    judged_by = judge_of(answers, judge)
    unfinished = scorers_of(answers).unfinished
    with display.saying("Reading ...") as say:
        curves = draw_curves(answers, judged_by, say=say)
    why = "its scores are not complete, or of other answers than there are now; run `prbgen bon score` again"
    for folder in unfinished:
        display.remark(f"{folder}: left out, as {why}")
    return DrawnCurves.model_validate({**dict(curves), "folder": judged_by.folder, "unfinished": unfinished})
