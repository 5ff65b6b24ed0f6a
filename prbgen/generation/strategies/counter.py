"""`counter`: a model turns each aspect into its opposite, and the rejected answer keeps to that."""

from pydantic import Field

from prbgen.generation.strategies.base import Brief
from prbgen.generation.tools import RejectedError, Tools
from prbgen.llm.assumed import OPPOSITE, REASON
from prbgen.llm.gateway import Request
from prbgen.llm.reply import Phrase, Problem, ReplyType
from prbgen.schema import Question, Rubric, RubricAspect


class Opposite(ReplyType):
    """The opposite of aspect `number`, counted from 1."""

    number: int
    aspect: Phrase
    reason: Phrase


class OppositesReply(ReplyType):
    """What counter.j2 asks for."""

    opposites: list[Opposite] = Field(min_length=1)


class Counter:
    """Every aspect turned round."""

    prompts: tuple[str, ...] = ("counter",)
    without = True

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._model = tools.rubric_model

    async def brief(self, question: Question, rubric: Rubric) -> Brief:
        """The opposites, in the order of the aspects. Raises RejectedError unless there is one for each."""
        wanted = list(range(1, len(rubric.aspects) + 1))

        def incomplete(reply: OppositesReply) -> Problem | None:
            given = sorted(each.number for each in reply.opposites)
            return None if given == wanted else Problem("missing", {"count": len(wanted)})

        reply = await self._tools.gateway.ask(
            Request(
                stage="counter",
                item=f"{question.subset}/{question.id}",
                model=self._model,
                messages=self._tools.prompts.render("counter", question=question.question, aspects=rubric.aspects),
                reply_type=OppositesReply,
                assumed=OppositesReply(
                    opposites=[Opposite(number=number, aspect=OPPOSITE, reason=REASON) for number in wanted]
                ),
                sample=self._tools.recipe.pair.seed,
                check=incomplete,
            )
        )
        if reply.problem:
            raise RejectedError("pair", "the model gave no opposite for each aspect", attempts=len(reply.calls))
        opposites = sorted(reply.value.opposites, key=lambda each: each.number)
        return Brief(
            tuple(RubricAspect(aspect=each.aspect, evidence=None, reason=each.reason) for each in opposites),
            calls=reply.calls,
        )
