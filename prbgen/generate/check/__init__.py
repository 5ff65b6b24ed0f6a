"""What is checked on an answer. A check is one file here and one line in `ANSWER_CHECKS`."""

from collections.abc import Callable

from prbgen.generate.check import talk, words
from prbgen.llm.reply import Problem
from prbgen.recipe import PairSettings

# Each takes answer and question, and says what is wrong with the answer, or null.
ANSWER_CHECKS: dict[str, Callable[[str, str, PairSettings], Problem | None]] = {
    "words": words.check,
    "talk": talk.check,
}


def first_problem(answer: str, question: str, settings: PairSettings) -> Problem | None:
    """What a corrective re-ask would have to name."""
    return next((problem for check in ANSWER_CHECKS.values() if (problem := check(answer, question, settings))), None)
