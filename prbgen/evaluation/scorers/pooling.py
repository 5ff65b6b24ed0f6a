"""A reward model behind a vLLM server, through its /classify or /pooling endpoint: pooling:MODEL.

A request holds one conversation, which the server renders with the model's chat template; no special tokens are added
on top, so BOS comes once. `use_activation: false` asks for plain logits; a server that is too old to know it does not
take conversations at /classify either. /pooling is for models that score every token: the last one's score counts. What
a server finds in its prefix cache it computes in other batches: scores may differ in their last digits from run to run.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Iterable
from functools import partial
from typing import Any, Self

import httpx
from pydantic import ValidationError

from prbgen.digest import text_hash
from prbgen.errors import InputError
from prbgen.evaluation.address import server_address
from prbgen.evaluation.scorers.client import Client, RefusedError, body_of, connection, misshapen, url_of
from prbgen.evaluation.scorers.opening import Opening
from prbgen.evaluation.scorers.pooling_replies import ENDPOINTS, Classification, Endpoint, Pooling
from prbgen.evaluation.scorers.scorer import Asked, Found, TooLongError, UnscoredError, one_by_one
from prbgen.evaluation.scorers.shorten import shortened
from prbgen.evaluation.settings import ScorerSettings
from prbgen.evaluation.summary import Cost, ModelFacts
from prbgen.llm.cleaning import cleaned_line
from prbgen.llm.family import family_of
from prbgen.llm.flow import all_of

_TOO_LONG = re.compile(r"context length|reduce the length", re.IGNORECASE)
_TOO_LONG_PARAMS = ("input_tokens", "input_text")
# As FastAPI says it of a path. Of a model, vLLM says that it does not exist.
_NO_PATH = re.compile(r"(404\W*)?not found\W*", re.IGNORECASE)
_NO_CLASSIFIER = "does not support Classification API"
# What pydantic says of `input`, where that is all that is known.
_NO_CONVERSATION = "Field required"
_PATIENCE = 5  # seconds to wait for the server's version


class PoolingScorer:
    """Each answer is a request of its own. What is longer than `max_tokens`, or than the server takes, loses posts."""

    def __init__(self, settings: ScorerSettings, http: httpx.AsyncClient, base: str) -> None:
        """`open` makes one; `base` is the server's address without /v1."""
        self._settings, self._http, self._base = settings, http, base
        self._endpoint: Endpoint = "classify"
        self._versions: dict[str, str] = {}

    @classmethod
    async def open(cls, settings: ScorerSettings, *, stop: asyncio.Event) -> Self:
        """A scorer that knows which endpoint its server has for the model, by a first question of its own.

        Raises:
            InputError: there is no address (`settings.api_base`, with or without /v1), or it holds a key.
            ModelError: the server has neither endpoint, or gives no reply.
            InterruptError: `stop` is set.
        """
        if not settings.api_base:
            raise InputError(f"{settings.name}: needs the address of its vLLM server: --api-base http://HOST:PORT")
        base = str(url_of(server_address(settings.api_base, "--api-base"))).removesuffix("/").removesuffix("/v1")
        scorer = cls(settings, connection(settings.limits), base)
        try:
            scorer._endpoint = await scorer._found_endpoint(scorer._client(stop))
            scorer._versions = await scorer._told_version()
        except BaseException:
            await scorer.close()
            raise
        return scorer

    @property
    def facts(self) -> ModelFacts:
        """Source: Scorer."""
        return ModelFacts(kind="pooling", name=self._settings.model, family=family_of(self._settings.model))

    @property
    def fingerprint(self) -> str:
        """Source: Scorer. A server that moved is the same model. What weights a server has under a name, and in what
        precision, it does not tell.
        """
        return text_hash("pooling", self._settings.model, str(self._settings.max_tokens), self._endpoint)

    @property
    def versions(self) -> dict[str, str]:
        """The server's own version, as far as it tells it."""
        return self._versions

    @property
    def cost(self) -> Cost | None:
        """Null: it is the user's own server."""
        return None

    def score(self, asked: Iterable[Asked], stop: asyncio.Event) -> AsyncGenerator[Found, None]:
        """Source: Scorer."""
        at_once = self._settings.limits.concurrency
        return one_by_one(partial(self._found, self._client(stop)), asked, at_once=at_once, stop=stop)

    async def close(self) -> None:
        """Close connections."""
        await self._http.aclose()

    def _client(self, stop: asyncio.Event) -> Client:
        return Client(f"{self._settings.model} at {self._base}", self._http, self._settings.limits, stop)

    async def _found_endpoint(self, client: Client) -> Endpoint:
        """The first one that the server has. What else it may say of a question, it will say of pairs."""
        for endpoint in ENDPOINTS:
            try:
                await self._post(client, endpoint, "the first question", "Which?", "This.")
            except UnscoredError as why:
                raise client.ended(str(why)) from None
            except RefusedError as error:
                if _has_no_path(error):
                    continue
            return endpoint
        raise client.ended("it has neither /classify nor /pooling: is it a vLLM server?")

    async def _told_version(self) -> dict[str, str]:
        try:
            async with asyncio.timeout(_PATIENCE), self._http.stream("GET", f"{self._base}/version") as response:
                said = json.loads(await body_of(response) or b"")["version"]
        except (httpx.HTTPError, ValueError, KeyError, TypeError, TimeoutError, RecursionError):
            return {}
        return {"vllm": cleaned_line(said)} if isinstance(said, str) else {}

    async def _found(self, client: Client, asked: Asked) -> Found:
        async def scores(message: str) -> tuple[float, ...]:
            return tuple(await all_of(*(self._score(client, asked.item, message, each) for each in asked.answers)))

        return await shortened(asked, scores)

    async def _score(self, client: Client, item: str, message: str, answer: str) -> float:
        reply = await self._reply(client, item, message, answer)
        if reply.usage.prompt_tokens > self._settings.max_tokens:
            raise TooLongError
        logits = reply.data[0].logits
        if len(logits) > 2:
            raise client.ended(f"it gives {len(logits):,} numbers; a reward model gives one, or two (bad, good)")
        return logits[0] if len(logits) == 1 else logits[1] - logits[0]

    async def _reply(self, client: Client, item: str, message: str, answer: str) -> Classification | Pooling:
        endpoint = self._endpoint
        try:
            content = await self._post(client, endpoint, item, message, answer)
        except RefusedError as error:
            if error.status == 404 or _has_no_path(error):
                raise client.ended(f"/{endpoint}: {error.words}") from None
            if _NO_CONVERSATION in error.words:
                raise client.ended(f"its /{endpoint} takes no conversations; a newer vLLM does") from None
            too_long = error.status == 413 or (error.status == 400 and _is_too_long(error))
            raise (TooLongError() if too_long else UnscoredError(str(error))) from None
        try:
            return (Classification if endpoint == "classify" else Pooling).model_validate_json(content)
        except ValidationError as error:
            raise UnscoredError(f"the reply is not what /{endpoint} answers ({misshapen(error)})") from None

    async def _post(self, client: Client, endpoint: Endpoint, item: str, message: str, answer: str) -> bytes:
        turns = [{"role": "user", "content": message}, {"role": "assistant", "content": answer}]
        body: dict[str, Any] = {"model": self._settings.model, "messages": turns}
        body |= {"add_special_tokens": False, "use_activation": False}
        return await client.post(httpx.URL(f"{self._base}/{endpoint}"), body, item)


def _has_no_path(error: RefusedError) -> bool:
    return error.status == 501 or bool(_NO_PATH.fullmatch(error.words)) or _NO_CLASSIFIER in error.words


def _is_too_long(error: RefusedError) -> bool:
    return error.param in _TOO_LONG_PARAMS or bool(_TOO_LONG.search(error.words))


async def open_pooling(opening: Opening) -> PoolingScorer:
    """Source: Opener."""
    return await PoolingScorer.open(opening.settings, stop=opening.stop)
