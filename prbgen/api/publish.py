"""The dataset, in a folder or on the Hub: `prbgen publish`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from prbgen.api.display import QUIET, Display
from prbgen.api.given import Place, names, place, places
from prbgen.api.recipes import recipe_of_run
from prbgen.run import Run

if TYPE_CHECKING:
    from prbgen.publication.publish import Publication


def publish(
    run: Place,
    *,
    to: Place,
    include_unvalidated: bool = False,
    allow: str | Iterable[str] = (),
    results: Place | Iterable[Place] = (),
    recipe: Place | None = None,
    pull_request: bool = False,
    public: bool = False,
    onto: str | None = None,
    display: Display = QUIET,
) -> Publication:
    """Stage RUN/dataset (data, ratings, card, plots, evaluation script), check it, and bring it there: all or nothing.

    Args:
        run: A run folder, as `generate` names it.
        to: A folder, or "hub:ORG/NAME".
        include_unvalidated: Also the pairs that people have not validated, in splits of their own.
        allow: Publish although this gate is red, or these.
        results: What a reward model reaches on it, for the card: what evaluate.py has written.
        recipe: Take [publication] from this recipe, and keep it in the run (RUN/recipe.toml).
        pull_request: Propose it on the Hub instead of replacing.
        public: Make a new dataset on the Hub public at once; else it is private.
        onto: The commit on the Hub that may be replaced though it is not yours.
        display: Is told how it goes.

    Raises:
        InputError: nothing is validated, a gate is red and not allowed, or a place is taken.
        PrbgenError: the disk refuses, or the Hub cannot be used.
    """
    from prbgen.llm.secrets import load_env_file

    load_env_file()  # the Hub's client reads HF_TOKEN and HF_ENDPOINT when it is loaded
    from prbgen.publication.publish import Request
    from prbgen.publication.publish import publish as published

    request = Request(
        to=str(to),
        unvalidated=include_unvalidated,
        allow=frozenset(names(allow)),
        results=places(results, "results"),
        pull_request=pull_request,
        public=public,
        onto=onto,
    )
    own = Run.existing(place(run, "run"))
    with own.locked():
        settings = recipe_of_run(own, recipe, "publication")
        with display.saying("Reading ...") as say:
            return published(own, settings, request, say)
