"""Pairs, a judge and a policy that need no network, for whole commands under bad conditions."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from tests.evaluation.asking_rows import pair_row
from tests.generation.conftest import FAIR, row

PAIRS = 24


@dataclass(frozen=True)
class Bench:
    """A folder with what commands read; `words` are those of each command, and `result` is what it brings."""

    folder: Path
    delay: float = 0

    def __post_init__(self) -> None:
        write(self.folder / "pairs.jsonl", *(pair_row(number) for number in range(PAIRS)))
        write(self.folder / "Lifestyle_and_Personal_Development_test.jsonl", *(row(number) for number in range(PAIRS)))
        self._script("judge", reply='{"verdict": "A"}')
        self._script("policy", reply="Drink {digest}, then rest. " * 20)
        self._script("writer", stage="answer", reply=FAIR)
        writer = f"scripted/{self.folder / 'writer.jsonl'}"
        tables: dict[str, Any] = {
            "source": {"path": "Lifestyle_and_Personal_Development_test.jsonl"},
            "models": {"answer": writer, "rubric": writer},
            "limits": {"concurrency": 2},
        }
        (self.folder / "recipe.toml").write_text(tomli_w.dumps(tables))

    def _script(self, name: str, **rule: Any) -> None:
        rules = [{"record": f"{name}.calls"}, {"delay": self.delay, **rule}]
        write(self.folder / f"{name}.jsonl", *rules)

    def words(self, command: str) -> list[str]:
        """A command line."""
        data, out = str(self.folder / "pairs.jsonl"), str(self.out(command))
        if command == "generate":
            return ["generate", str(self.folder / "recipe.toml"), "--run", out]
        if command == "evaluate":
            judge = f"judge:scripted/{self.folder / 'judge.jsonl'}"
            return ["evaluate", data, "--scorer", judge, "--condition", "none", "--concurrency", "2", "--out", out]
        policy = f"scripted/{self.folder / 'policy.jsonl'}"
        return ["bon", "sample", data, "--policy", policy, "--n", "4", "--concurrency", "2", "--out", out]

    def out(self, command: str) -> Path:
        """Its folder."""
        return self.folder / f"of {command}"

    def result(self, command: str) -> bytes:
        """What it brought, in bytes."""
        names = {"generate": "pairs.jsonl", "evaluate": "items.jsonl"}
        return (self.out(command) / names.get(command, "candidates.jsonl")).read_bytes()

    def calls(self, command: str) -> list[dict[str, Any]]:
        """The calls that really reached the model, over all processes."""
        name = {"generate": "writer", "evaluate": "judge"}.get(command, "policy")
        file = self.folder / f"{name}.calls"
        return [json.loads(line) for line in file.read_bytes().split(b"\n")[:-1]] if file.exists() else []


def write(path: Path, *rows: dict[str, Any]) -> None:
    """Write JSON lines."""
    path.write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf-8")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Without delays."""
    folder = tmp_path / "bench"
    folder.mkdir()
    return Bench(folder)


@pytest.fixture
def slow(tmp_path: Path) -> Bench:
    """The same with a model that takes a moment for each call."""
    folder = tmp_path / "slow"
    folder.mkdir()
    return Bench(folder, delay=0.05)
