"""Is one answer nearly a copy of the other?"""

from collections import Counter
from itertools import pairwise

from prbgen.generation.check.base import Finding, Given
from prbgen.words.tokens import READ, tokens


def check(one: str, other: str, given: Given) -> Finding:
    """The share of pairs of neighbouring words that both have (Dice coefficient, 0 to 1), which is the figure.

    Independent answers to one question share 0.05 to 0.3. An answer of less than two words is a copy if it is equal.
    """
    figure = round(_share(tokens(one[:READ]), tokens(other[:READ])), 4)
    if figure < given.settings.near_copy:
        return Finding("pass", figure)
    limit = f"it must be below {given.settings.near_copy:.0%}"
    return Finding("fail", figure, f"shares {figure:.0%} of its word pairs with the other one; {limit}")


def _share(one: list[str], other: list[str]) -> float:
    if min(len(one), len(other)) < 2:
        return float(one == other)
    ones, others = Counter(pairwise(one)), Counter(pairwise(other))
    return 2 * (ones & others).total() / (ones.total() + others.total())
