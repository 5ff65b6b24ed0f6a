"""The published evaluation script, whose words ours must be, and rows whose every text can be told from all others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prbgen.evaluation.conditions.pair import PreparedPair
from prbgen.evaluation.conditions.prepared import prepared
from prbgen.evaluation.settings import Condition, DataSettings
from prbgen.llm.templates import Prompts
from tests.data_cards.conftest import script
from tests.sources.lamp_rows import write

__all__ = ["script"]

Keep = Callable[..., list[PreparedPair]]


@pytest.fixture(scope="session")
def prompts() -> Prompts:
    """As shipped."""
    return Prompts()


@pytest.fixture
def keep(tmp_path: Path) -> Keep:
    """What is kept of rows, or of a place."""

    def kept(data: list[dict[str, Any]] | Path, condition: Condition, *, posts: int = 3, **asked: Any) -> list[Any]:
        place = data if isinstance(data, Path) else write(tmp_path / "pairs.jsonl", data)
        with prepared(DataSettings(str(place), **asked), condition, posts, tmp_path) as pairs:
            found = list(pairs)
            assert pairs.count == len(found)
            assert list(pairs) == found
        return found

    return kept
