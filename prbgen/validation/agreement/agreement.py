"""Agreement on every question of a round, over all pairs and in each subset."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from prbgen.annotation.rated import Care, RatedRound, Scale
from prbgen.recipe import ValidationSettings
from prbgen.schema import Rating
from prbgen.validation.agreement.coefficients import coefficients
from prbgen.validation.agreement.units import answered
from prbgen.validation.clustered import share_figure
from prbgen.validation.pairs import RatedPair
from prbgen.validation.report import Agreement, Coefficients, Figure


def agreement(
    rated: RatedRound, pairs: Mapping[str, RatedPair], left_out: Collection[str], settings: ValidationSettings
) -> tuple[Agreement, ...]:
    """For each question: agreement over all pairs (subset ""), then in each subset, if there are several.

    Args:
        rated: The round. Only ratings of pairs count here, not those of gold and repeated items.
        pairs: {pair id: pair} of at least those that the round shows.
        left_out: The raters that do not count.
        settings: How many resamples intervals rest on, and their seed.
    """
    by_question: dict[str, list[Rating]] = defaultdict(list)
    for rating in rated.ratings:
        if rating.kind == "pair" and rating.pair_id is not None:
            by_question[rating.question].append(rating)
    subsets = dict.fromkeys(pair.subset for pair in pairs.values() if pair.pair_id in rated.pairs)
    asked_in = ("", *subsets) if len(subsets) > 1 else ("",)

    def found(scale: Scale, subset: str) -> Agreement:
        given = [
            rating
            for rating in by_question[scale.question]
            if not subset or pairs[str(rating.pair_id)].subset == subset
        ]

        def of(aside: Collection[str]) -> Coefficients:
            kept = [rating for rating in given if rating.rater not in aside]
            raters = [care for care in rated.raters if care.rater not in aside]
            intra_rater = None if subset else _intra_rater(scale.question, raters)
            return coefficients(answered(scale, kept, pairs), settings, intra_rater)

        everybody = of(())
        return Agreement(
            round=rated.round,
            question=scale.question,
            subset=subset,
            level="ordinal" if scale.kind == "rating" else "nominal",
            everybody=everybody,
            counted=of(left_out) if left_out else everybody,
        )

    return tuple(found(scale, subset) for scale in rated.scales for subset in asked_in)


def _intra_rater(question: str, raters: Iterable[Care]) -> Figure:
    """How often raters said the same of an item that they got twice."""
    same: list[bool] = []
    names: list[str] = []
    for care in raters:
        equal, both = care.again.get(question, (0, 0))
        same += [True] * equal + [False] * (both - equal)
        names += [care.rater] * both
    return share_figure(same, names, "nobody rated anything twice", of="raters")
