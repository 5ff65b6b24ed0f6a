"""Which pairs people have validated: `prbgen validate`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prbgen.api.display import QUIET, Display
from prbgen.api.given import Place, place
from prbgen.api.recipes import recipe_of_run
from prbgen.run import Run

if TYPE_CHECKING:
    from prbgen.validation.validation import Validation


def validate(run: Place, *, recipe: Place | None = None, display: Display = QUIET) -> Validation:
    """Weigh the ratings of a run, write RUN/annotation/agreement.json and verdicts.jsonl, and stage the dataset.

    Args:
        run: A run folder, as `generate` names it.
        recipe: Take [validation] from this recipe, and keep it in the run (RUN/recipe.toml).
        display: Is told how it goes.

    Raises:
        InputError: it is no run, there are no ratings, or another process works on it.
        PrbgenError: the disk refuses.
    """
    from prbgen.publication.of_run import stage_run
    from prbgen.validation.files import write
    from prbgen.validation.validate import validate as weighed

    own = Run.existing(place(run, "run"))
    with own.locked():
        settings = recipe_of_run(own, recipe, "validation")
        with display.saying("Reading ...") as say:
            validated = weighed(own, settings.validation, say)
            write(own, validated)
            say("Staging the dataset ...")
            stage_run(own, settings, validated, gates=validated.report.gates)
    return validated
