"""The rewards of a reward server, for verl (compute_score), OpenRLHF (reward_func) and TRL (prbgen_reward).

This file works alone, wherever training runs: it needs httpx and nothing of prbgen. The environment says where the
server is (PRBGEN_REWARD_URL) and, if it wants one, the key (PRBGEN_REWARD_KEY).

A failure is never a number. A server that is away, or asks to wait, is asked again for PRBGEN_REWARD_PATIENCE seconds
(600), so that it can be started again in mid-training; then, and whenever a reply cannot be a score, RewardError tells
why in one line. What is too long for the reward model (413) is asked with fewer posts, as in an evaluation, where the
data says how.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import random
import re
import time
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

URL, KEY, PATIENCE = "PRBGEN_REWARD_URL", "PRBGEN_REWARD_KEY", "PRBGEN_REWARD_PATIENCE"
# Seconds: for one try, and between two of them at most unless the server asks for more.
_TIMEOUT, _LONGEST_PAUSE = 120.0, 30.0
_TOO_LARGE = 413
_LATER = (408, 429, 500, 502, 503, 504, 529)
_LIMITS = httpx.Limits(max_connections=256, max_keepalive_connections=64)
_END_TOKENS = re.compile(r"(\s*(<\|[^<>|]*\|>|</s>|<eos>|<end_of_turn>))+\s*$")


class RewardError(RuntimeError):
    """There is no reward, and why."""


class _Clients(dict[asyncio.AbstractEventLoop, httpx.AsyncClient]):
    """The connections of each event loop. A copy in another process begins without any."""

    def __reduce__(self) -> tuple[type[_Clients], tuple[()]]:
        return _Clients, ()

    def here(self) -> httpx.AsyncClient:
        loop = asyncio.get_running_loop()
        if loop not in self:
            for closed in [each for each in self if each.is_closed()]:
                del self[closed]
            self[loop] = httpx.AsyncClient(limits=_LIMITS)
        return self[loop]


_CLIENTS = _Clients()


async def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: dict[str, Any] | None = None,
    *,
    url: str | None = None,
    patience: float | None = None,
    **_others: Any,
) -> dict[str, float]:
    """The reward of one answer, for verl: `score`, and how many posts the reward model had to do without.

    `url` and `patience` (seconds) come before what the environment says; verl takes them from reward_kwargs.

    Raises:
        RewardError: there is none.
    """
    prompt, shorter = _told(extra_info)
    server = _Server(_CLIENTS.here(), url, patience)
    scores, dropped = await server.scores(prompt, [solution_str], shorter)
    return {"score": scores[0], "posts_dropped": float(dropped)}


def reward_func(
    queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any], **_others: Any
) -> dict[str, Any]:
    """The rewards of a batch, for OpenRLHF: torch tensors. The data's `extra_info` is to be the label.

    `queries` are prompts with answers, `prompts` without them, both in the words of the policy's chat template.

    Raises:
        RewardError: there is none for one of them.
    """
    import torch

    told = [_told(each) for each in labels]
    answers = [_answer(query, prompt) for query, prompt in zip(queries, prompts, strict=True)]
    rewards = torch.tensor(_in_thread(_rewards(told, answers)), dtype=torch.float32)
    return {"rewards": rewards, "scores": rewards, "extra_logs": {}}


def prbgen_reward(
    prompts: Sequence[Any], completions: Sequence[Any], extra_info: Sequence[Any] | None = None, **_others: Any
) -> list[float]:
    """The rewards of a batch, for TRL's GRPOTrainer: plain texts, or lists of chat messages.

    Raises:
        RewardError: there is none for one of them.
    """
    told = [_told(each) for each in extra_info] if extra_info else [(_asked(each), []) for each in prompts]
    return _in_thread(_rewards(told, [_text(each) for each in completions]))


class _Server:
    """A reward server, asked for `patience` seconds at most each time."""

    def __init__(self, client: httpx.AsyncClient, url: str | None = None, patience: float | None = None) -> None:
        address = url or os.environ.get(URL)
        if not address:
            raise RewardError(f"no reward server is known: set {URL}")
        self._client, self._url = client, address
        self._patience = float(os.environ.get(PATIENCE) or 600) if patience is None else patience
        self._key = os.environ.get(KEY, "").strip()
        if not (self._key.isascii() and self._key.isprintable()):
            raise RewardError(f"{KEY}: holds characters that no key has")

    async def scores(
        self, prompt: str, answers: list[str], shorter: Sequence[Sequence[int]] = ()
    ) -> tuple[list[float], int]:
        """A score for each answer, and how many posts were left out so that the reward model could take all of them."""
        cuts = [(len(prompt), 0), *shorter]
        for dropped, (head, tail) in enumerate(cuts):
            text = prompt[:head] + prompt[len(prompt) - tail :]
            turn = {"role": "user", "content": text}
            inputs = [
                {"prompt": text, "response": each, "messages": [turn, {"role": "assistant", "content": each}]}
                for each in answers
            ]
            response = await self._response({"inputs": inputs})
            if response.status_code != _TOO_LARGE:
                return self._read(response, len(answers)), dropped
        raise RewardError(f"{self._url}: too long for the reward model: {self._words(response)}")

    async def _response(self, body: dict[str, Any]) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        deadline, pause = time.monotonic() + self._patience, 0.5
        while True:
            asked_to_wait = 0.0
            try:
                limit = httpx.Timeout(min(_TIMEOUT, max(deadline - time.monotonic(), 1.0)), pool=None)
                response = await self._client.post(self._url, json=body, headers=headers, timeout=limit)
                if response.status_code in (200, _TOO_LARGE):
                    return response
                trouble = self._words(response)
                if response.status_code not in _LATER:
                    raise RewardError(f"{self._url}: the reward server refuses: {trouble}")
                asked_to_wait = _retry_after(response)
            except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
                raise RewardError(f"{self._url}: no address that can be asked ({error})") from None
            except httpx.HTTPError as error:
                trouble = str(error) or type(error).__name__
            # Many ask at once: they should not all come back at once.
            wait = max(pause * random.uniform(0.5, 1), asked_to_wait * random.uniform(1, 1.2))  # noqa: S311
            if time.monotonic() + wait > deadline:
                raise RewardError(f"{self._url}: no reward within {self._patience:g} s: {trouble}")
            await asyncio.sleep(wait)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _read(self, response: httpx.Response, count: int) -> list[float]:
        scores = None
        with suppress(ValueError, KeyError, TypeError, RecursionError):
            scores = response.json(parse_int=float)["scores"]
        if not isinstance(scores, list) or any(type(score) is not float for score in scores):
            raise RewardError(f"{self._url}: the reply is not {{'scores': [number, ...]}}")
        if len(scores) != count or not all(map(math.isfinite, scores)):
            what = f"{len(scores)} scores for {count} answers" if len(scores) != count else "a score that is not finite"
            raise RewardError(f"{self._url}: the reply has {what}")
        return scores

    def _words(self, response: httpx.Response) -> str:
        """What the server says, on one line and without the key."""
        said = " ".join("".join(each if each.isprintable() else " " for each in response.text).split())
        return f"{response.status_code} {said.replace(self._key, '***') if self._key else said}"[:300]


async def _rewards(told: Sequence[tuple[str, Any]], answers: Sequence[str]) -> list[float]:
    """One request for all answers to one prompt; all requests at once."""
    places: dict[str, list[int]] = {}
    for place, (prompt, _) in enumerate(told):
        places.setdefault(prompt, []).append(place)
    async with httpx.AsyncClient(limits=_LIMITS) as client:
        server = _Server(client)
        asked = (server.scores(text, [answers[at] for at in ats], told[ats[0]][1]) for text, ats in places.items())
        found = await asyncio.gather(*asked)
    of = {
        at: score
        for ats, (scores, _) in zip(places.values(), found, strict=True)
        for at, score in zip(ats, scores, strict=True)
    }
    return [of[at] for at in range(len(told))]


def _in_thread(work: Coroutine[Any, Any, list[float]]) -> list[float]:
    """Run it in a thread of its own, as the caller's may have an event loop already."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def _told(extra_info: Any) -> tuple[str, Any]:
    """The asker's words, and where they can be cut to show fewer posts."""
    if isinstance(extra_info, str):
        with suppress(ValueError):
            extra_info = json.loads(extra_info)
    if not isinstance(extra_info, dict) or not isinstance(extra_info.get("prompt"), str):
        raise RewardError("extra_info has no prompt: is the data from `prbgen ppo prepare`, and extra_info the label?")
    shorter = extra_info.get("shorter")
    return extra_info["prompt"], [] if shorter is None else shorter


def _asked(prompt: Any) -> str:
    turns = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(prompt)
    if len(turns) != 1 or turns[0].get("role") != "user":
        raise RewardError(
            "a prompt is not one message of a user: keep the column extra_info, which says what was asked"
        )
    return str(turns[0]["content"])


def _text(completion: Any) -> str:
    return completion if isinstance(completion, str) else "".join(str(turn["content"]) for turn in completion)


def _answer(query: str, prompt: str) -> str:
    _, found, answer = query.partition(prompt)
    if not found:
        raise RewardError("a query does not hold its prompt: was it cut? (prompts must fit into the policy)")
    return _END_TOKENS.sub("", answer)


def _retry_after(response: httpx.Response) -> float:
    """Seconds that the server asks to wait."""
    said = response.headers.get("retry-after", "")
    with suppress(ValueError):
        return max(float(said), 0.0)
    with suppress(ValueError, TypeError):
        return max(parsedate_to_datetime(said).timestamp() - time.time(), 0.0)
    return 0.0
