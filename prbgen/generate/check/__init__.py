"""What is checked on an answer and on a pair. A check is one file here and one line in a table below."""

from prbgen.generate.check import copies, language, layout, leak, length, refusal, talk, whole, words
from prbgen.generate.check.base import AnswerCheck, Finding, Given, PairCheck
from prbgen.schema import Check, Side

ANSWER_CHECKS: dict[str, AnswerCheck] = {
    "words": words.check,
    "whole": whole.check,
    "language": language.check,
    "refusal": refusal.check,
    "talk": talk.check,
    "leak": leak.check,
}
PAIR_CHECKS: dict[str, PairCheck] = {
    "length_ratio": length.check,
    "layout": layout.check,
    "near_copy": copies.check,
}


def check_answer(answer: str, side: Side, given: Given) -> tuple[Check, ...]:
    """All checks on one answer."""
    return tuple(_named(name, side, check(answer, given)) for name, check in ANSWER_CHECKS.items())


def check_pair(chosen: str, rejected: str, given: Given) -> tuple[Check, ...]:
    """All checks on both answers together."""
    return tuple(_named(name, None, check(chosen, rejected, given)) for name, check in PAIR_CHECKS.items())


def _named(name: str, side: Side | None, finding: Finding) -> Check:
    return Check(name=name, side=side, outcome=finding.outcome, figure=finding.figure, detail=finding.detail)
