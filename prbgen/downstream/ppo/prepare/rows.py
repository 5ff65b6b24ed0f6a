"""The rows that verl reads: what the policy is asked, and what a reward function needs; never the scoring standard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa

from prbgen.evaluation.conditions.pair import PreparedPair
from prbgen.text import storable

Side = Literal["train", "validation"]
SIDES: tuple[Side, ...] = ("train", "validation")
# verl reports validation by this name.
DATA_SOURCE = "prbgen"

# A plain schema: what `datasets` would add about its own types, earlier releases of it cannot read.
SCHEMA = pa.schema(
    {
        "data_source": pa.string(),
        "prompt": pa.list_(pa.struct({"role": pa.string(), "content": pa.string()})),
        "ability": pa.string(),
        "reward_model": pa.struct({"style": pa.string(), "ground_truth": pa.string()}),
        "extra_info": pa.struct(
            {
                "key": pa.string(),
                "id": pa.string(),
                "subset": pa.string(),
                "category": pa.string(),
                "user_key": pa.string(),
                "question": pa.string(),
                "split": pa.string(),
                "index": pa.int64(),
                "posts_shown": pa.int64(),
                "posts_dropped": pa.int64(),
                "prompt_tokens": pa.int64(),
                "prompt": pa.string(),
                "shorter": pa.list_(pa.list_(pa.int64())),
            }
        ),
    }
)


@dataclass(frozen=True)
class Prompt:
    """The words of an asker with the most posts that fit, and how many tokens these are for the policy.

    `shorter` says how the words go with one post less, with two less, and so on: so many characters of the beginning,
    and so many of the end. A reward model that takes less than the policy is asked so.
    """

    words: str
    tokens: int
    posts_shown: int
    posts_dropped: int
    shorter: tuple[tuple[int, int], ...] = ()


def row(pair: PreparedPair, prompt: Prompt, side: Side, index: int) -> dict[str, Any]:
    """A row of `SCHEMA`. Its ground truth is the question's name: the standard is for judges, not for training."""
    return {
        "data_source": DATA_SOURCE,
        "prompt": [{"role": "user", "content": prompt.words}],
        "ability": "personalised question answering",
        "reward_model": {"style": "model", "ground_truth": pair.question_key},
        "extra_info": {
            "key": pair.question_key,
            "id": pair.id,
            "subset": pair.subset,
            "category": pair.category,
            "user_key": pair.user_key,
            "question": storable(pair.question),
            "split": side,
            "index": index,
            "posts_shown": prompt.posts_shown,
            "posts_dropped": prompt.posts_dropped,
            "prompt_tokens": prompt.tokens,
            "prompt": prompt.words,
            "shorter": [list(each) for each in prompt.shorter],
        },
    }


def cuts(words: str, shorter: Sequence[str]) -> Iterator[tuple[int, int]]:
    """How each of the shorter texts is a beginning and an end of `words`, in characters; stops at one that is not."""
    for text in shorter:
        head = _common(words, text)
        tail = len(text) - head
        if not words.endswith(text[head:]) or head + tail > len(words):
            return
        yield head, tail


def _common(one: str, other: str) -> int:
    """With how many characters both begin."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one.startswith(other[:middle]) else (low, middle - 1)
    return low
