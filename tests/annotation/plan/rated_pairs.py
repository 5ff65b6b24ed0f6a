"""Pairs to plan with: every text that raters must not see holds the word SECRET, and no text stands twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from prbgen.schema import SUBSETS, Check, Pair, Post, Provenance, RubricAspect, pair_id

GENERATOR = "SECRET/generator"


def rated_pair(
    number: int,
    *,
    subset: str = SUBSETS[0],
    strategy: Any = "avoid",
    generator: str = GENERATOR,
    aspects: int = 3,
    posts: Sequence[int] = (2, 0),
    version: int = 0,
    user: str | None = None,
    **fields: Any,
) -> Pair:
    """The pair on question `number`; it shows `posts` of a profile of four."""
    id_ = f"0_{number}_0"
    name = f"{subset} {number}"
    rubric = tuple(
        RubricAspect(aspect=f"Wish {each} of {name}.", evidence=f"SECRET quote {each}", reason=f"Reason {each}")
        for each in range(aspects)
    )
    values: dict[str, Any] = {
        "id": id_,
        "question": f"Question {name}?",
        "profile": tuple(Post(category="books", id=f"p{each}", text=f"Post {each} of {name}") for each in range(4)),
        "rubric_aspects": rubric,
        "narrative": "SECRET narrative",
        "category": "books",
        "chosen": f"Good answer {name} {strategy[0]} {generator[-1]} v{version}",
        "rejected": f"Bad answer {name} {strategy[0]} {generator[-1]} v{version}",
        "pair_id": pair_id(subset, id_, strategy, generator),
        "user_key": user or f"u{subset}{number}",
        "strategy": strategy,
        "generator": generator,
        "checks": (Check(name="words", side="chosen", outcome="pass", detail="SECRET"),),
        "provenance": Provenance(
            subset=subset,
            split="test",
            rubric_kind="gold",
            rubric_model="SECRET",
            aspects_dropped=0,
            rejected_aspects=(RubricAspect(aspect="SECRET", evidence=None, reason=None),),
            rejected_from=None,
            ranker="bm25",
            posts_shown=tuple(f"p{each}" for each in posts),
            posts_cut=(),
            own_posts_dropped=0,
            word_limit=100,
            attempt=1,
            prompts={},
            calls={},
        ),
    }
    return Pair(**values | fields)


def rated_pairs(count: int, strategies: Sequence[str] = ("avoid", "counter"), first: int = 0) -> list[Pair]:
    """Pairs on `count` questions from number `first` on, over all subsets, with each strategy."""
    return [
        rated_pair(number, subset=SUBSETS[number % 7 % 3], strategy=strategy)
        for number in range(first, first + count)
        for strategy in strategies
    ]


def write(folder: Path, pairs: Iterable[Pair]) -> Path:
    """A pairs.jsonl."""
    path = folder / "pairs.jsonl"
    path.write_text("".join(pair.model_dump_json() + "\n" for pair in pairs), encoding="utf-8")
    return path
