"""The pairs of an evaluation on disk: read once, each with what its condition may show and nothing more."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from itertools import islice
from pathlib import Path

from prbgen.digest import Digest
from prbgen.errors import InputError
from prbgen.evaluation.conditions.pair import REST_ON_POSTS, PreparedPair
from prbgen.evaluation.conditions.stored import Stored, stored
from prbgen.evaluation.conditions.strangers import Strangers
from prbgen.evaluation.settings import Condition, DataSettings
from prbgen.schema import Post, PreferencePair
from prbgen.sources import VoteSource, open_source
from prbgen.sources.source import Source
from prbgen.text import one_line

# Characters of a name that a message quotes.
_NAME = 80


class Prepared:
    """Pairs in source order, in a file that ends with the block that made it.

    `split` is the one that was read, null where the data has none; `digest` a hash over all that a condition might show
    of the pairs, cut or not: the same under each condition.
    """

    def __init__(self, pairs: Stored, split: str | None, digest: str) -> None:
        self.count = len(pairs)
        self.split = split
        self.digest = digest
        self._pairs = pairs

    def __iter__(self) -> Iterator[PreparedPair]:
        """The pairs, read from disk each time."""
        return iter(self._pairs)


@contextmanager
def prepared(
    data: DataSettings,
    condition: Condition,
    posts: int,
    folder: Path,
    *,
    say: Callable[[str], None] = lambda _: None,
) -> Iterator[Prepared]:
    """Read the data and keep, in a temporary file below `folder`, what the condition needs of each pair.

    Of a folder, or a dataset on the Hub, one split is read: the one that is asked for, else the first one that people
    have validated. A run or a file that is named is read whole unless a split is asked for, whatever splits its pairs
    come from; then `split` is null unless they all come from one.

    Args:
        data: Which pairs.
        condition: What the model will see.
        posts: How many posts are shown at most.
        folder: An existing one, on a disk with room for the texts.
        say: Gets how many votes and users were left out, of data that is made of votes.

    Raises:
        InputError: there are no pairs, two of them have the same name, people have validated none of them, or the data
            has nothing of what the condition needs.
        PrbgenError: the disk refuses.
    """
    source = open_source(data.data, subsets=data.subsets, split=data.split, one_split=True)
    with prepared_of(source, condition, posts, folder, limit=data.limit) as pairs:
        if isinstance(source, VoteSource):
            say(f"{source.name}: {source.report}")
        yield pairs


@contextmanager
def prepared_of(
    source: Source, condition: Condition, posts: int, folder: Path, *, limit: int = 0, answers: bool = True
) -> Iterator[Prepared]:
    """The same of any source; without `answers`, of questions alone.

    Raises:
        InputError: as `prepared`.
        PrbgenError: the disk refuses.
    """
    reading = _Reading(source, condition, posts, limit, answers=answers)
    with stored(folder) as own:
        reading.into(own)
        if condition != "shuffled":
            yield reading.prepared(own)
            return
        with stored(folder) as shuffled:
            reading.shuffle(own, shuffled)
            yield reading.prepared(shuffled)


class _Reading:
    """One pass over a source, and what it tells beside the pairs."""

    def __init__(self, source: Source, condition: Condition, posts: int, limit: int, *, answers: bool) -> None:
        self._source, self._condition, self._posts, self._limit = source, condition, posts, limit
        self._answers = answers
        self._digest = Digest()
        self._places: dict[bytes, int] = {}
        self._splits: set[str] = set()
        self._strangers = Strangers()

    def into(self, pairs: Stored) -> None:
        """Keep the pairs up to the limit; under `shuffled` all, as anybody may stand in for an asker."""
        limit = self._limit or None
        has_needed = False
        for place, (where, pair) in enumerate(self._source.read_with_places()):
            if place == limit and self._condition != "shuffled":
                break
            kept = PreparedPair.of(pair, self._condition, self._posts, answers=self._answers)
            self._refuse_twice(kept.key, place, where)
            if limit is None or place < limit:
                self._digest.add_texts(kept.key, _texts(pair))
                self._splits.add(pair.split)
            if self._condition == "shuffled":
                self._strangers.add(place, kept)
            has_needed = has_needed or self._has_needed(pair)
            pairs.put(place, kept)
        if not has_needed:
            self._refuse_condition()

    def shuffle(self, own: Stored, shuffled: Stored) -> None:
        """Put a stranger's posts in the place of each asker's own, as many of them. A pair for which there is nobody
        with as many lacks them: fewer would tell how much a longer history helps, not whose it is.
        """
        anybody = False
        for place, pair in enumerate(islice(own, self._limit or None)):
            # Whoever has no posts is shown none, or their number would tell a stranger's from the asker's.
            strangers = self._strangers.of(pair) if pair.posts else []
            shown = (own[stranger.place].posts[: len(pair.posts)] for stranger in strangers)
            # Where nothing tells who asked, a stranger may be the asker.
            foreign = next((posts for posts in shown if _texts_of(posts).isdisjoint(_texts_of(pair.posts))), ())
            change: dict[str, object] = {"posts": foreign}
            anybody = anybody or bool(foreign)
            if pair.posts and not foreign:
                group = f"category {pair.category}" if pair.category else f"subset {pair.subset}"
                change["lacking"] = pair.lacking or f"no other user with as many posts: {one_line(group, _NAME)}"
            shuffled.put(place, pair.model_copy(update=change))
        if not anybody:
            raise InputError(
                f"{self._source.name}: --condition shuffled shows as many posts of another user of the same category,"
                " and no pair has one; use more pairs, fewer --posts, or another condition"
            )

    def prepared(self, pairs: Stored) -> Prepared:
        """The pairs that were kept."""
        split = self._splits.pop() if len(self._splits) == 1 else None
        return Prepared(pairs, split or None, self._digest.hexdigest())

    def _has_needed(self, pair: PreferencePair) -> bool:
        if self._condition in REST_ON_POSTS:
            return pair.profile is not None
        return self._condition != "oracle" or bool(pair.rubric_aspects)

    def _refuse_condition(self) -> None:
        column = "rubric_aspects" if self._condition == "oracle" else "profile"
        raise InputError(
            f"{self._source.name}: --condition {self._condition} needs the column {column}, and no pair has anything in"
            " it; --condition none needs none"
        )

    def _refuse_twice(self, key: str, place: int, where: str) -> None:
        """Whatever joins results does it by this name. A hash of each is kept: many names take much memory."""
        name = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        first = self._places.setdefault(name, place)
        if first != place:
            earlier, _ = next(islice(self._source.read_with_places(), first, None), ("another row", None))
            what = f"{earlier} and {where} are both the pair {one_line(key, _NAME)}, by which results are joined"
            raise InputError(f"{self._source.name}: {what}; leave out one of them or give them a pair_id each")


def _texts(pair: PreferencePair) -> str:
    """All that a condition might show of a pair, as JSON."""
    profile = pair.profile and [[post.category, post.text] for post in pair.profile]
    aspects = pair.rubric_aspects and [each.aspect for each in pair.rubric_aspects]
    return json.dumps([pair.category, pair.question, pair.chosen, pair.rejected, profile, aspects])


def _texts_of(posts: Iterable[Post]) -> set[str]:
    return {" ".join(post.text.split()) for post in posts}
