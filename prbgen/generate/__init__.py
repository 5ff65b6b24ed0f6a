"""From questions to chosen / rejected pairs: rank, rubric, pair."""

from prbgen.generate.generate import Tally, generate

__all__ = ["Tally", "generate"]
