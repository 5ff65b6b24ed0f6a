"""A small project of three questions and a scripted model, to run whole flows on."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from prbgen.generation import Tally, generate
from prbgen.llm.templates import Prompts
from prbgen.llm.way import Way
from prbgen.recipe import load_recipe
from prbgen.run import Run, read_records
from prbgen.schema import Pair, Reject

# No two of these are alike enough for copies.
FAIR = "Pick {digest} tonight, with {digest} on the side and {digest} to drink."
NARRATIVE = (
    "I live on the fourth floor without a lift. My oven broke last spring. I cook for a toddler who hates onions."
)


def row(number: int, **changes: Any) -> dict[str, Any]:
    """A LaMP-QA row of our own."""
    return {
        "id": f"1_{number}_0",
        "question": f"What could I cook for supper on day {number}?",
        "profile": [
            {
                "category": "cooking",
                "id": f"1_{number}_0_{post}",
                "text": f"Pots {post}\nI own {post} pots and a stove.",
            }
            for post in range(6)
        ],
        "rubric_aspects": [
            {"aspect": "Needs no oven", "evidence": "My oven broke last spring.", "reason": "There is none."},
            {"aspect": "Has no onions", "evidence": "a toddler who hates onions", "reason": "The child won't eat."},
        ],
        "narrative": NARRATIVE,
        "category": "cooking",
    } | changes


def answer(words: int = 12) -> str:
    """An answer of whole six-word sentences."""
    return " ".join("Fry some noodles with crisp greens." for _ in range(words // 6))


@dataclass
class Project:
    """A folder with source, script and recipe; `rows`, `rules` and `tables` may be changed before a run."""

    folder: Path
    rows: list[dict[str, Any]] = field(default_factory=lambda: [row(number) for number in range(3)])
    rules: list[dict[str, Any]] = field(default_factory=list)
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)

    def write(self) -> Path:
        """Write the files; returns the recipe."""
        lines = [json.dumps(each) for each in self.rows]
        (self.folder / "Lifestyle_and_Personal_Development_test.jsonl").write_text("\n".join(lines) + "\n")
        rules = [{"record": "calls.jsonl"}, *self.rules]
        (self.folder / "model.jsonl").write_text("".join(json.dumps(rule) + "\n" for rule in rules))
        tables: dict[str, dict[str, Any]] = {
            "source": {"path": "Lifestyle_and_Personal_Development_test.jsonl"},
            "models": {"answer": "scripted/model.jsonl", "rubric": "scripted/model.jsonl"},
        }
        for table, values in self.tables.items():
            tables[table] = tables.get(table, {}) | values
        recipe = self.folder / "recipe.toml"
        recipe.write_text(tomli_w.dumps(tables))
        return recipe

    @property
    def run(self) -> Run:
        """The run folder."""
        return Run(self.folder / "run")

    def generate(self, *, stop: asyncio.Event | None = None, way: Way | None = None) -> tuple[list[Pair], list[Reject]]:
        """Generate in this process."""
        recipe = load_recipe(self.write())
        prompts = Prompts(self.folder / "prompts")

        async def main() -> None:
            await generate(
                recipe,
                self.run,
                prompts,
                way=way or Way(),
                say=self.said.append,
                stop=stop or asyncio.Event(),
                tally=Tally(),
            )

        with self.run.locked():
            asyncio.run(main())
        return list(read_records(self.run.pairs, Pair)), list(read_records(self.run.rejects, Reject))

    def command(self, *flags: str) -> subprocess.Popen[str]:
        """Start `prbgen generate` as a process of its own."""
        words = [sys.executable, "-m", "prbgen", "generate", str(self.write()), "--run", str(self.run.folder), *flags]
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def await_calls(self, count: int) -> None:
        """Wait until so many calls have arrived."""
        deadline = time.monotonic() + 60
        while len(self.calls()) < count:
            assert time.monotonic() < deadline, "the calls do not come"
            time.sleep(0.02)

    def calls(self) -> list[dict[str, Any]]:
        """The calls that really reached the model, over all processes."""
        file = self.folder / "calls.jsonl"
        return finished_lines(file) if file.exists() else []


def finished_lines(file: Path) -> list[dict[str, Any]]:
    """The lines of a file that another process may be writing: the last one counts once it has its end."""
    return [json.loads(line) for line in file.read_bytes().split(b"\n")[:-1]]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Three questions; every answer is one of its own within the limit."""
    return Project(tmp_path, rules=[{"stage": "answer", "reply": FAIR}])


@pytest.fixture
def new_row() -> Callable[..., dict[str, Any]]:
    """Makes rows."""
    return row


@pytest.fixture
def new_answer() -> Callable[[int], str]:
    """Makes answers of so many words."""
    return answer
