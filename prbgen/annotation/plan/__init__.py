"""Which items a round rates, on which side each answer stands, in which order raters get them, and what they show."""

from prbgen.annotation.plan.contents import contents
from prbgen.annotation.plan.extend import Plan, extend, most_aspects

__all__ = ["Plan", "contents", "extend", "most_aspects"]
