"""A judge whose calls go with provider batches: wave after wave, and nothing is asked twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from prbgen.llm.way import Way
from tests.llm.batch.providers_stand_in import Outcome, ProvidersStandIn, prompt_of


def answered(body: dict[str, Any]) -> Outcome:
    """Writes for and against the points; at the first attempt at day 0 the judge misses them."""
    prompt = prompt_of(body)
    if "Rate the answer from 1 to 5" in prompt:
        return {"text": json.dumps({"remarks": "x", "factuality": 5, "relevance": 5, "helpfulness": 5})}
    if "does the answer deal with it" in prompt:
        covered = 2 if "gladly" in prompt and not ("day 0?" in prompt and "seed 0," in prompt) else 0
        return {"text": json.dumps({"aspects": [{"number": n, "found": "x", "score": covered} for n in (1, 2)]})}
    side = "gladly" if "cover each of these points" in prompt else "hardly"
    return {"text": f"Cook {side} on seed {body.get('seed')}, whatever {side} comes of it and of {side} anything."}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProvidersStandIn]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-openai")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-anthropic")
    with ProvidersStandIn(answer=answered) as running:
        yield running


def test_a_pair_is_judged_and_written_again_with_batches_of_two_providers(
    project: Any, server: ProvidersStandIn
) -> None:
    project.tables["models"] = {
        "answer": {"name": "openai/gpt-4o-mini", "api_base": server.openai, "max_tokens": 200},
        "judge": {"name": "anthropic/claude-haiku-4-5", "api_base": server.url, "max_tokens": 500},
    }
    pairs, rejects = project.generate(way=Way(batch=True))
    assert not rejects
    assert [pair.provenance.attempt for pair in pairs] == [2, 1, 1]
    assert {check.outcome for pair in pairs for check in pair.checks if check.name == "coverage"} == {"pass"}
    # Answers and judgements of three pairs, then of the one that was written again.
    sizes = [(batch.provider, len(batch.requests)) for batch in server.batches]
    assert sizes == [("openai", 6), ("anthropic", 12), ("openai", 2), ("anthropic", 4)]
    assert set(server.asked().values()) == {1}
    before = project.run.pairs.read_bytes()
    project.generate(way=Way(batch=True))
    assert (project.run.pairs.read_bytes(), len(server.batches)) == (before, 4)
