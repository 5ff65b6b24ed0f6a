"""A reward server that speaks the protocol of prbgen/reward_protocol.py: http:URL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from functools import partial

from pydantic import ValidationError

from prbgen.digest import text_hash
from prbgen.evaluation.address import reward_server
from prbgen.evaluation.scorers.client import Client, RefusedError, connection, misshapen, url_of
from prbgen.evaluation.scorers.opening import Opening
from prbgen.evaluation.scorers.scorer import Asked, Found, TooLongError, UnscoredError, one_by_one
from prbgen.evaluation.scorers.shorten import shortened
from prbgen.evaluation.settings import ScorerSettings
from prbgen.evaluation.summary import Cost, ModelFacts
from prbgen.reward_protocol import RewardRequest, RewardResponse

_NOT_THERE = (404, 405)
_TOO_LARGE = 413


class HttpScorer:
    """Answers to one message go into one request. The server alone knows what is too long for it (413)."""

    def __init__(self, settings: ScorerSettings) -> None:
        """`settings.model` is the address, as `reward_server` takes it.

        Raises:
            InputError: it is no address, or holds a key.
        """
        self._url = url_of(reward_server(settings.model))
        self._limits = settings.limits
        self._http = connection(settings.limits)

    @property
    def facts(self) -> ModelFacts:
        """Source: Scorer."""
        return ModelFacts(kind="http", name=str(self._url))

    @property
    def fingerprint(self) -> str:
        """Source: Scorer."""
        return text_hash("http", str(self._url))

    @property
    def versions(self) -> dict[str, str]:
        """None: the scores are the server's."""
        return {}

    @property
    def cost(self) -> Cost | None:
        """Null: nobody says what a reward server costs."""
        return None

    def score(self, asked: Iterable[Asked], stop: asyncio.Event) -> AsyncGenerator[Found, None]:
        """Source: Scorer."""
        client = Client(str(self._url), self._http, self._limits, stop)
        return one_by_one(partial(self._found, client), asked, at_once=self._limits.concurrency, stop=stop)

    async def close(self) -> None:
        """Close connections."""
        await self._http.aclose()

    async def _found(self, client: Client, asked: Asked) -> Found:
        return await shortened(asked, partial(self._scores, client, asked))

    async def _scores(self, client: Client, asked: Asked, message: str) -> tuple[float, ...]:
        request = RewardRequest.of(message, asked.answers)
        try:
            body = await client.post(self._url, request.model_dump(), asked.item)
        except RefusedError as error:
            if error.status in _NOT_THERE:
                raise client.ended(f"it has no such path ({error.status}: {error.words})") from None
            raise (TooLongError() if error.status == _TOO_LARGE else UnscoredError(str(error))) from None
        try:
            scores = RewardResponse.model_validate_json(body).scores
        except ValidationError as error:
            raise UnscoredError(f"the reply is not {{'scores': [number, ...]}} ({misshapen(error)})") from None
        if len(scores) != len(asked.answers):
            raise UnscoredError(f"the reply has {len(scores)} scores for {len(asked.answers)} answers")
        return scores


async def open_http(opening: Opening) -> HttpScorer:
    """Source: Opener."""
    return HttpScorer(opening.settings)
