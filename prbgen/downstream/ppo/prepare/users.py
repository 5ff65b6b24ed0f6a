"""Who asked, told over the data and the benchmarks together: nobody may be trained on and tested with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from prbgen.errors import InputError
from prbgen.schema import PreferencePair
from prbgen.sources import AskerSource
from prbgen.sources.users import Users


@dataclass(frozen=True)
class Apart:
    """The askers of the data, as numbers: of each question by its SUBSET/ID, and which of them a benchmark has, too."""

    users: dict[str, int]
    in_benchmarks: frozenset[int]

    @property
    def left(self) -> dict[str, int]:
        """The questions by users that no benchmark has."""
        return {key: user for key, user in self.users.items() if user not in self.in_benchmarks}


def askers_of(data: AskerSource, benchmarks: Sequence[AskerSource], limit: int) -> Apart:
    """Read everything once; of the data the first `limit` questions, where that is not 0.

    Questions are one user's that have a user key in common, a long post or their own text; and so on from there. Keys
    that LaMP-QA's questions get are made of ids, which may come again in another split: they count in their own source.

    Raises:
        InputError: a row cannot be read, or two questions of the data have the same name.
    """
    users, names, keys = Users(), dict[str, int](), list[str]()
    for number, source in enumerate((data, *benchmarks)):
        for asker in islice(source.read(), (limit or None) if source is data else None):
            users.add((post.text for post in asker.profile or ()), asker.question)
            keys.append(asker.user_key if source.pairs else f"{number}\x1f{asker.user_key}")
            if source is data and names.setdefault(question_key(asker), len(keys) - 1) != len(keys) - 1:
                raise InputError(f"{source.name}: two questions are {question_key(asker)}; leave out one of them")
    askers = list(_joined(users.first_questions(), keys))
    return Apart({name: askers[at] for name, at in names.items()}, frozenset(askers[len(names) :]))


def question_key(asker: PreferencePair) -> str:
    """SUBSET/ID."""
    return f"{asker.subset}/{asker.id}"


def _joined(groups: list[int], keys: Sequence[str]) -> Iterator[int]:
    """The groups, with those that have a key in common made one."""
    first: dict[str, int] = {}

    def root(at: int) -> int:
        while groups[at] != at:
            groups[at] = at = groups[groups[at]]
        return at

    for at, key in enumerate(keys):
        low, high = sorted((root(at), root(first.setdefault(key, at))))
        groups[high] = low
    return (root(at) for at in range(len(groups)))
