"""One door to pairs of any origin: tables of pairs, and people's votes made into pairs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from prbgen.errors import InputError
from prbgen.sources.names import proper_split
from prbgen.sources.pairs import PairSource
from prbgen.sources.parts import absolute, hub_id
from prbgen.sources.votes.arena import SUBSET as ARENA
from prbgen.sources.votes.arena import arena_votes
from prbgen.sources.votes.prism import SUBSET as PRISM
from prbgen.sources.votes.prism import prism_votes
from prbgen.sources.votes.recognised import is_arena, prism_part
from prbgen.sources.votes.source import LEAST_VOTES, VoteSource, refuse_other_subsets
from prbgen.text import one_line


def open_source(
    data: str,
    *,
    subsets: Sequence[str] = (),
    split: str = "",
    one_split: bool = False,
    least: int = LEAST_VOTES,
) -> PairSource | VoteSource:
    """Find out what is to be read, by the names of files and columns; what is on the Hub is fetched.

    Args:
        data: A run, a folder, a file, or a Hub id: of pairs (see `PairSource`), of PRISM or of Chatbot Arena
            conversations.
        subsets: Those to read; none means all. Votes have one, "PRISM" or "Arena".
        split: The one to read; "" means all. Votes are of the split of their file, or "test" where it has none.
        one_split: See `PairSource.at`.
        least: Votes that can be used, without which a user is left out.

    Raises:
        InputError: there is no such thing, or nothing in it that is asked for.
    """
    if part := prism_part(data):
        name = _name(data)
        refuse_other_subsets(name, PRISM, subsets)
        if split and proper_split(split) != "test":
            raise InputError(f"{name}: no split {split}; PRISM is not divided, all of it is test")
        return VoteSource(name, PRISM, partial(prism_votes, part), least)
    # Votes are known by their columns, so their only subset is looked at afterwards.
    pairs = PairSource.at(data, subsets=subsets, split=split, one_split=one_split)
    if is_arena(pairs.parts):
        refuse_other_subsets(pairs.name, ARENA, subsets)
        return VoteSource(pairs.name, ARENA, partial(arena_votes, pairs.parts), least)
    return pairs


def _name(data: str) -> str:
    return one_line(hub_id(data) or absolute(data).name or data)
