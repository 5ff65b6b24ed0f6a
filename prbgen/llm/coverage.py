"""The judge of adherence: how much of the asker's rubric an answer covers, aspect by aspect.

Scores and their sum are those of LaMP-QA (arXiv 2506.00137).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from prbgen.llm.assumed import PHRASE
from prbgen.llm.gateway import Request
from prbgen.llm.reply import FIGURE, Problem, ReplyType
from prbgen.llm.templates import Prompts
from prbgen.model_settings import ModelSettings
from prbgen.schema import RubricAspect

COVERAGE_PROMPT = "judge_coverage"
COVERAGE_STAGE: Literal["coverage"] = "coverage"

AspectMark = Literal[0, 1, 2]
# That of an aspect which is covered very well.
_BEST: AspectMark = 2


# Their names and descriptions go to the model with the schema: recorded replies are found by them, too.
class AspectScore(ReplyType):
    """How well aspect `number`, counted from 1, is covered: 0 not, 1 somewhat, 2 very well."""

    number: Annotated[int, FIGURE]
    found: str
    score: Annotated[AspectMark, FIGURE]


class CoverageReply(ReplyType):
    """What judge_coverage.j2 asks for."""

    aspects: list[AspectScore] = Field(min_length=1)

    @property
    def scores(self) -> tuple[AspectMark, ...]:
        """One for each aspect, in the order of the rubric."""
        return tuple(each.score for each in sorted(self.aspects, key=lambda each: each.number))


def coverage_request(
    item: str,
    question: str,
    narrative: str | None,
    aspects: Sequence[RubricAspect],
    answer: str,
    model: ModelSettings,
    prompts: Prompts,
) -> Request[CoverageReply]:
    """What to ask the judge about one answer to a question, which the ledger calls `item`. A reply that does not score
    every one of the `aspects` once is not complete, and so has a problem.

    Raises:
        InputError: the template is missing or broken.
    """
    wanted = list(range(1, len(aspects) + 1))

    def incomplete(reply: CoverageReply) -> Problem | None:
        given = sorted(each.number for each in reply.aspects)
        return None if given == wanted else Problem("missing", {"count": len(wanted)})

    return Request(
        stage=COVERAGE_STAGE,
        item=item,
        model=model,
        messages=prompts.render(
            COVERAGE_PROMPT, question=question, narrative=narrative, aspects=tuple(aspects), answer=answer
        ),
        reply_type=CoverageReply,
        assumed=CoverageReply(aspects=[AspectScore(number=number, found=PHRASE, score=_BEST) for number in wanted]),
        check=incomplete,
    )


def covered(scores: Sequence[int]) -> float:
    """The sum of the scores of all aspects over the greatest possible one (0 to 1)."""
    return sum(scores) / (_BEST * len(scores))
