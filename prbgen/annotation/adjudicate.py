"""Items on which raters disagree go to senior raters, in a workspace or on sheets of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from prbgen.annotation.answers import laid_out
from prbgen.annotation.apart import refuse_mixing
from prbgen.annotation.argilla.account_rules import check_raters
from prbgen.annotation.campaign import Campaign, Place, Way, begin, own_workspace
from prbgen.annotation.form.asked import Form
from prbgen.annotation.form.read import frozen
from prbgen.annotation.items import Item
from prbgen.annotation.laid import Laid
from prbgen.annotation.pseudonyms import pseudonyms
from prbgen.annotation.ratings.care import below_bar, care_of
from prbgen.annotation.ratings.counting import counting
from prbgen.annotation.ratings.disagreement import Disagreement, disagreed
from prbgen.annotation.roster import Rater
from prbgen.errors import InputError
from prbgen.run import Run
from prbgen.schema import Rating, Round


def lay_out_adjudication(
    run: Run, round_: Round, way: Way, raters: tuple[Rater, ...], workspace: str | None = None
) -> tuple[Laid | None, list[Disagreement]]:
    """What raters disagree on by the ratings pulled last, laid out for senior raters; null: nothing is to be done.

    Raises:
        InputError: nothing was pulled, a senior rater rates in this round or may not see it, or none is named.
    """
    parent, campaign = next(laid_out(run, round_, way))
    if not parent.ratings.exists():
        raise InputError(f"{parent.ratings}: not there; first prbgen annotate pull {run.folder} --round {round_}")
    check_raters(raters)
    alias = pseudonyms(campaign.salt, campaign.key_check)
    names = {alias(rater.username): rater.username for rater in raters}
    refuse_mixing(run, round_, names, senior=True)
    form, items = frozen(parent.form, round_), {item.id: item for item in parent.read_items()}
    found = disagreed(campaign, form, items.values(), _of_those_who_count(parent, campaign, form, items.values()))
    place = parent.adjudication
    on_disk = place.load()
    before = on_disk if on_disk and on_disk.opened_at else None
    # As they are now: the text of a pair may have changed since.
    earlier = [items[item.id] for item in place.read_items()] if before else []
    added = [each.item for each in found if each.item not in earlier]
    if before and workspace not in (None, before.workspace):
        raise InputError(f'the adjudication is in the workspace "{before.workspace}"; leave --workspace out')
    nothing_new = not added and not raters and (before is None or before.complete)
    if nothing_new or not (earlier or added):
        return None, found
    if not raters and (before is None or before.closed_at or way == "sheets"):
        raise InputError("who adjudicates? --raters FILE names the senior raters")
    settings = campaign.settings.model_copy(update={"raters_per_item": 1})
    senior = on_disk or begin(run, round_, way, settings, campaign.salt, campaign.key_check)
    changes = {
        "senior": True,
        "workspace": workspace or (before.workspace if before else own_workspace(run, round_, senior.id)),
        "raters": tuple(sorted({*(before.raters if before else ()), *names})),
        "items": len(earlier) + len(added),
        # Not if this is interrupted.
        "complete": False,
        "closed_at": None,
    }
    laid = Laid(place, senior.model_copy(update=changes), before, form, (*earlier, *added), raters)
    return laid, found


def _of_those_who_count(place: Place, campaign: Campaign, form: Form, items: Iterable[Item]) -> Iterator[Rating]:
    """The ratings without those of raters who are below the bar: nobody is to settle what they disagree on."""
    items = list(items)
    said = tuple(counting(place.ratings, campaign, form, items, Counter()))
    out = {care.rater for care in care_of(form, items, said) if below_bar(care, campaign.settings)}
    return (rating for rating in said if rating.rater not in out)
