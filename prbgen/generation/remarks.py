"""What to know before money is spent, in words: what an estimate rests on, and who judges."""

from __future__ import annotations

from collections.abc import Iterator

from prbgen.generation.estimate import Estimate
from prbgen.llm.family import related
from prbgen.llm.forecast import LONG, SHORT, Forecast, Range
from prbgen.recipe import LimitSettings, Recipe


def assumptions(estimate: Estimate) -> list[str]:
    """One line for each stage and model: lengths and rates, and whether they are on record or assumed."""
    return [f"{each.stage}, {each.model}: {_lengths(each)}; {_rates(each)}" for each in estimate.stages]


def remarks(estimate: Estimate, limits: LimitSettings, committed: tuple[int, float]) -> list[str]:
    """What is not in the ranges, what is not known, and where a budget ends the run.

    `committed`: the tokens and USD that count against it already.
    """
    return [*_about_counting(estimate), *_about_unknowns(estimate), *_about_budgets(estimate, limits, committed)]


def partial_judge(recipe: Recipe) -> str | None:
    """A warning where the judge is of the family of the model that writes."""
    judge, answer = recipe.judge, recipe.models.answer
    if judge is None or not related(judge.label, answer.label):
        return None
    return (
        f"{judge.label} judges what {answer.label} writes, a model of its own family: judges favour their own, so take"
        " one of another family where you can"
    )


def no_judge(recipe: Recipe) -> str | None:
    """A remark where pairs should hold to what nobody checks."""
    if recipe.judge or recipe.checks.mode != "gate":
        return None
    return "[models] judge: none is named, so neither general quality nor adherence to the rubric is checked"


def _lengths(stage: Forecast) -> str:
    basis = stage.basis
    lengths = f"{basis.short:.0f} to {basis.long:.0f} tokens a reply"
    if basis.replies_measured:
        return f"{lengths}, the middle of {basis.replies_measured:,} on record"
    return f"{lengths}, assumed ({SHORT:g} to {LONG:g} of a usual one)"


def _rates(stage: Forecast) -> str:
    basis = stage.basis
    rates = []
    if basis.corrected is not None:
        rates.append(f"{basis.corrected:.1%} of replies corrected, {_judged(basis.replies_judged)}")
    if basis.attempts > 1:
        rates.append(f"{basis.again:.1%} of attempts followed by another one, {_judged(basis.attempts_judged)}")
    return f"high: {', and '.join(rates)}" if rates else "every call is sent once"


def _judged(count: int) -> str:
    return f"as of {count:,} on record" if count else "assumed"


def _about_counting(estimate: Estimate) -> Iterator[str]:
    stages = estimate.stages
    for model, tokenizer in {each.model: each.basis.tokenizer for each in stages if not each.basis.own}.items():
        yield f"tokens of {model} are counted by {tokenizer}, which is not its own; the ranges allow for that"
    if len(stages) > 1:
        yield "prompts that hold what an earlier stage has yet to write are counted with an assumed reply"
    if any(not each.basis.replies_measured for each in stages):
        yield (
            "assumed lengths are without thinking, which some models do before they reply:"
            " after a first look (generate --limit 20) the estimate goes by what is on record"
        )
    shared = sum(each.basis.shared for each in stages)
    prompt = estimate.total.prompt_tokens.low
    if shared and prompt:
        yield (
            f"{min(shared / prompt, 1):.0%} of prompt tokens are the same for both answers of a pair: the second time a"
            " provider's cache may make them cheaper, which is in no range"
        )


def _about_unknowns(estimate: Estimate) -> Iterator[str]:
    for model in dict.fromkeys(each.model for each in estimate.stages if each.cost_usd.low is None):
        yield f"the price of {model} is unknown, and so is the total: set input_ and output_cost_per_token"
    for model in dict.fromkeys(each.model for each in estimate.stages if each.reply_tokens.at_most is None):
        yield f"how long a reply of {model} may get is unknown, and so is what it takes at most: set max_tokens"


def _about_budgets(estimate: Estimate, limits: LimitSettings, committed: tuple[int, float]) -> Iterator[str]:
    total = estimate.total
    if limits.budget_usd and estimate.stages:
        if total.cost_usd.low is None:
            yield "[limits] budget_usd cannot be kept without a price: generate will refuse it"
        else:
            left = limits.budget_usd - committed[1]
            yield from _budget(f"budget_usd = {limits.budget_usd:g}", f"{left:.4f} USD", left, total.cost_usd)
    if limits.budget_tokens:
        left = limits.budget_tokens - committed[0]
        low, high = (
            (prompt or 0) + (reply or 0)
            for prompt, reply in (
                (total.prompt_tokens.low, total.reply_tokens.low),
                (total.prompt_tokens.high, total.reply_tokens.high),
            )
        )
        yield from _budget(f"budget_tokens = {limits.budget_tokens}", f"{left:,} tokens", left, Range(low, high, None))


def _budget(name: str, left_in_words: str, left: float, need: Range) -> Iterator[str]:
    if need.high is not None and need.low is not None and left < need.high:
        how = "will" if left < need.low else "may"
        yield f"[limits] {name} has {left_in_words} left: the run {how} stop before it is done"
