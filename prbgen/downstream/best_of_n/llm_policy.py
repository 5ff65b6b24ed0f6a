"""An LLM as a policy: any model that LiteLLM reaches, or a server of one's own; every reply is on record."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue, ValidationError

from prbgen.downstream.best_of_n.policy import Policy, Prompt, SamplingSettings, Written
from prbgen.downstream.candidates import Candidate
from prbgen.downstream.folders import Answers
from prbgen.errors import InputError
from prbgen.evaluation.llm_cost import cost_of
from prbgen.evaluation.scorers.llm_model import versions_for
from prbgen.evaluation.scorers.scorer import TOO_LONG
from prbgen.evaluation.scorers.shorten import Shortening
from prbgen.evaluation.summary import Cost
from prbgen.llm.budget import refuse_unknown
from prbgen.llm.fingerprint import NOT_THE_WORK
from prbgen.llm.gateway import Gateway, Request
from prbgen.llm.ledger import Ledger
from prbgen.llm.model import Message
from prbgen.llm.samples import Sample
from prbgen.llm.templates import Prompts
from prbgen.llm.tokens import tokenizer_of
from prbgen.llm.traffic import Traffic
from prbgen.llm.way import Way
from prbgen.model_settings import ModelSettings
from prbgen.settings_file import said

if TYPE_CHECKING:
    from prbgen.cluster.cluster import Cluster

STAGE = "candidate"


class LlmPolicy:
    """A `Policy` behind a gateway.

    `max_prompt_tokens` are as counted on this machine. For a model whose encoding is not known here (all but OpenAI's)
    another one stands in for it; what the model itself refuses as too long loses posts, too.
    """

    def __init__(self, settings: SamplingSettings, gateway: Gateway, ledger: Ledger, traffic: Traffic) -> None:
        """`ledger` is the one that `gateway` keeps, `traffic` counts what goes through it.

        Raises:
            InputError: the model's own settings do not go with sampling.
        """
        self._settings = settings
        self._model = model_of(settings)
        self._gateway = gateway
        self._ledger = ledger
        self._traffic = traffic

    @property
    def name(self) -> str:
        """The model's name, without folders of this machine."""
        return self._model.label

    @property
    def settings(self) -> dict[str, JsonValue]:
        """All parameters of the model that may change what it writes."""
        params = {name: value for name, value in self._model.params.items() if name not in NOT_THE_WORK}
        return {**params, "max_prompt_tokens": self._settings.max_prompt_tokens}

    @property
    def versions(self) -> dict[str, str]:
        """The packages that take calls to the model."""
        return versions_for(self._model)

    @property
    def cost(self) -> Cost:
        """What all calls on record took."""
        return cost_of(self._ledger, STAGE, self._model)

    @property
    def at_once(self) -> int:
        """As many as the model gets calls."""
        return self._settings.limits.of(self._model).concurrency

    async def answers(self, prompt: Prompt, n: int) -> Written:
        """Draw n samples with as many posts as fit in. A sample whose call failed is left out, and a rerun asks again.

        What has more than `max_prompt_tokens` is not sent. Where the model takes less than that, posts go one by one:
        a call that it takes is paid for.

        Raises:
            InterruptError: the process is being stopped.
            PrbgenError: the model cannot be used at all.
        """
        sent = self._traffic.sent
        for posts in range(self._most(prompt), -1, -1):
            samples = await self._gateway.samples(self._request(prompt, posts), n)
            if not all(sample.fault == "too_long" for sample in samples):
                return _written(posts, samples, known=self._traffic.sent == sent)
        return Written(0, reason=TOO_LONG)

    def _request(self, prompt: Prompt, posts: int) -> Request[str]:
        return Request(
            stage=STAGE,
            item=prompt.item,
            model=self._model,
            messages=(Message("user", prompt.message(posts)),),
            reply_type=str,
            assumed="",
        )

    def _most(self, prompt: Prompt) -> int:
        """How many posts leave a prompt that is not too long; -1: not even none."""
        count, most = tokenizer_of(self._model.name).prompt, -1
        for posts in (shortening := Shortening(prompt.most)):
            if count(self._request(prompt, posts).call) > self._settings.max_prompt_tokens:
                shortening.too_long()
            else:
                most = posts
        return most


@asynccontextmanager
async def llm_policy(
    settings: SamplingSettings,
    answers: Answers,
    prompts: Prompts,
    stop: asyncio.Event,
    traffic: Traffic,
    cluster: Cluster | None = None,
) -> AsyncIterator[Policy]:
    """Open the policy that the settings name; its ledger lies in the folder of its answers.

    Raises:
        InputError: there can be no such model, its settings do not go with sampling, or no budget can be kept.
    """
    refuse_unknown(settings.limits, {"--policy": model_of(settings)}, "with --policy-option KEY=VALUE")
    with Ledger(answers.ledger) as ledger:
        route = Way(cluster=cluster).open(ledger, settings.limits, stop=stop, traffic=traffic)
        gateway = Gateway(ledger, prompts, route, traffic)
        try:
            yield LlmPolicy(settings, gateway, ledger, traffic)
        finally:
            await gateway.close()


def model_of(settings: SamplingSettings) -> ModelSettings:
    """The policy with all its parameters.

    Raises:
        InputError: they do not go with sampling.
    """
    own = settings.policy.model_dump(exclude_none=True)
    if settings.n > 1 and "seed" in own:
        raise InputError("--policy-option seed: all candidates would be alike; each has its own number as its seed")
    params: dict[str, Any] = {"temperature": settings.temperature, "top_p": settings.top_p}
    if "max_completion_tokens" not in own:
        params["max_tokens"] = settings.max_tokens
    try:
        # A model that takes no temperature is asked without one.
        return ModelSettings.model_validate({"drop_params": True, **params, **own})
    except ValidationError as error:
        what = said(error.errors()[0])
        raise InputError(f"--policy {settings.policy.label}: {what}") from None


def _written(posts: int, samples: list[Sample], *, known: bool) -> Written:
    recorded = [sample for sample in samples if sample.recorded]
    return Written(
        posts,
        tuple(Candidate(text=each.text, truncated=each.truncated, reason=each.reason) for each in recorded),
        reason=next((sample.reason for sample in samples if not sample.recorded), None),
        faulty=not any(sample.text for sample in samples),
        known=known,
    )
