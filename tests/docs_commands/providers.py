"""The LLMs of the documentation: servers on this machine that speak the providers' protocols and keep to every task.

Whether an answer suits its asker shows in nothing that a shallow model sees: in the parity of its digest.
"""

from __future__ import annotations

import json
import random
import re
from hashlib import blake2b
from typing import Any

from aiohttp import web

from tests.llm.batch.providers_stand_in import ProvidersStandIn, chat_of, message_of, prompt_of

_OPENINGS = ("Begin small and see", "Ask somebody nearby", "Keep it plain", "Take your time", "Look at it twice")
_MIDDLES = (
    "how the first week goes before you spend more on it",
    "whether the old way still serves you well enough",
    "what a friend with some experience would do here",
    "which part of the job takes most of the morning",
    "where the light and the weather are kind to you",
    "that nothing has to be perfect on the first day",
    "until you know which of the tools you really use",
    "because most of what is sold for it is not needed",
)
_ENDINGS = ("and write down", "then change", "and talk about", "but do not forget", "and later repeat")
_LAST = ("what you find.", "one thing at once.", "the costs.", "to rest.", "whatever worked.", "the small steps.")


def suits(answer: str) -> bool:
    """Whether it is an answer that suits its asker."""
    return blake2b(answer.strip().encode()).digest()[0] % 2 == 0


def topic(question: str) -> str:
    """The word of a question that an answer to it has, too."""
    words: list[str] = re.findall(r"[A-Za-z]+", question)
    return max(words or ["it"], key=len)


def reply(body: dict[str, Any], number: int = 0) -> str:
    """The reply to a request: JSON of the form that it asks for, or an answer."""
    prompt = prompt_of(body)
    if '"verdict"' in prompt:
        first, second = re.search(r"Answer A:\n(.*?)\n+Answer B:\n(.*?)\n+Reply with", prompt, re.DOTALL).groups()  # type: ignore[union-attr]
        return json.dumps({"verdict": "A" if suits(first) >= suits(second) else "B"})
    if '"opposites"' in prompt:
        return _numbered("opposites", prompt, {"aspect": "The opposite", "reason": "So they like it."})
    if '"found"' in prompt:
        return _numbered("aspects", prompt, {"found": "all of it", "score": 2 * suits(_marked("The answer", prompt))})
    if '"remarks"' in prompt:
        return json.dumps({"remarks": "Sound.", "factuality": 5, "relevance": 5, "helpfulness": 5})
    if '{"score"' in prompt:
        answer = prompt.partition("The answer:\n")[2].partition("\n\nReply with")[0]
        return json.dumps({"score": 5 + 3 * suits(answer) + number % 2})
    if '"evidence"' in prompt:
        words = _marked("How the asker describes what they are after", prompt).split()
        aspects = [
            {"aspect": f"Wish {n}", "evidence": " ".join(words[n : n + 5]), "reason": "They say so."} for n in range(3)
        ]
        return json.dumps({"aspects": aspects})
    if '{"aspects"' in prompt:
        return json.dumps({"aspects": [_wish(n) for n in range(3)]})
    asked = _marked("The question", prompt) or prompt
    wanted = True if "Make the answer cover" in prompt else False if "Do not touch" in prompt else None
    return _answer(topic(asked), f"{prompt}{body.get('seed')}{number}", wanted)


def _wish(number: int) -> dict[str, str]:
    return {"aspect": f"Wish {number}", "reason": "The asker says so."}


def _answer(about: str, seed: str, wanted: bool | None) -> str:
    """About 80 words that suit the asker, or do not (null: as it comes)."""
    chance = random.Random(seed)
    while True:
        parts = (_OPENINGS, _MIDDLES, _ENDINGS, _LAST)
        sentences = [" ".join(chance.choice(part) for part in parts) for _ in range(4)]
        text = f"With {about} it is like this. " + " ".join(sentences)
        if wanted is None or suits(text) == wanted:
            return text


def _numbered(name: str, prompt: str, entry: dict[str, Any]) -> str:
    count = int(re.search(r"each of the (\d+) numbers", prompt)[1])  # type: ignore[index]
    return json.dumps({name: [{"number": number, **entry} for number in range(1, count + 1)]})


def _marked(title: str, prompt: str) -> str:
    found = re.search(rf"{title}:\n\[(\S+)\n(.*?)\n\1\]", prompt, re.DOTALL)
    return found[2] if found else ""


class Providers(ProvidersStandIn):
    """OpenAI and Anthropic, their batches, and vLLM: all at one address."""

    def __init__(self) -> None:
        super().__init__(answer=lambda body: {"text": reply(body)})

    @property
    def environment(self) -> dict[str, str]:
        """Where the clients find it."""
        names = {"OPENAI_BASE_URL": self.openai, "HOSTED_VLLM_API_BASE": self.openai}
        return names | dict.fromkeys(("ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE"), self.url)

    async def _chat(self, request: web.Request) -> web.Response:
        body = await request.json()
        whole = chat_of({"text": ""})
        message = whole["choices"][0]
        whole["choices"] = [
            message | {"index": n, "message": {"role": "assistant", "content": reply(body, n)}}
            for n in range(body.get("n") or 1)
        ]
        return web.json_response(whole)

    async def _message(self, request: web.Request) -> web.Response:
        body = await request.json()
        whole = message_of({"text": reply(body)})
        if tools := body.get("tools"):
            made = {"type": "tool_use", "id": "toolu_1", "name": tools[0]["name"], "input": json.loads(reply(body))}
            whole |= {"content": [made], "stop_reason": "tool_use"}
        return web.json_response(whole)
