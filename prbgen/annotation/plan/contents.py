"""What raters see of each item, made again from pairs.jsonl."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from prbgen.annotation.items import Content, Item
from prbgen.annotation.plan.index import Index, indexed
from prbgen.annotation.plan.show import content_hash, show
from prbgen.schema import Round


def contents(
    pairs: Path,
    items: Iterable[Item],
    round: Round,  # noqa: A002 - the project's word for it
) -> Iterator[tuple[Item, Content]]:
    """The items of a round that raters are asked for, each with what it shows, one at a time.

    Passed over are those withdrawn, and those whose text does not hold any more though no push has marked them yet.

    Raises:
        InputError: there are no pairs, or a line is none.
    """
    with indexed(pairs) as index:
        for item in items:
            content = None if item.withdrawn else rebuild(item, index, round)
            if content is not None:
                yield item, content


def rebuild(item: Item, index: Index, round_: Round) -> Content | None:
    """What an item of a round shows; null if its text has changed since, or a pair is gone."""
    pair = index.find(item.pair_id)
    donor = index.find(item.donor)
    side = item.chosen or item.own
    if pair is None or side is None or (item.kind == "gold" and donor is None):
        return None
    other = donor.chosen if donor else pair.rejected
    content = show(pair, round_, own_answer(pair.chosen, item.added), other, side)
    return content if content_hash(content) == item.content_hash else None


def own_answer(chosen: str, added: str | None) -> str:
    """The chosen answer, in a gold item with what was added to it."""
    return f"{chosen}\n\n{added}" if added else chosen
