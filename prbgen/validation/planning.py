"""How many pairs and raters a study needs for the certainty that is wanted."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf

from prbgen.errors import InputError
from prbgen.recipe import AnnotationSettings
from prbgen.validation.share import Z95


@dataclass(frozen=True)
class Wanted:
    """What a study is to tell, and who is there to rate.

    The equivalence of general quality is to be found with `power` (0 to 1) within `margin` marks, if there is no
    difference at all and chosen less rejected has a standard deviation of `sd` marks over pairs. Shares are to be known
    within +-`half_width`, at the 95 % level: of pairs that a model or people get right (about `accuracy`), and of
    raters who say the same (about `agreement`); .5 is the worst case. A user has `pairs_per_user` on average, whose
    outcomes correlate by `icc`.

    There are `raters` (null: as many as it takes, with `hours` from each), who take `seconds` an item in each of
    `rounds` rounds.

    Raises:
        InputError: a number is out of its range.
    """

    sd: float = 0.8
    margin: float = 0.2
    power: float = 0.9
    half_width: float = 0.05
    accuracy: float = 0.5
    agreement: float = 0.5
    pairs_per_user: float = 1.0
    icc: float = 0.0
    raters: int | None = None
    hours: float = 10.0
    seconds: float = 120.0
    rounds: int = 2

    def __post_init__(self) -> None:
        for name in ("sd", "margin", "half_width", "hours", "seconds"):
            _check(name, getattr(self, name), "above 0", 0 < getattr(self, name) < inf)
        for name in ("power", "accuracy", "agreement"):
            _check(name, getattr(self, name), "between 0 and 1", 0 < getattr(self, name) < 1)
        _check("icc", self.icc, "from 0 to 1", 0 <= self.icc <= 1)
        _check("pairs_per_user", self.pairs_per_user, "1 or more", 1 <= self.pairs_per_user < inf)
        _check("raters", self.raters, "1 or more", self.raters is None or self.raters >= 1)
        _check("rounds", self.rounds, "1 or more", self.rounds >= 1)


@dataclass(frozen=True)
class Plan:
    """What it takes.

    `pairs_for_power`, `pairs_for_accuracy` and `pairs_for_agreement` are pairs for each aim, `pairs` is the most of
    them, of `users`. Several pairs of a user tell less than as many of others: `design_effect` times as many are
    needed. A round has `items`: the pairs, gold and repeated items. `ratings` are submitted forms over all rounds;
    `hours` of work for each of `raters`.
    """

    design_effect: float
    pairs_for_power: int
    pairs_for_accuracy: int
    pairs_for_agreement: int
    pairs: int
    users: int
    items: int
    ratings: int
    raters: int
    hours: float


def plan(wanted: Wanted, settings: AnnotationSettings) -> Plan:
    """The study that gives what is wanted, with `settings` for raters an item, gold and repeated items.

    Power is that of the paired TOST (Phillips 1990), intervals are normal ones of a share (Cochran 1977), and the
    design effect is 1 + (m - 1) icc with m pairs a user (Kish 1965). Agreement counts an item as one outcome, as with
    two raters: more of them narrow its interval.

    Raises:
        InputError: there are fewer raters than an item needs.
    """
    from prbgen.validation.power import pairs_for_power

    effect = 1 + (wanted.pairs_per_user - 1) * wanted.icc
    for_power = _ceil(pairs_for_power(wanted.power, wanted.sd, wanted.margin) * effect)
    for_accuracy = _ceil(_pairs_for_share(wanted.accuracy, wanted.half_width) * effect)
    for_agreement = _ceil(_pairs_for_share(wanted.agreement, wanted.half_width) * effect)
    pairs = max(for_power, for_accuracy, for_agreement)
    # Shares as written, as they are when a round is laid out: .07 of 100 is 7.
    checks = sum(ceil(Fraction(str(share)) * pairs) for share in (settings.gold, settings.repeats))
    ratings = (pairs + checks) * settings.raters_per_item * wanted.rounds
    work = ratings * wanted.seconds / 3600
    least = settings.raters_per_item
    raters = max(least, _ceil(work / wanted.hours)) if wanted.raters is None else wanted.raters
    if raters < least:
        raise InputError(f"{raters} raters, but each item is to be rated by {least}: raise raters")
    return Plan(
        design_effect=effect,
        pairs_for_power=for_power,
        pairs_for_accuracy=for_accuracy,
        pairs_for_agreement=for_agreement,
        pairs=pairs,
        users=_ceil(pairs / wanted.pairs_per_user),
        items=pairs + checks,
        ratings=ratings,
        raters=raters,
        hours=work / raters,
    )


def _pairs_for_share(share: float, half_width: float) -> float:
    return Z95**2 * share * (1 - share) / half_width**2


def _ceil(number: float) -> int:
    # What is whole but for the last digits of a float is not raised by one.
    return ceil(round(number, 9))


def _check(name: str, value: float | None, what: str, holds: bool) -> None:
    if not holds:
        raise InputError(f"{name} = {value}: should be {what}")
