"""Is the answer within the word limit?"""

from prbgen.llm.reply import Problem
from prbgen.recipe import PairSettings
from prbgen.text import count_words


def check(answer: str, question: str, settings: PairSettings) -> Problem | None:
    """Too many words, as people count them."""
    count = count_words(answer)
    return Problem("words", {"words": count, "limit": settings.words}) if count > settings.words else None
