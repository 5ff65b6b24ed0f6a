"""What is checked on an answer and on a pair. A check is one file here and one line in prbgen/registry.py."""

from prbgen.generation.check.base import AnswerCheck, Finding, Given, PairCheck
from prbgen.registry import ANSWER_CHECKS, PAIR_CHECKS, load
from prbgen.schema import Check, Side

__all__ = ["ANSWER_CHECKS", "PAIR_CHECKS", "answer_checks", "check_answer", "check_pair"]


def answer_checks() -> dict[str, AnswerCheck]:
    """The checks on one answer, by name."""
    return {name: load(where) for name, where in ANSWER_CHECKS.items()}


def pair_checks() -> dict[str, PairCheck]:
    """The checks on both answers together, by name."""
    return {name: load(where) for name, where in PAIR_CHECKS.items()}


def check_answer(answer: str, side: Side, given: Given) -> tuple[Check, ...]:
    """All checks on one answer."""
    return tuple(_named(name, side, check(answer, given)) for name, check in answer_checks().items())


def check_pair(chosen: str, rejected: str, given: Given) -> tuple[Check, ...]:
    """All checks on both answers together."""
    return tuple(_named(name, None, check(chosen, rejected, given)) for name, check in pair_checks().items())


def _named(name: str, side: Side | None, finding: Finding) -> Check:
    return Check(name=name, side=side, outcome=finding.outcome, figure=finding.figure, detail=finding.detail)
