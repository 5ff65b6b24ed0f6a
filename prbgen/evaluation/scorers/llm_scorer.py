"""What scorers that ask an LLM have in common: the calls, all on record, and what becomes of those that fail."""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar, Self, TypeVar

from prbgen.digest import text_hash
from prbgen.evaluation.llm_cost import cost_of
from prbgen.evaluation.scorers.llm_model import facts_of, model_of, versions_for
from prbgen.evaluation.scorers.opening import Opening
from prbgen.evaluation.scorers.scorer import TOO_LONG, Asked, Found, TooLongError, UnscoredError, one_by_one
from prbgen.evaluation.scorers.shorten import Shortening
from prbgen.evaluation.settings import ScorerSettings
from prbgen.evaluation.summary import Cost, ModelFacts
from prbgen.llm.budget import refuse_unknown
from prbgen.llm.fingerprint import fingerprint
from prbgen.llm.gateway import Gateway, Reply, Request
from prbgen.llm.ledger import Ledger
from prbgen.llm.model import Call, Message
from prbgen.llm.reply import ReplyType
from prbgen.llm.route import UnansweredError
from prbgen.llm.templates import Prompts
from prbgen.llm.tokens import tokenizer_of
from prbgen.llm.traffic import Traffic
from prbgen.llm.way import Way
from prbgen.model_settings import ModelSettings

if TYPE_CHECKING:
    from prbgen.cluster.cluster import Cluster

T = TypeVar("T", bound=ReplyType)
Prompt = tuple[Message, ...]


class LlmScorer(ABC):
    """An LLM as a reward model. Its reply has to be the JSON that it was asked for, the whole of it.

    A reply that is not, that was cut off or refused, leaves its answers unscored and is on record: a rerun finds it
    again. A call that failed leaves them unscored, too, and a rerun asks again.

    `max_tokens` is what an input may have as counted on this machine, without the form of the reply. For a model whose
    encoding is not known here (all but OpenAI's) another one stands in for it, so that its limit is an estimate; what
    the model itself refuses as too long loses posts, too.
    """

    template: ClassVar[str]

    def __init__(
        self, settings: ScorerSettings, model: ModelSettings, prompts: Prompts, gateway: Gateway, ledger: Ledger
    ) -> None:
        """`model` comes with all its parameters; `ledger` is the one that `gateway` keeps."""
        self.settings = settings
        self.prompt_texts = prompts
        self.ledger = ledger
        self._model = model
        self._gateway = gateway

    @classmethod
    def open(
        cls,
        settings: ScorerSettings,
        prompts: Prompts,
        ledger: Ledger,
        *,
        stop: asyncio.Event,
        traffic: Traffic,
        cluster: Cluster | None = None,
    ) -> Self:
        """A scorer that asks the model which the settings name, within their limits; close it when done.

        Raises:
            InputError: there can be no such model, its address is none, or the settings contradict each other.
        """
        model = model_of(settings)
        route = Way(cluster=cluster).open(ledger, settings.limits, stop=stop, traffic=traffic)
        return cls(settings, model, prompts, Gateway(ledger, prompts, route, traffic), ledger)

    @classmethod
    def opened(cls, opening: Opening) -> Self:
        """The same, with a ledger that is closed when `opening.stack` ends.

        Raises:
            InputError: as `open`, or there is a budget and the model has no known price.
        """
        settings = opening.settings
        refuse_unknown(settings.limits, {"--scorer": model_of(settings)}, "with --option KEY=VALUE")
        calls = opening.stack.enter_context(Ledger(opening.ledger))
        stop, traffic, cluster = opening.stop, opening.traffic, opening.cluster
        return cls.open(settings, opening.prompts, calls, stop=stop, traffic=traffic, cluster=cluster)

    @property
    def facts(self) -> ModelFacts:
        """The family is told by the name, null where that tells none."""
        return facts_of(self.settings.kind, self._model)

    @property
    def fingerprint(self) -> str:
        """32 hex digits over the model and its parameters, the template, and the settings that may change a score."""
        names = ("kind", "protocol", "max_tokens", "samples", "token_probabilities")
        work = {name: getattr(self.settings, name) for name in names}
        work |= {"model": fingerprint(Call(self._model, (), "")), "template": self.prompt_texts.digest(self.template)}
        return text_hash(json.dumps(work, sort_keys=True))

    @property
    def versions(self) -> dict[str, str]:
        """The packages that take calls to the model."""
        return versions_for(self._model)

    @property
    def cost(self) -> Cost:
        """What all calls on record took."""
        return cost_of(self.ledger, self.settings.kind, self._model)

    def score(self, asked: Iterable[Asked], stop: asyncio.Event) -> AsyncGenerator[Found, None]:
        """Score as many at once as the model gets calls.

        Raises:
            InterruptError: `stop` was set before they ran out (raised after the last result).
            PrbgenError: the model cannot be used at all.
        """
        at_once = self.settings.limits.of(self._model).concurrency
        return one_by_one(self._scored, asked, at_once=at_once, stop=stop)

    async def close(self) -> None:
        """Cancel what is under way, and close connections."""
        await self._gateway.close()

    @abstractmethod
    def prompts(self, asked: Asked, posts: int) -> Mapping[str, Prompt]:
        """All that the model is asked about answers when it is shown so many posts, by names of the scorer's own."""

    @abstractmethod
    async def judged(self, asked: Asked, posts: int, prompts: Mapping[str, Prompt]) -> Found:
        """What the model says to these prompts.

        Raises:
            TooLongError: it does not fit in.
            UnscoredError: the model says nothing that can be used.
        """

    async def ask(self, item: str, prompt: Prompt, assumed: T, *, sample: int = 0, shared: int = 0) -> Reply[T]:
        """One call, for a reply of the type of `assumed`; `sample` and `shared` are as in `Call`.

        Raises:
            TooLongError: the model says that it is too long.
            UnscoredError: no reply came, or one that cannot be used.
        """
        request = Request(
            stage=self.settings.kind,
            item=item,
            model=self._model,
            messages=prompt,
            reply_type=type(assumed),
            assumed=assumed,
            sample=sample,
            shared=shared,
            on_problem="refuse",
        )
        try:
            return await self._gateway.ask(request)
        except UnansweredError as why:
            if why.fault == "too_long":
                raise TooLongError from None
            reason = why.reason if why.unusable else f"the call failed: {why.reason}"
            raise UnscoredError(reason, recorded=why.unusable is not None) from None

    async def _scored(self, asked: Asked) -> Found:
        """With as many posts as fit in. What has more than `max_tokens` is not sent. Where the model takes less than
        that, each post that is dropped is one more call that it refuses: they go one by one, as a call that it takes is
        paid for.
        """
        for posts in range(self._most(asked), -1, -1):
            try:
                return await self.judged(asked, posts, self.prompts(asked, posts))
            except TooLongError:
                continue
            except UnscoredError as why:
                return Found(asked.place, posts, reason=str(why), faulty=True)
        return Found(asked.place, 0, reason=TOO_LONG)

    def _most(self, asked: Asked) -> int:
        """How many posts leave no prompt with more than `max_tokens`; -1: not even none."""
        count, most = tokenizer_of(self._model.name).prompt, -1
        for posts in (shortening := Shortening(asked.most)):
            calls = (Call(self._model, prompt, self.settings.kind) for prompt in self.prompts(asked, posts).values())
            if any(count(call) > self.settings.max_tokens for call in calls):
                shortening.too_long()
            else:
                most = posts
        return most
