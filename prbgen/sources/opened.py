"""One door to pairs of any origin: tables of pairs, and what `registry.SOURCES` knows, such as people's votes."""

from __future__ import annotations

from collections.abc import Sequence

from prbgen.registry import SOURCES, load
from prbgen.sources.source import Source, Wanted
from prbgen.sources.votes.source import LEAST_VOTES


def open_source(
    data: str,
    *,
    subsets: Sequence[str] = (),
    split: str = "",
    one_split: bool = False,
    least: int = LEAST_VOTES,
) -> Source:
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
    wanted = Wanted(data, tuple(subsets), split, one_split, least)
    for opener in SOURCES.values():
        source: Source | None = load(opener)(wanted)
        if source:
            return source
    return wanted.pairs
