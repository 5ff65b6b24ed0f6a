"""What the stages of one run share."""

from __future__ import annotations

from dataclasses import dataclass

from prbgen.errors import InputError
from prbgen.llm.gateway import Gateway
from prbgen.llm.templates import Prompts
from prbgen.model_settings import ModelSettings
from prbgen.recipe import Recipe
from prbgen.schema import Check, Stage


@dataclass(frozen=True)
class Tools:
    """The recipe, the templates, and the way to the models."""

    recipe: Recipe
    prompts: Prompts
    gateway: Gateway

    @property
    def rubric_model(self) -> ModelSettings:
        """The model that extracts, infers and turns rubrics round.

        Raises:
            InputError: the recipe names none.
        """
        if self.recipe.models.rubric is None:
            raise InputError("[models] rubric: this recipe needs a model for rubrics; name one")
        return self.recipe.models.rubric


class RejectedError(Exception):
    """An item that does not get through a stage; it becomes a `Reject`, and the run goes on."""

    def __init__(
        self,
        stage: Stage,
        *reasons: str,
        attempts: int = 0,
        checks: tuple[Check, ...] = (),
        earlier_checks: tuple[tuple[Check, ...], ...] = (),
        answers: tuple[str | None, str | None] = (None, None),
    ) -> None:
        super().__init__("; ".join(reasons))
        self.stage = stage
        self.reasons = reasons
        self.attempts = attempts
        self.checks = checks
        self.earlier_checks = earlier_checks
        self.answers = answers
