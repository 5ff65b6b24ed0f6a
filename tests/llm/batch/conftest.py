"""A stand-in for both providers, and keys that it takes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.llm.batch.providers_stand_in import ProvidersStandIn


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProvidersStandIn]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-openai")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-anthropic")
    with ProvidersStandIn() as running:
        yield running
