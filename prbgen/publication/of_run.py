"""The dataset of a run: RUN/dataset, staged from what the run has."""

from __future__ import annotations

from collections.abc import Callable

from prbgen.errors import InputError
from prbgen.publication.facts import Origin, Result
from prbgen.publication.stage import Staged, stage
from prbgen.recipe import LAMP_QA, SAMPLES, Recipe
from prbgen.run import Run
from prbgen.validation.files import read
from prbgen.validation.report import Gate
from prbgen.validation.validation import Validation


def stage_run(
    run: Run,
    recipe: Recipe,
    validation: Validation | None,
    *,
    unvalidated: bool = True,
    results: tuple[Result, ...] = (),
    gates: tuple[Gate, ...] = (),
    personal: tuple[tuple[str, str, int], ...] | None = None,
) -> Staged:
    """Stage the dataset of a run, with its own card and evaluation script and its audit if there are any.

    Raises:
        PrbgenError: there are no pairs, they cannot be published, or the disk refuses.
    """
    return stage(
        run.pairs,
        run.dataset,
        own=run.own("data_cards"),
        origin=_origin(recipe),
        audit=run.audit,
        validation=validation,
        unvalidated=unvalidated,
        publication=recipe.publication,
        results=results,
        gates=gates,
        personal=personal,
    )


def restage(run: Run, recipe: Recipe, remark: Callable[[str], None]) -> Staged:
    """The same with all pairs, and with what people found; if that cannot be used, `remark` is told why.

    Raises:
        PrbgenError: there are no pairs, they cannot be published, or the disk refuses.
    """
    try:
        validation = read(run, recipe.validation)
    except InputError as error:
        remark(f"the dataset is staged without verdicts: {error}")
        validation = None
    return stage_run(run, recipe, validation, gates=validation.report.gates if validation else ())


def _origin(recipe: Recipe) -> Origin:
    """Where the questions come from, as far as the name of the source tells."""
    if recipe.source.path == SAMPLES:
        return "samples"
    return "lamp-qa" if recipe.source.path in (LAMP_QA, f"hub:{LAMP_QA}") else "other"
