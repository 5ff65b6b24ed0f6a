"""A round, or an adjudication, as it is to be: laid out, then frozen in the run, then opened to its raters."""

from __future__ import annotations

from dataclasses import dataclass

from prbgen.annotation.campaign import Campaign, Place, now
from prbgen.annotation.form.asked import Form
from prbgen.annotation.form.read import freeze
from prbgen.annotation.items import Item
from prbgen.annotation.roster import Rater


@dataclass(frozen=True)
class Laid:
    """What was checked and planned; nothing of it is written before `freeze`.

    `campaign` is as it will be once `raters` are let in, `before` as it is now (null: it begins), `replaced` one that
    makes room for it. `replacing` are ids of new items that show a pair whose text has changed. `short` says in words
    what did not come out as asked, `notes` what else is worth knowing.
    """

    place: Place
    campaign: Campaign
    before: Campaign | None
    form: Form
    items: tuple[Item, ...]
    raters: tuple[Rater, ...]
    replaced: Campaign | None = None
    replacing: frozenset[str] = frozenset()
    short: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def freeze(self) -> None:
        """Write form, items and campaign; the campaign comes last, as its presence says that all is there.

        Its raters are those of before: new ones count once they are let in.
        """
        if self.replaced:
            self.place.set_aside(self.replaced)
        if not self.campaign.senior:
            freeze(self.form, self.place.form)
        self.place.write_items(self.items)
        # A round that is reopened is open before its raters are in, so that they can't be in two.
        held = ("raters", "server", "opened_at")
        self.place.save(
            self.campaign.model_copy(
                update={key: getattr(self.before, key) for key in held} if self.before else {"raters": ()}
            )
        )

    def open(self, server: str | None) -> Campaign:
        """Note that the raters are in, and where."""
        opened = self.campaign.opened_at or now()
        return self.place.save(self.campaign.model_copy(update={"server": server, "opened_at": opened}))
