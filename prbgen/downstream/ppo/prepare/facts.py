"""prepared.json: what was prepared, of what, and all that was left out."""

from __future__ import annotations

from pydantic import JsonValue

from prbgen.schema import Record


class LeftOut(Record):
    """A question that is in neither file, and why."""

    key: str
    reason: str


class Side(Record):
    """One of the two files: `shortened` prompts have fewer posts than there were, `posts_dropped` in all. Tokens are
    the policy's.
    """

    questions: int
    users: int
    shortened: int
    posts_dropped: int
    most_tokens: int


class PreparedFacts(Record):
    """What `prbgen ppo prepare` has made.

    `questions` were read; `by_benchmark_users` of them (by `benchmark_users` users) are left out because a benchmark
    has questions of their users, `left_out` for other reasons. `batch` rows make a step of training; the last
    `in_no_batch` of an epoch, another lot in each epoch, make none. `data` is a hash over all that could be shown of
    the questions, `prompt` one over the template, `files` the SHA-256 of each file.
    """

    questions: int
    by_benchmark_users: int
    benchmark_users: int
    left_out: tuple[LeftOut, ...]
    train: Side
    validation: Side
    batch: int
    in_no_batch: int
    split: str | None
    data: str
    prompt: str
    settings: dict[str, JsonValue]
    files: dict[str, str]
    versions: dict[str, str]
