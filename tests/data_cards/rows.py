"""Pairs whose scoring standard can be told from all that a model may see, and the types of this folder's fixtures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from prbgen.schema import Pair, Post, RubricAspect
from tests.data_cards.conftest import Done
from tests.publication.conftest import build_pair

Publish = Callable[..., Path]
Evaluate = Callable[..., Done]
Command = Callable[..., tuple[int, str, str]]

SECRET_NARRATIVE, SECRET_ASPECT, SECRET_EVIDENCE = "NARRATIVE-SECRET", "ASPECT-SECRET", "EVIDENCE-SECRET"
LIFE = "Lifestyle_and_Personal_Development"


def pair(number: int, **fields: Any) -> Pair:
    posts = tuple(Post(category="books", id=f"p{n}", text=f"Post {n} of {number}: {'é' * 20}") for n in range(4))
    aspects = (RubricAspect(aspect=SECRET_ASPECT, evidence=SECRET_EVIDENCE, reason="REASON-SECRET"),)
    values: dict[str, Any] = {
        "profile": posts,
        "rubric_aspects": aspects,
        "narrative": SECRET_NARRATIVE,
    }
    values["chosen"], values["rejected"] = f"Begin with number {number}, 漢字 🙂.", f"Then not the {number * 7}th."
    return build_pair(number, **(values | {"user_key": f"u{number // 2}"} | fields))


def six() -> list[Pair]:
    return [pair(n, subset=LIFE) if n % 3 == 2 else pair(n) for n in range(6)]
