"""What a judge model says of a pair. It sees one answer at a time and is never told which side it is."""

from __future__ import annotations

from prbgen.generation.judge.coverage import check_coverage, cover
from prbgen.generation.judge.quality import check_quality, rate
from prbgen.generation.tools import Tools
from prbgen.llm.flow import all_of
from prbgen.schema import Check, Question, Rubric

JUDGE_CHECKS = ("quality", "quality_gap", "coverage", "coverage_gap")
JUDGE_PROMPTS = ("judge_quality", "judge_coverage")


async def judge_pair(
    question: Question, rubric: Rubric, answers: tuple[str, str], attempt: int, tools: Tools
) -> tuple[tuple[Check, ...], tuple[str, ...]]:
    """Have both answers (chosen, rejected) of an attempt (from 0) judged: the checks, and the keys of the calls.

    Raises:
        UnansweredError: no reply came at all; one that cannot be used makes a check `unknown` instead.
        PostponedError: a reply comes later, with a batch.
    """
    chosen_rate, rejected_rate, chosen_cover, rejected_cover = await all_of(
        *(rate(question, answer, attempt, tools) for answer in answers),
        *(cover(question, rubric, answer, attempt, tools) for answer in answers),
    )
    recipe = tools.recipe
    opinions = (chosen_rate, rejected_rate, chosen_cover, rejected_cover)
    calls = tuple(key for opinion in opinions for key in opinion.calls)
    if any(opinion.assumed for opinion in opinions):
        return (), calls
    checks = check_quality(chosen_rate, rejected_rate, recipe.checks)
    checks += check_coverage(chosen_cover, rejected_cover, recipe.pair.strategy, recipe.checks)
    return checks, calls
