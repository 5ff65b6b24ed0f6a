"""From questions to chosen / rejected pairs: rank, rubric, pair."""

from prbgen.generation.generate import Tally, generate

__all__ = ["Tally", "generate"]
