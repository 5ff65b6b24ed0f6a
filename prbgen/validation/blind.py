"""How well people who see the asker's posts, but not the rubric, tell chosen from rejected."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from prbgen.annotation.rated import RatedRound
from prbgen.schema import Round
from prbgen.validation.clustered import share_figure
from prbgen.validation.given import BETTER, asked, given, round_of, why_missing
from prbgen.validation.marks import fit_of
from prbgen.validation.pairs import RatedPair
from prbgen.validation.report import Blind, Figure


def blind(
    pairs: Iterable[RatedPair], rounds: Sequence[RatedRound], left_out: Mapping[Round, Collection[str]]
) -> Blind | None:
    """What the blind round shows, by the raters that count and without senior ones; null if it was not rated."""
    round_ = round_of(rounds, "blind")
    if round_ is None:
        return None
    told = given(round_.ratings, left_out.get("blind", ()))
    by_pair: list[tuple[bool, str]] = []
    by_vote: list[tuple[bool, str]] = []
    for pair in pairs:
        fit = fit_of(told.get(pair.pair_id, ()), asked(round_), pair.aspects)
        if fit.for_chosen is None:
            continue
        by_pair.append((fit.for_chosen, pair.user_key))
        right, *wrong = fit.votes
        by_vote += [(True, pair.user_key)] * right + [(False, pair.user_key)] * sum(wrong)
    missing = why_missing(rounds, "blind", BETTER)
    return Blind(pairs=_share(by_pair, missing), votes=_share(by_vote, missing))


def _share(told: Sequence[tuple[bool, str]], missing: str) -> Figure:
    return share_figure([right for right, _ in told], [user for _, user in told], missing)
