"""The main road, for one question: rank its profile, find its rubric, brief both sides, write the pair."""

from __future__ import annotations

from prbgen.generation.judge import JUDGE_PROMPTS
from prbgen.generation.pair import Answers, write_pair
from prbgen.generation.rank import make_ranker
from prbgen.generation.rubric import find_rubric
from prbgen.generation.strategies import Brief, strategy_called
from prbgen.generation.tools import RejectedError, Tools
from prbgen.llm.route import UnansweredError
from prbgen.recipe import Recipe
from prbgen.schema import Pair, Provenance, Question, RankedProfile, Reject, Rubric, Stage, StrategyName, pair_id

_RUBRIC_PROMPT = {"gold": (), "extracted": ("rubric_extracted",), "inferred": ("rubric_inferred",)}


def variant(recipe: Recipe) -> tuple[StrategyName, str]:
    """Which of a question's pairs a recipe makes: by which strategy and generator."""
    return recipe.pair.strategy, recipe.models.answer.label


class Builder:
    """Makes a pair of a question, or a reject that says why there is none."""

    def __init__(self, tools: Tools) -> None:
        """Make ranker and strategy ready.

        Raises:
            InputError: the recipe asks for what is not there (a model, a ranker).
        """
        self._tools = tools
        self._rank = make_ranker(tools.recipe.profile)
        self._strategy = strategy_called(tools.recipe.pair.strategy)(tools)
        if tools.recipe.rubric.kind != "gold":
            tools.rubric_model  # noqa: B018 - better now than at the first row

    async def build(self, question: Question | Reject) -> Pair | Reject:
        """One question through all stages; what the source rejected passes through.

        Raises:
            PostponedError: a reply comes later, with a batch.
        """
        if isinstance(question, Reject):
            return question
        stage: Stage = "rubric"
        try:
            profile = self._rank(question)
            rubric, rubric_calls = await find_rubric(question, profile.shown, self._tools)
            stage = "pair"
            brief = await self._strategy.brief(question, rubric)
            answers = await write_pair(question, profile.shown, rubric, brief, self._tools)
        except RejectedError as rejected:
            return self._reject(question, rejected)
        except UnansweredError as unanswered:
            return self._reject(question, RejectedError(stage, unanswered.reason, attempts=unanswered.attempts))
        return self._pair(question, profile, rubric, rubric_calls, brief, answers)

    def _reject(self, question: Question, rejected: RejectedError) -> Reject:
        strategy, generator = variant(self._tools.recipe)
        return Reject(
            id=question.id,
            subset=question.subset,
            stage=rejected.stage,
            reasons=rejected.reasons,
            attempts=rejected.attempts,
            checks=rejected.checks,
            earlier_checks=rejected.earlier_checks,
            chosen=rejected.answers[0],
            rejected=rejected.answers[1],
            strategy=strategy,
            generator=generator,
        )

    def _pair(
        self,
        question: Question,
        profile: RankedProfile,
        rubric: Rubric,
        rubric_calls: tuple[str, ...],
        brief: Brief,
        answers: Answers,
    ) -> Pair:
        recipe = self._tools.recipe
        strategy, generator = variant(recipe)
        prompts = ("answer", "correct", *_RUBRIC_PROMPT[rubric.kind], *self._strategy.prompts)
        if recipe.judge:
            prompts += JUDGE_PROMPTS
        calls = {"rubric": rubric_calls, "brief": brief.calls}
        calls |= {"chosen": answers.chosen.calls, "rejected": answers.rejected.calls, "judge": answers.judged}
        return Pair(
            id=question.id,
            question=question.question,
            profile=profile.posts,
            rubric_aspects=rubric.aspects,
            narrative=question.narrative,
            category=question.category,
            chosen=answers.chosen.text,
            rejected=answers.rejected.text,
            pair_id=pair_id(question.subset, question.id, strategy, generator),
            user_key=question.user_key,
            strategy=strategy,
            generator=generator,
            checks=answers.checks,
            provenance=Provenance(
                subset=question.subset,
                split=question.split,
                rubric_kind=rubric.kind,
                rubric_model=rubric.model,
                aspects_dropped=rubric.aspects_dropped,
                rejected_aspects=brief.aspects,
                rejected_from=brief.taken_from,
                ranker=self._rank.label,
                posts_shown=tuple(post.id for post in profile.shown),
                posts_cut=profile.cut,
                own_posts_dropped=question.own_posts_dropped,
                word_limit=recipe.pair.words,
                attempt=len(answers.earlier) + 1,
                prompts={name: self._tools.prompts.digest(name) for name in prompts},
                calls={what: keys for what, keys in calls.items() if keys},
                judge=recipe.judge.label if recipe.judge else None,
                earlier_checks=answers.earlier,
            ),
        )
