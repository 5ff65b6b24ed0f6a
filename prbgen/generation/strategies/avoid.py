"""`avoid`: the rejected answer leaves the rubric's aspects out (the way of Personalized RewardBench)."""

from prbgen.generation.strategies.base import Brief
from prbgen.generation.tools import Tools
from prbgen.schema import Question, Rubric


class Avoid:
    """The same aspects, named as ones to leave out."""

    prompts: tuple[str, ...] = ()
    without = True

    def __init__(self, tools: Tools) -> None:
        pass

    async def brief(self, question: Question, rubric: Rubric) -> Brief:
        """The rubric's own aspects, not to be kept."""
        return Brief(rubric.aspects, keep=False)
