"""Data, a policy's tokenizer, and what `prbgen ppo prepare` makes of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars

from prbgen.downstream.ppo.prepare.facts import PreparedFacts
from prbgen.downstream.ppo.prepare.prepare import prepare
from prbgen.downstream.ppo.prepare.settings import Preparing
from prbgen.evaluation.settings import DataSettings
from prbgen.llm.templates import Prompts
from tests.data_cards.tiny import TEMPLATE, config, tokenizer

CHAT = TEMPLATE + "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"


def policy(folder: Path, template: str | None = CHAT) -> Path:
    """The folder of a policy without its weights."""
    settings = config(labels=1)
    settings.architectures = ["Qwen2ForCausalLM"]
    settings.save_pretrained(folder)
    tokenizer(template).save_pretrained(folder)
    return folder


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def prepared(place: Path, **changes: Any) -> PreparedFacts:
    """data.jsonl, without the users of bench.jsonl, for the policy in tok/, all in `place`, into out/."""
    given: dict[str, Any] = {
        "data": DataSettings(str(place / "data.jsonl")),
        "benchmarks": (DataSettings(str(place / "bench.jsonl")),),
        "folder": place / "out",
        "policy": str(place / "tok"),
        "tokenizer": str(place / "tok"),
        "validation": 0.25,
    }
    return prepare(Preparing(**given | changes), Prompts())


def rows(folder: Path, side: str) -> list[dict[str, Any]]:
    """The rows of out/SIDE.parquet."""
    return polars.read_parquet(folder / "out" / f"{side}.parquet").to_dicts()


def keys(folder: Path, side: str) -> list[str]:
    """The names of their questions."""
    return [each["extra_info"]["key"] for each in rows(folder, side)]
