"""What the policy is asked: the asker's words, with the most posts that fit."""

from __future__ import annotations

from collections.abc import Callable

from prbgen.downstream.ppo.prepare.rows import Prompt, cuts
from prbgen.downstream.ppo.prepare.settings import Preparing
from prbgen.evaluation.conditions.message import message
from prbgen.evaluation.conditions.pair import PreparedPair
from prbgen.evaluation.scorers.shorten import Shortening
from prbgen.llm.templates import Prompts
from prbgen.text import storable


def fitting(pair: PreparedPair, settings: Preparing, prompts: Prompts, tokens: Callable[[str], int]) -> Prompt | None:
    """The words that a reward model is shown under this condition, too, as long as `settings` allow; null if not even
    the question alone is as short. Half characters, which no file takes, are replaced.

    Raises:
        InputError: a template is broken.
    """

    def words(posts: int) -> str:
        return storable(message(pair, settings.condition, posts, prompts))

    most, found = len(pair.posts), None
    for posts in (shortening := Shortening(most)):
        said = words(posts)
        if (count := tokens(said)) > settings.prompt_tokens:
            shortening.too_long()
        else:
            found = said, count, posts
    if not found:
        return None
    said, count, posts = found
    shorter = tuple(cuts(said, [words(fewer) for fewer in range(posts - 1, -1, -1)]))
    return Prompt(said, count, posts, most - posts, shorter)
