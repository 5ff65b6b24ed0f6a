"""Which recipe, which run and which questions: one meaning for all that takes a recipe."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from prbgen.api.given import Place, names, place
from prbgen.errors import InputError
from prbgen.recipe import Recipe, load_recipe
from prbgen.run import Run, whole_file


def recipe_of(
    recipe: Recipe | Place,
    *,
    limit: int | None = None,
    subset: str | Iterable[str] | None = None,
    ids: str | Iterable[str] | None = None,
) -> Recipe:
    """The recipe, with what is given instead of it.

    Raises:
        InputError: the recipe or what is given is wrong.
    """
    given: dict[str, Any] = {}
    if limit is not None:
        given["limit"] = limit
    if subset:
        given["subsets"] = names(subset)
    if ids is not None:
        given["ids"] = _ids(ids) if isinstance(ids, str) else list(ids)
        if not given["ids"]:
            raise InputError("--ids names no question")
    if not isinstance(recipe, Recipe):
        return load_recipe(place(recipe, "recipe"), {"source": given})
    try:
        source = type(recipe.source).model_validate(recipe.source.model_dump() | given)
    except ValidationError as error:
        fault = error.errors()[0]
        raise InputError(f"[source] {'.'.join(map(str, fault['loc']))}: {fault['msg']}") from None
    return recipe.model_copy(update={"source": source})


def run_of(recipe: Recipe | Place, run: Place | None = None) -> Run:
    """The run folder, whether it is there or not: runs/NAME beside the recipe unless it is named.

    Raises:
        InputError: neither a recipe's file nor a folder is named.
    """
    if run is not None:
        return Run(place(run, "run"))
    if isinstance(recipe, Recipe):
        raise InputError("--run: name the run folder, as this recipe is no file that it could lie beside")
    file = Path(recipe)
    return Run(file.parent / "runs" / file.stem)


def beside(recipe: Recipe | Place, run: Run) -> Path:
    """The folder that may hold the user's own prompts and card: that of the recipe's file, else the run itself."""
    return run.folder if isinstance(recipe, Recipe) else Path(recipe).parent


def recipe_of_run(run: Run, own: Place | None, table: str) -> Recipe:
    """The recipe of a run, with `table` from the recipe `own`; it is written into the run. The run must be locked.

    Raises:
        PrbgenError: a recipe is not valid, or the disk refuses.
    """
    recipe = load_recipe(run.recipe)
    if own is None:
        return recipe
    merged = recipe.model_copy(update={table: getattr(load_recipe(Path(own)), table)})
    if merged != recipe:
        with whole_file(run.recipe) as file:
            file.write(merged.to_toml())
    return merged


def _ids(text: str) -> list[str]:
    if not text.startswith("@"):
        return [part.strip() for part in text.split(",") if part.strip()]
    file = Path(text[1:])
    try:
        return [line.strip() for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--ids: {file}: {getattr(error, 'strerror', None) or error}") from None
