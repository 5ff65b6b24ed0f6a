"""Which pairs are published."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from prbgen.errors import InputError
from prbgen.publication.selection import Selection
from prbgen.schema import Pair


def test_pairs_are_placed_by_what_people_found(
    make_pair: Callable[..., Pair], write_pairs: Callable[[Iterable[Pair]], Path]
) -> None:
    pairs = [make_pair(number) for number in range(3)]
    path, good = write_pairs(pairs), {pairs[1].pair_id}
    alone, both = Selection(path, good, unvalidated=False), Selection(path, good)
    assert list(alone.placed()) == [(pairs[0], None), (pairs[1], "test"), (pairs[2], None)]
    assert list(alone.published()) == list(alone.published()) == [pairs[1]]
    assert [split for _, split in both.placed()] == ["test_unvalidated", "test", "test_unvalidated"]
    assert list(both.published()) == pairs


def test_a_pair_that_comes_twice_is_named_though_it_is_left_out(
    make_pair: Callable[..., Pair], write_pairs: Callable[[Iterable[Pair]], Path]
) -> None:
    pair = make_pair()
    with pytest.raises(InputError, match=f"pair_id {pair.pair_id} comes twice"):
        list(Selection(write_pairs([pair, pair]), unvalidated=False).published())
