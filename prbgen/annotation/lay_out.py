"""A round as a push is to make it: checked against everything that is known before anything is written or sent."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prbgen.annotation.apart import campaigns, refuse_mixing
from prbgen.annotation.argilla.account_rules import check_raters
from prbgen.annotation.campaign import Campaign, Place, Way, begin, own_workspace
from prbgen.annotation.form.asked import Form
from prbgen.annotation.form.read import frozen, read_form
from prbgen.annotation.items import Item
from prbgen.annotation.laid import Laid
from prbgen.annotation.plan import extend, most_aspects
from prbgen.annotation.pseudonyms import Pseudonyms, pseudonyms
from prbgen.annotation.roster import Rater
from prbgen.errors import InputError
from prbgen.recipe import AnnotationSettings, load_recipe
from prbgen.run import Run
from prbgen.schema import Round

AFRESH = "`push --new` begins it afresh"
# Of fewer, one slip leaves a rater out.
_ENOUGH_GOLD = 5
# What can still be changed when a round has begun.
_LOOSE = ("raters_per_item", "sample")


@dataclass(frozen=True)
class Request:
    """What a push is asked for. `settings` are those of the recipe's [annotation] that flags override.

    `own` is a folder with the user's own form, `workspace` the name of one that is there already. `new` begins the
    round afresh, `reopen` goes on with one that was closed.
    """

    round: Round
    way: Way = "argilla"
    raters: tuple[Rater, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    own: Path | None = None
    workspace: str | None = None
    new: bool = False
    reopen: bool = False


class FixedError(InputError):
    """A round that has begun is asked for what can't be changed any more."""


def lay_out(run: Run, request: Request) -> Laid:
    """Check a request and plan the round. Nothing is changed but that the raters' key is made, if there is none.

    Raises:
        InputError: something of it cannot be; says what to do.
    """
    place = Place.of(run, request.round)
    there = place.load()
    if not (there and there.opened_at and request.new):
        return _lay_out(run, request, place, there, None)
    if not (there.complete or there.closed_at):
        # A push that begins afresh and was interrupted goes on with what it has begun, if that is what is wanted.
        with suppress(FixedError):
            return _lay_out(run, request, place, there, None)
    if not there.closed_at and "sheets" in (there.way, request.way):
        sheets = " --from FOLDER" if there.way == "sheets" else ""
        raise InputError(
            f"the round {there.round} is still open; bring its ratings and close it first: prbgen annotate pull"
            f" {run.folder} --round {there.round}{sheets} --close"
        )
    return _lay_out(run, request, place, None, there)


def _lay_out(run: Run, request: Request, place: Place, on_disk: Campaign | None, replaced: Campaign | None) -> Laid:
    # One that nobody was let into binds nobody: it is laid out again, under its own id.
    before = on_disk if on_disk and on_disk.opened_at else None
    check_raters(request.raters)
    settings, notes = _settings(run, request, before)
    if before:
        _refuse_what_is_fixed(request, before)
    salt, alias = _pseudonyms(run)
    names = {alias(rater.username): rater.username for rater in request.raters}
    raters = tuple(sorted({*(before.raters if before else ()), *names}))
    if len(raters) < settings.raters_per_item:
        told = "name more, or lower --raters-per-item" if request.raters else "a file with --raters names them"
        raise InputError(
            f"{len(raters)} raters, but each item is to be rated by {settings.raters_per_item} of them: {told}"
        )
    refuse_mixing(run, request.round, names, senior=False)
    form = _form(run, request, place, before)
    plan = extend(
        run.pairs, place.read_items() if before else (), request.round, settings, aspect_labels(form), form.gold
    )
    notes = (*notes, *_few_gold_items(plan.items, settings))
    short = (*(f"{count} x left out: {reason}" for reason, count in plan.left_out.items()), *plan.remarks)
    if all(item.withdrawn for item in plan.items):
        raise InputError(f"{run.pairs}: no pair that the round {request.round} can rate ({'; '.join(short)})")
    begun = on_disk or begin(run, request.round, request.way, settings, salt, alias.check)
    # One that was asked for and refused does not stick.
    usual = before.workspace if before else own_workspace(run, request.round, begun.id)
    changes = {
        "way": request.way,
        "workspace": request.workspace or usual,
        "settings": settings,
        "raters": raters,
        "items": len(plan.items),
        "closed_at": None,
    }
    return Laid(
        place=place,
        campaign=begun.model_copy(update=changes),
        before=before,
        form=form,
        items=plan.items,
        raters=request.raters,
        replaced=replaced,
        replacing=plan.replacing,
        short=short,
        notes=notes,
    )


def _few_gold_items(items: Sequence[Item], settings: AnnotationSettings) -> tuple[str, ...]:
    gold = sum(item.kind == "gold" and not item.withdrawn for item in items)
    if not 0 < gold < _ENOUGH_GOLD or settings.least_gold == 0:
        return ()
    return (f"{gold} gold items alone decide whether a rater counts: --gold asks for more of them",)


def aspect_labels(form: Form) -> int | None:
    """How many aspects the form can ask about, null if it asks about none. Argilla can't add any later."""
    return next((len(asked.options) - 1 for asked in form.asked if asked.kind == "aspects"), None)


def _pseudonyms(run: Run) -> tuple[str, Pseudonyms]:
    """The salt of the run, new if it has none, and the pseudonyms made with it."""
    known = next(campaigns(run), None)
    salt = known.salt if known else secrets.token_hex(8)
    return salt, pseudonyms(salt, known.key_check if known else None)


def _settings(run: Run, request: Request, before: Campaign | None) -> tuple[AnnotationSettings, tuple[str, ...]]:
    wanted = {key: value for key, value in request.settings.items() if value is not None}
    recipe = load_recipe(run.recipe, {"annotation": wanted} if wanted else None).annotation
    if before is None:
        return recipe, ()
    for key, value in wanted.items():
        if key not in _LOOSE and value != (was := getattr(before.settings, key)):
            raise FixedError(f"--{key.replace('_', '-')} {value}: is {was} since the round began; {AFRESH}")
    held = before.settings.model_copy(update={key: value for key, value in wanted.items() if key in _LOOSE})
    other = [key for key in AnnotationSettings.model_fields if getattr(recipe, key) != getattr(held, key)]
    note = f"what the round began with holds, not what the recipe says now: {', '.join(other)}; {AFRESH}"
    return held, (note,) if other else ()


def _refuse_what_is_fixed(request: Request, before: Campaign) -> None:
    if before.way != request.way:
        how = "on sheets (--to FOLDER)" if before.way == "sheets" else "in Argilla"
        raise FixedError(f"the round {before.round} is rated {how}; go on there, or {AFRESH}")
    if before.closed_at and not request.reopen:
        raise InputError(
            f"the round {before.round} was closed at {before.closed_at}; --reopen goes on with it, and {AFRESH}"
        )
    if request.reopen and not request.raters:
        raise InputError("--reopen lets raters in again: name them with --raters")
    if request.workspace not in (None, before.workspace):
        raise FixedError(f'the round {before.round} is in the workspace "{before.workspace}"; {AFRESH} in another')


def _form(run: Run, request: Request, place: Place, before: Campaign | None) -> Form:
    own = [request.own] if request.own else []
    if before is None:
        return read_form(request.round, own, most_aspects(run.pairs) if request.round == "rubric" else 0)
    was = frozen(place.form, request.round)
    if not own:
        return was
    form = read_form(request.round, [*own, place.form], aspect_labels(was) or 0)
    if told := _parted(_fixed(was), _fixed(form)):
        raise FixedError(f"{request.own}: the round has begun with other questions: {'; '.join(told)}; {AFRESH}")
    return form


def _fixed(form: Form) -> dict[str, tuple[str, bool, list[str]]]:
    """What of the questions makes answers comparable: everything but their wording."""
    return {each.name: (each.kind, each.required, [value for value, _ in each.options]) for each in form.asked}


def _parted(was: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    gone = [f"{name} is no longer asked" for name in was if name not in wanted]
    added = [f"{name} is new" for name in wanted if name not in was]
    changed = [
        f"{name} has another kind or other options" for name in was if name in wanted and was[name] != wanted[name]
    ]
    order = ["their order is another"] if list(was) != list(wanted) else []
    return gone + added + changed or order
