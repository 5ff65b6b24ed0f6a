"""What the asker says to a reward model: never the narrative, and what an answer should cover under two conditions."""

from __future__ import annotations

from prbgen.errors import InputError
from prbgen.evaluation.conditions.pair import SHOW_ASPECTS, SHOW_POSTS, PreparedPair
from prbgen.evaluation.scorers.scorer import Asked
from prbgen.evaluation.settings import Condition
from prbgen.llm.templates import Prompts

TEMPLATE = "asker"


def message(pair: PreparedPair, condition: Condition, posts: int, prompts: Prompts) -> str:
    """The words of the asker when the first `posts` posts are shown, where the condition shows any.

    They are in prompts/asker.j2; as shipped, the same as in the evaluation script that is published beside the data.

    Raises:
        InputError: the template is broken, or has more than a user's words.
    """
    messages = prompts.render(
        TEMPLATE,
        question=pair.question,
        posts=[post.text for post in pair.posts[:posts]] if condition in SHOW_POSTS else [],
        aspects=pair.aspects or () if condition in SHOW_ASPECTS else (),
    )
    if len(messages) > 1:
        raise InputError(f"prompts/{TEMPLATE}.j2: has a block named system, which reward models do not take")
    return messages[0].content


def asked(place: int, pair: PreparedPair, condition: Condition, prompts: Prompts) -> Asked:
    """The pair at this place of the data, as scorers take it. It should lack nothing."""
    return asked_of(place, pair, (pair.chosen, pair.rejected), condition, prompts)


def asked_of(place: int, pair: PreparedPair, answers: tuple[str, ...], condition: Condition, prompts: Prompts) -> Asked:
    """Any answers to the question of a pair, as scorers take them."""
    most = len(pair.posts) if condition in SHOW_POSTS else 0

    def said(posts: int) -> str:
        return message(pair, condition, posts, prompts)

    return Asked(place=place, item=pair.key, answers=answers, most=most, message=said)
