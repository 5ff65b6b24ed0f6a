"""One line of the table that the benchmarks of the engine end with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class Outcome:
    """What was measured by which benchmark, in words and as a figure, beside its target."""

    letter: str
    what: str
    figure: float
    target: str
    met: bool

    @classmethod
    def at_most(cls, letter: str, what: str, figure: float, most: float) -> Self:
        """A figure that may not be above `most`."""
        return cls(letter, what, figure, f"<= {most:g}", figure <= most)

    @classmethod
    def at_least(cls, letter: str, what: str, figure: float, least: float) -> Self:
        """A figure that may not be below `least`."""
        return cls(letter, what, figure, f">= {least:g}", figure >= least)

    def __str__(self) -> str:
        figure = f"{self.figure:.1f}" if self.figure >= 10 else f"{self.figure:.3f}"
        return f"{self.letter}  {self.what:50}{figure:>9}   {self.target:9}{'met' if self.met else 'MISSED'}"
