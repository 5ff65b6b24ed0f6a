"""Pairs to publish, and `datasets` as a fresh machine has it: no network, nothing cached."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from prbgen.schema import Check, Pair, Post, Provenance, RubricAspect, pair_id


def build_pair(
    number: int = 0, *, subset: str = "Art_and_Entertainment", split: str = "test", made: Any = None, **fields: Any
) -> Pair:
    """A pair that looks like a generated one; `made` overrides its provenance, `fields` its columns."""
    values: dict[str, Any] = {
        "id": f"0_{number}_0",
        "question": f"Which of these {number} novels should I read first?",
        "profile": (Post(category="books", id=f"0_{number}_0_0", text="I gave up on it after forty pages."),),
        "rubric_aspects": (
            RubricAspect(aspect="Short books", evidence="nothing over 200 pages", reason="Reads on the tram."),
        ),
        "narrative": "I read on the tram, so nothing over 200 pages please.",
        "category": "books",
        "chosen": "Begin with the novella: it is over in two rides.",
        "rejected": "Begin with the trilogy.",
        "user_key": f"u{number}",
        "strategy": "avoid",
        "generator": "openai/gpt-4o-mini",
        "checks": (),
    } | fields
    values.setdefault("pair_id", pair_id(subset, values["id"], values["strategy"], values["generator"]))
    provenance = {
        "subset": subset,
        "split": split,
        "rubric_kind": "gold",
        "rubric_model": None,
        "aspects_dropped": 0,
        "rejected_aspects": values["rubric_aspects"],
        "rejected_from": None,
        "ranker": "bm25",
        "posts_shown": tuple(post.id for post in values["profile"]),
        "posts_cut": (),
        "own_posts_dropped": 0,
        "word_limit": 100,
        "attempt": 1,
        "prompts": {"answer": "5f1d"},
        "calls": {"chosen": ("a1",), "rejected": ("b2",)},
    } | (made or {})
    return Pair(**values, provenance=Provenance(**provenance))


@pytest.fixture(scope="session")
def make_pair() -> Callable[..., Pair]:
    return build_pair


@pytest.fixture
def varied_pairs() -> list[Pair]:
    """Three subsets, two splits, several strategies and generators, nulls, empty lists, unusual Unicode."""
    life, society = "Lifestyle_and_Personal_Development", "Society_and_Culture"
    checked = Check(name="words", side="chosen", outcome="pass", figure=10.0)
    return [
        build_pair(0, checks=(checked,)),
        build_pair(0, strategy="counter"),
        build_pair(
            0,
            generator="anthropic/claude-haiku-4-5",
            chosen="שלום עולם \u202eabc\u202c 👩‍👩‍👧",
            rejected="a\x00b\r\n\u2028c\ufeff",
        ),
        build_pair(1, split="train", category=None),
        build_pair(2, subset=life, narrative=None, made={"rubric_kind": "inferred", "rubric_model": "openai/gpt-4o"}),
        build_pair(3, subset=life, narrative=None, profile=(), rubric_aspects=()),
        build_pair(
            4,
            subset=society,
            profile=(Post(category=None, id="0_4_0_0", text=""), Post(category="law", id="0_4_0_1", text="e\u0301 é")),
            rubric_aspects=(RubricAspect(aspect="Plain words", evidence=None, reason=None),),
        ),
    ]


@pytest.fixture
def write_pairs(tmp_path: Path) -> Callable[[Iterable[Pair]], Path]:
    """Writes a run's pairs.jsonl and returns its path; RUN/dataset belongs beside it."""

    def write(pairs: Iterable[Pair]) -> Path:
        path = tmp_path / "run" / "pairs.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(pair.model_dump_json() + "\n" for pair in pairs), encoding="utf-8")
        return path

    return write


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """`datasets.load_dataset` on a folder, offline, with an empty cache of its own."""
    import datasets
    import huggingface_hub

    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "hf" / "datasets")

    def load_folder(folder: Path, *args: Any, **kwargs: Any) -> Any:
        return datasets.load_dataset(str(folder), *args, **kwargs)

    return load_folder
