"""The planner: what an asker will want of an answer, inferred from question and posts alone."""

from __future__ import annotations

from pydantic import Field

from prbgen.llm.assumed import ASPECTS, PHRASE, REASON
from prbgen.llm.gateway import Request
from prbgen.llm.reply import Phrase, ReplyType
from prbgen.llm.templates import Prompts
from prbgen.model_settings import ModelSettings
from prbgen.schema import Post


# Their names and descriptions go to the model with the schema: recorded replies are found by them, too.
class InferredAspect(ReplyType):
    """One aspect that the profile suggests."""

    aspect: Phrase
    reason: Phrase


class InferredReply(ReplyType):
    """What rubric_inferred.j2 asks for."""

    aspects: list[InferredAspect] = Field(min_length=1, max_length=10)


_ASSUMED = InferredReply(aspects=[InferredAspect(aspect=PHRASE, reason=REASON)] * ASPECTS)


def planner_request(
    item: str, question: str, posts: tuple[Post, ...], model: ModelSettings, prompts: Prompts, *, sample: int = 0
) -> Request[InferredReply]:
    """What to ask the planner about a question, which the ledger calls `item`, and the asker's posts to show.

    Raises:
        InputError: the template is missing or broken.
    """
    return Request(
        stage="rubric",
        item=item,
        model=model,
        messages=prompts.render("rubric_inferred", question=question, posts=posts),
        reply_type=InferredReply,
        assumed=_ASSUMED,
        sample=sample,
    )
