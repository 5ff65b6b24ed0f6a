"""The Hub of the documentation: LaMP-QA, the datasets and models that it names, and whatever is published to it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.hub.calls import Account, RepoCalls
from tests.hub.repo import Repo
from tests.hub.web import Ask, Reply, failed
from tests.hub_stand_in import HubStandIn
from tests.sources.lamp_rows import content
from tests.sources.votes.vote_rows import arena, prism

TOPICS = (
    "woodworking", "beekeeping", "watercolours", "photography", "sourdough", "accordions", "greenhouses", "tabletop",
    "calligraphy", "mushrooms", "bicycles", "telescopes",
)  # fmt: skip
CATEGORIES = {
    "Art_and_Entertainment": "music",
    "Lifestyle_and_Personal_Development": "home",
    "Society_and_Culture": "history",
}
# As in `export HF_TOKEN=...`.
TOKEN = "..."


def questions(split: str) -> dict[str, list[dict[str, Any]]]:
    """Rows of LaMP-QA by subset: twelve users in each, other ones in each split."""
    places = {"train": 1, "validation": 2, "test": 3}
    return {
        subset: [_row(100 * places[split] + number, topic, category) for number, topic in enumerate(TOPICS)]
        for subset, category in CATEGORIES.items()
    }


def _row(number: int, topic: str, category: str) -> dict[str, Any]:
    wishes = ("costs little", "fits in a flat", "can be done alone")
    posts = [
        {
            "category": category,
            "id": f"{number}_{n}",
            "text": f"My notes on {topic} {number}.{n}\nIt {wishes[n]}, and I like that.",
        }
        for n in range(3)
    ]
    return {
        "id": f"{number}_0",
        "question": f"How do I begin with {topic} as a hobby of {category}, for the year {1900 + number}?",
        "profile": posts,
        "rubric_aspects": [
            {"aspect": f"It {wish}", "evidence": f"it {wish}", "reason": f"For {topic} that matters"} for wish in wishes
        ],
        "narrative": f"I came to {topic} late, and I want something where it {', it '.join(wishes)}, whatever else.",
        "category": category,
    }


def lamp_qa() -> dict[str, bytes]:
    """The files of alireza7/LaMP-QA."""
    return {
        f"{subset}/{split}.jsonl": content(rows, "jsonl")
        for split in ("train", "validation", "test")
        for subset, rows in questions(split).items()
    }


def votes() -> dict[str, dict[str, bytes]]:
    """Two datasets of people's votes."""
    return {
        "HannahRoseKirk/prism-alignment": {"utterances.jsonl": content(prism(), "jsonl")},
        "lmsys/chatbot_arena_conversations": {"data/train-0.parquet": content(arena(), "parquet")},
    }


def released(pairs: Path) -> dict[str, bytes]:
    """The rows of a pairs.jsonl as QiyaoMa/Personalized-RewardBench has them."""
    first = ("id", "question", "profile", "rubric_aspects", "narrative", "category", "chosen", "rejected")
    rows: dict[str, list[dict[str, Any]]] = {}
    for line in pairs.read_text().splitlines():
        pair = json.loads(line)
        rows.setdefault(pair["provenance"]["subset"], []).append({name: pair[name] for name in first})
    return {f"{subset}/test.parquet": content(each, "parquet") for subset, each in rows.items()}


def files(folder: Path) -> dict[str, bytes]:
    """What a folder holds."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class WholeHub(HubStandIn):
    """Models, too."""

    def __init__(self, datasets: Mapping[str, Mapping[str, bytes]]) -> None:
        super().__init__(datasets, accounts={TOKEN: Account("tester", frozenset({"tester", "ORG"}))})
        self.models: dict[str, Repo] = {}

    def add_dataset(self, name: str, contents: Mapping[str, bytes]) -> None:
        """A dataset with these files."""
        repo = Repo(name)
        repo.put(contents, "initial commit")
        self.repos[name] = repo

    def add_model(self, name: str, contents: Mapping[str, bytes]) -> None:
        """A model with these files."""
        self.models[name] = Repo(name)
        self.models[name].put(contents, "initial commit")

    def _answer(self, ask: Ask) -> Reply:
        match ask.method, ask.parts:
            case _, ["api", "models", org, name, *call]:
                calls = self._model(f"{org}/{name}")
                return calls.answer(ask, call) if calls else _NO_MODEL
            case "GET" | "HEAD", [org, name, "resolve", revision, *path] if org not in ("datasets", "api"):
                calls = self._model(f"{org}/{name}")
                return calls.resolve(ask, revision, "/".join(path)) if calls else _NO_MODEL
        return super()._answer(ask)

    def _model(self, name: str) -> RepoCalls | None:
        repo = self.models.get(name)
        return RepoCalls(repo, None, self.storage, self.endpoint) if repo else None


_NO_MODEL = failed(404, "RepoNotFound", "Repository not found")
