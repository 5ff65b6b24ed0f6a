"""A served classifier gives the scores that it gives alone, whatever comes in at the same time."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from prbgen.downstream.ppo.serve.desk import Bounds
from prbgen.evaluation.scorers.http import HttpScorer
from prbgen.evaluation.scorers.scorer import Asked, Found, Scorer
from prbgen.evaluation.settings import ScorerSettings
from tests.downstream.ppo.serve.reward_serving import served

pytest.importorskip("transformers")

from prbgen.evaluation.scorers.scalar.scalar_scorer import ScalarScorer
from tests.evaluation.scorers.scalar.tiny_classifiers import alone, save, settings

_LIMIT = 600  # tokens


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("classifier"), "llama")


def asked(place: int, answers: int, most: int = 3) -> Asked:
    """A question with posts; those with an odd number are long."""

    def message(posts: int) -> str:
        words = "tea " * (90 if place % 2 else 20)
        return "\n".join([*(f"post {post} {words}" for post in range(posts)), f"#{place}?"])

    texts = tuple(f"answer {number} to {place}: " + "well " * (5 * number) for number in range(answers))
    return Asked(place, f"q{place}", texts, most, message)


async def found_by(scorer: Scorer, groups: list[Asked]) -> list[Found]:
    try:
        found = [each async for each in scorer.score(groups, asyncio.Event())]
    finally:
        await scorer.close()
    return sorted(found, key=lambda each: each.place)


async def test_the_http_scorer_finds_what_the_scalar_scorer_finds_in_process(folder: Path) -> None:
    groups = [asked(place, 2 + place % 4) for place in range(6)]
    here = await found_by(ScalarScorer.load(settings(folder, max_tokens=_LIMIT)), groups)
    model = ScalarScorer.load(settings(folder, max_tokens=_LIMIT))
    async with served(model) as server:
        there = await found_by(HttpScorer(ScorerSettings.parsed(f"http:{server.url}/score")), groups)
        assert await server.figure('failures_total{reason="too_long"}') > 0
    await model.close()
    # What is too long loses posts on both ways, the same ones.
    assert [(each.place, each.posts, each.reason) for each in there] == [
        (each.place, each.posts, each.reason) for each in here
    ]
    assert len({each.posts for each in here}) > 1
    for one, other in zip(here, there, strict=True):
        assert other.scores == pytest.approx(one.scores, abs=1e-4)


@pytest.mark.parametrize("batch", [1, 256])
async def test_what_else_is_in_a_batch_changes_no_score(folder: Path, batch: int) -> None:
    groups = [asked(place, 4) for place in range(4)]
    inputs = [(group.message(2), answer) for group in groups for answer in group.answers]
    model = ScalarScorer.load(settings(folder))
    async with served(model, Bounds(batch=batch, wait=0.2)) as server:
        replies = await asyncio.gather(*(server.ask(each) for each in inputs))
        batches = await server.figure("batch_requests_count")
    await model.close()
    assert batches >= len(inputs) / batch
    if batch == 256:
        assert batches < len(inputs) / 4
    for each, reply in zip(inputs, replies, strict=True):
        assert reply.json()["scores"] == pytest.approx([alone(folder, *each)], abs=1e-4)


async def test_a_device_that_breaks_ends_it_and_an_answer_that_cannot_be_scored_does_not(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScalarScorer.load(settings(folder))
    network, broken = model._classifier._passes._model, False
    # The whole model, and the part of it that scores from a shared prefix.
    for part in (network, network.base_model):
        forward = part.forward

        # As CUDA does it: the faulty call fails, or from then on each of them.
        def breaking(*, forward: Any = forward, **inputs: Any) -> Any:
            if broken or inputs["input_ids"].shape[-1] > 300:
                raise RuntimeError("device-side assert triggered")
            return forward(**inputs)

        monkeypatch.setattr(part, "forward", breaking)
    async with served(model) as server:
        assert (await server.ask(("p", "word " * 400))).status_code == 500
        assert (await server.ask(("p", "fine"))).status_code == 200
        broken = True
        assert (await server.ask(("p", "fine, too"))).status_code == 500
        assert "device-side assert triggered" in (await server.until_gone())["error"]
        assert (await server.ask(("p", "fine"))).status_code == 503
    await model.close()
