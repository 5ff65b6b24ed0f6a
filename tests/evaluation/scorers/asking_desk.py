"""What tests of LLM scorers share: pairs, a desk to ask at, and a server that replies as a function says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

from prbgen.evaluation.scorers.judge import Judge
from prbgen.evaluation.scorers.llm_scorer import LlmScorer
from prbgen.evaluation.scorers.rate import Rate
from prbgen.evaluation.scorers.scorer import Asked, Found
from prbgen.evaluation.settings import Kind, ScorerSettings
from prbgen.llm.ledger import Ledger
from prbgen.llm.templates import Prompts
from prbgen.llm.traffic import Traffic
from prbgen.recipe import LimitSettings
from tests.provider import Provider

SCORERS: dict[Kind, type[LlmScorer]] = {"judge": Judge, "rate": Rate}


def asked(place: int, *, question: str = "Which cake?", most: int = 0, **answers: str) -> Asked:
    """A pair whose answers say which one they are; a post that is shown is 20 words long."""

    def message(posts: int) -> str:
        return "\n\n".join([*(f"post {number} " + "tea " * 18 for number in range(posts)), f"{question} #{place}"])

    texts = {"chosen": f"chosen {place}", "rejected": f"rejected {place}"} | answers
    both = (texts["chosen"], texts["rejected"])
    return Asked(place=place, item=f"q{place}", answers=both, most=most, message=message)


@dataclass
class Desk:
    """Runs a scorer over a ledger in `folder`, as often as a test wants; counts what each run sends."""

    folder: Path
    kind: Kind
    model: str
    settings: dict[str, Any] = field(default_factory=dict)
    sent: int = 0
    recorded: int = 0

    def run(
        self, pairs: Iterable[Asked], look: Callable[[LlmScorer], None] = lambda _: None, stop_after: int = -1
    ) -> list[Found]:
        """What it finds, by place; `look` sees the scorer afterwards; `stop` is set after so many results."""

        async def main() -> list[Found]:
            stop, traffic, found = asyncio.Event(), Traffic(), list[Found]()
            limits = LimitSettings(concurrency=4)
            settings = ScorerSettings(self.kind, self.model, **({"limits": limits} | self.settings))
            with Ledger(self.folder / "ledger.sqlite") as ledger:
                scorer = SCORERS[self.kind].open(settings, Prompts(), ledger, stop=stop, traffic=traffic)
                try:
                    async for each in scorer.score(pairs, stop):
                        found.append(each)
                        if len(found) == stop_after:
                            stop.set()
                    look(scorer)
                finally:
                    await scorer.close()
                    self.sent, self.recorded = traffic.sent, traffic.recorded
            return sorted(found, key=lambda each: each.place)

        return asyncio.run(main())


def scripted(folder: Path, *rules: dict[str, Any]) -> str:
    """The name of a model that answers by these rules."""
    script = folder / "model.jsonl"
    script.write_text("".join(json.dumps(rule) + "\n" for rule in ({"record": "calls.jsonl"}, *rules)))
    return f"scripted/{script}"


def calls(folder: Path) -> list[dict[str, Any]]:
    """What a scripted model was asked."""
    return [json.loads(line) for line in (folder / "calls.jsonl").read_text().splitlines()]


def replying(reply: Callable[[str], str | int | dict[str, Any]], seconds: float = 0) -> Provider:
    """A provider whose reply depends on the prompt: a text, a status, or a choice or an error as it is sent."""

    async def fault(request: web.Request, prompt: str, number: int) -> web.StreamResponse:
        said = reply((await request.json())["messages"][-1]["content"])
        await asyncio.sleep(seconds)
        if isinstance(said, int):
            return web.json_response({"error": {"message": "no"}}, status=said)
        if isinstance(said, dict) and "error" in said:
            return web.json_response(said, status=400)
        choice = said if isinstance(said, dict) else {"message": {"role": "assistant", "content": said}}
        return web.json_response(
            {
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": "m",
                "choices": [{"index": 0, "finish_reason": "stop"} | choice],
                "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
            }
        )

    return Provider(fault=fault)
