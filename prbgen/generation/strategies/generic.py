"""`generic`: the rejected answer is written with the profile in view but without any aspects."""

from prbgen.generation.strategies.base import Brief
from prbgen.generation.tools import Tools
from prbgen.schema import Question, Rubric


class Generic:
    """No aspects at all."""

    prompts: tuple[str, ...] = ()
    without = False

    def __init__(self, tools: Tools) -> None:
        pass

    async def brief(self, question: Question, rubric: Rubric) -> Brief:
        """An empty brief."""
        return Brief(())
