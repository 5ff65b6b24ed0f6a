"""What has become of the items that a round has already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prbgen.annotation.items import Item
from prbgen.annotation.plan.contents import rebuild
from prbgen.annotation.plan.index import Index
from prbgen.schema import Round, Shown


@dataclass(frozen=True)
class Earlier:
    """The items of a round, marked anew by pairs.jsonl as it stands now.

    `rated` maps the id of a pair with a live item to the chosen answer's side in it; `changed` the same for pairs that
    are there though all their items are withdrawn.
    """

    items: tuple[Item, ...]
    rated: dict[str, Shown]
    changed: dict[str, Shown]

    @property
    def checks(self) -> tuple[Item, ...]:
        """The gold and repeated items."""
        return tuple(item for item in self.items if item.kind != "pair")

    @classmethod
    def of(cls, items: Sequence[Item], index: Index, round_: Round) -> Earlier:
        """Look each item up."""
        # A pair has several items of a kind once its text has changed. The sides stay, so that one at most holds; were
        # there two, the newest would count.
        live = {(item.kind, item.pair_id): item.id for item in items if rebuild(item, index, round_)}
        marked = tuple(
            item.model_copy(update={"withdrawn": live.get((item.kind, item.pair_id)) != item.id}) for item in items
        )
        sides = [(item, item.chosen) for item in marked if item.kind == "pair" and item.chosen]
        rated = {item.pair_id: side for item, side in sides if not item.withdrawn}
        changed = {
            item.pair_id: side for item, side in sides if item.pair_id in index.entries and item.pair_id not in rated
        }
        return cls(marked, rated, changed)
