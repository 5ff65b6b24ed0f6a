"""What is to be rated: one item for each record that raters get, kept in RUN/annotation/ROUND/items.jsonl."""

from __future__ import annotations

from prbgen.schema import ItemKind, Record, Shown


class ShownPost(Record):
    """An earlier post of the asker as raters see it."""

    category: str | None
    text: str


class ShownAspect(Record):
    """An aspect of the rubric as raters see it, numbered from 1 by its place."""

    aspect: str
    reason: str | None


class Content(Record):
    """All that raters see of an item. Posts and aspects are empty in rounds that don't show them."""

    question: str
    a: str
    b: str
    posts: tuple[ShownPost, ...] = ()
    aspects: tuple[ShownAspect, ...] = ()


class Bound(Record):
    """What a gold item's known answer allows: the rating of `name` is within `least` and `most`, or is one of `values`.

    For an "aspects" question `least` and `most` bound how many aspects are ticked.
    """

    name: str
    least: int | None = None
    most: int | None = None
    values: tuple[str, ...] = ()


class Item(Record):
    """A record that raters get. Once laid out it stays as it is, but for the mark `withdrawn`.

    `id` is a pair id and a hash of all that is shown; that of a gold or repeated item does not tell it from others.
    `pair_id` names the pair that it shows (for a gold item: whose question and profile it shows). `chosen` is where the
    chosen answer stands, null for a gold item. `repeats` is the id of the item that a repeated one repeats (with the
    sides changed over); `gold` what is known of a gold item's answer. `aspects` counts those that are shown.

    A gold item shows the question's own chosen answer on the side `own`, followed by the text `added` (null: nothing),
    and on the other the chosen answer of the pair `donor`, which answers another question.

    `withdrawn` says that pairs.jsonl does not give what it shows any more: a text of its pair has changed since, or a
    pair is gone. Nobody is asked for it then, and its ratings stay.
    """

    id: str
    pair_id: str
    kind: ItemKind
    subset: str
    strategy: str
    aspects: int
    chosen: Shown | None
    content_hash: str
    repeats: str | None = None
    gold: tuple[Bound, ...] = ()
    own: Shown | None = None
    donor: str | None = None
    added: str | None = None
    withdrawn: bool = False


def opposite(side: Shown) -> Shown:
    """The other side."""
    return "B" if side == "A" else "A"
