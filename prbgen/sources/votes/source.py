"""A benchmark of votes as a source of pairs, and what it says of the votes that it left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from prbgen.errors import InputError
from prbgen.schema import PreferencePair
from prbgen.sources.names import proper_subset
from prbgen.sources.votes.personal import by_user, personal_pairs
from prbgen.sources.votes.vote import Votes

LEAST_VOTES = 5


@dataclass(frozen=True)
class VoteReport:
    """What was read: `pairs` of `users`; `left_out` counts votes by reason; `few_users` had fewer than `least` of those
    that remained, `few_votes` in all.
    """

    pairs: int
    users: int
    left_out: Mapping[str, int]
    few_users: int
    few_votes: int
    least: int

    def __str__(self) -> str:
        """On one line."""
        gone = [f"{count:,} {why}" for why, count in sorted(self.left_out.items()) if count]
        if self.few_users:
            gone.append(f"{self.few_votes:,} of {self.few_users:,} users with fewer than {self.least}")
        left_out = "; votes left out: " + ", ".join(gone) if gone else ""
        return f"{self.pairs:,} pairs of {self.users:,} users{left_out}"


class VoteSource:
    """Pairs made of people's votes, users with fewer than `least` usable ones left out.

    The benchmarks that are made of the same votes in PersonalRewardBench (Ryan et al., SynthesizeMe, arXiv 2506.05598)
    also leave out users with few votes. They go on to have language models drop what is not personal and what most
    models agree on, and divide each user's votes into train, validation and test. Here no model chooses what a reward
    model is measured by, and each vote is a pair with all the user's others as its profile. So numbers here are not
    those of that benchmark.

    Nobody's language or topic is left out. All is in memory while it is read.
    """

    def __init__(self, name: str, subset: str, collect: Callable[[], Votes], least: int = LEAST_VOTES) -> None:
        self.name = name
        self.subset = subset
        self.report: VoteReport | None = None
        """What was left out; null until a reading has begun."""
        self._collect = collect
        self._least = least

    def read(self) -> Iterator[PreferencePair]:
        """The pairs, in source order.

        Raises:
            InputError: a row cannot be read, or nobody has enough votes; before any pair is given out.
        """
        for _, pair in self.read_with_places():
            yield pair

    def read_with_places(self) -> Iterator[tuple[str, PreferencePair]]:
        """The same, each pair with its place ("FILE:line 12")."""
        votes = self._collect()
        users = by_user(votes.kept)
        enough = {user for user, own in users.items() if len(own) >= self._least}
        kept = [vote for vote in votes.kept if vote.user in enough]
        self.report = VoteReport(
            pairs=len(kept),
            users=len(enough),
            left_out=dict(votes.left_out),
            few_users=len(users) - len(enough),
            few_votes=len(votes.kept) - len(kept),
            least=self._least,
        )
        if not kept:
            raise InputError(f"{self.name}: no user has {self._least} votes that can be used ({self.report})")
        yield from personal_pairs(kept, self.subset)


def refuse_other_subsets(name: str, subset: str, asked: Sequence[str]) -> None:
    """Refuse subsets that are asked for and not there.

    Raises:
        InputError: there are some.
    """
    missing = [each for each in asked if not proper_subset(each, (subset,))]
    if missing:
        raise InputError(f"{name}: no subset {', '.join(missing)}; found: {subset}")
