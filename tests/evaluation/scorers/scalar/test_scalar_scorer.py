"""Pairs scored by a classifier: as the published script does it, posts dropped, and stopped when meant to."""

from __future__ import annotations

import asyncio
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from prbgen.errors import InterruptError
from prbgen.evaluation.scorers.scalar.scalar_scorer import ScalarScorer
from prbgen.evaluation.scorers.scorer import Asked, Found
from tests.data_cards.conftest import script
from tests.evaluation.scorers.scalar.tiny_classifiers import save, settings

__all__ = ["script"]


def rows(count: int) -> list[dict[str, Any]]:
    posts = [{"text": f"Post {number}: I read a novel on the train to work, and liked it. " * 2} for number in range(9)]
    return [
        {
            "question": f"Question {number}: which one first?" * (1 if number % 5 else 40),
            "profile": posts[: number % 10],
            "chosen": f"The short one, number {number}.",
            "rejected": "The short one, number 3." if number % 4 == 3 else "The long one. " * (number % 7 + 1),
        }
        for number in range(count)
    ]


def asked(script: ModuleType, rows: list[dict[str, Any]]) -> Iterator[Asked]:
    for place, row in enumerate(rows):

        def message(posts: int, row: dict[str, Any] = row) -> str:
            return str(script.user_message(row, "profile", posts))

        yield Asked(place, f"item {place}", (row["chosen"], row["rejected"]), len(row["profile"]), message)


async def found_by(scorer: ScalarScorer, pairs: Iterator[Asked]) -> dict[int, Found]:
    return {each.place: each async for each in scorer.score(pairs, asyncio.Event())}


@pytest.mark.parametrize("share", [True, False])
async def test_scores_and_outcomes_are_those_of_the_published_script(
    script: ModuleType, tmp_path: Path, share: bool
) -> None:
    folder, data = save(tmp_path / "qwen2", "qwen2", side="left"), rows(12)
    options = Namespace(device="cpu", dtype="float32", trust_remote_code=False, max_tokens=500, condition="profile")
    options.posts = 9
    score = script.scalar(str(folder), options)
    expected = [script.evaluate(score, options, "all", {"profile": [], **row}) for row in data]
    scorer = ScalarScorer.load(settings(folder, max_tokens=500, share_prefix=share))
    found = await found_by(scorer, asked(script, data))
    assert [*sorted(found)] == [*range(12)]
    for place, item in enumerate(expected):
        mine = found[place]
        assert mine.reason == (item["reason"] if item["outcome"] == "unscored" else None)
        assert (mine.posts < len(data[place]["profile"])) == item["truncated"]
        assert not mine.faulty
        if item["outcome"] == "unscored":
            continue
        assert mine.scores[0] == pytest.approx(item["score_chosen"], abs=1e-3)
        assert mine.scores[1] == pytest.approx(item["score_rejected"], abs=1e-3)
        assert len(mine.scores) == 2
        outcome = (mine.scores[0] > mine.scores[1]) - (mine.scores[0] < mine.scores[1])
        assert {1: "win", -1: "loss", 0: "tie"}[outcome] == item["outcome"]
    assert {item["outcome"] for item in expected} == {"win", "loss", "tie", "unscored"}
    assert any(item["truncated"] and item["outcome"] != "unscored" for item in expected)
    assert scorer.cost is None
    await scorer.close()


async def test_as_many_posts_as_fit_are_shown(script: ModuleType, tmp_path: Path) -> None:
    scorer = ScalarScorer.load(settings(save(tmp_path / "qwen2", "qwen2"), max_tokens=400))
    pairs = list(asked(script, rows(10)))
    found = await found_by(scorer, iter(pairs))
    for pair in pairs:

        def fits(posts: int, pair: Asked = pair) -> bool:
            encoded = scorer._classifier._encoder(pair.message(posts), pair.answers)
            return max(map(len, encoded)) <= 400

        most = next((posts for posts in range(pair.most, -1, -1) if fits(posts)), None)
        each = found[pair.place]
        assert (each.reason, each.posts) == (("too long", 0) if most is None else (None, most))
    assert len({each.posts for each in found.values()}) > 2
    await scorer.close()


async def test_a_stop_finishes_what_runs_and_begins_nothing(script: ModuleType, tmp_path: Path) -> None:
    scorer = ScalarScorer.load(settings(save(tmp_path / "qwen2", "qwen2"), batch_tokens=400))
    stop, found, read = asyncio.Event(), list[Found](), list[int]()

    def pairs() -> Iterator[Asked]:
        for each in asked(script, rows(400)):
            read.append(each.place)
            yield each

    with pytest.raises(InterruptError):
        async for each in scorer.score(pairs(), stop):
            found.append(each)
            stop.set()
    assert 1 <= len(found) < 20
    assert len(read) < 100
    await scorer.close()


async def test_a_stop_after_the_last_pair_is_no_interruption(script: ModuleType, tmp_path: Path) -> None:
    scorer, stop = ScalarScorer.load(settings(save(tmp_path / "qwen2", "qwen2"))), asyncio.Event()
    async for _ in scorer.score(asked(script, rows(2)[1:]), stop):
        stop.set()
    await scorer.close()


async def test_a_model_that_fails_is_at_fault(script: ModuleType, tmp_path: Path) -> None:
    scorer = ScalarScorer.load(settings(save(tmp_path / "qwen2", "qwen2")))

    def breaks(*_: Any) -> None:
        raise RuntimeError("broken")

    scorer._classifier._passes._model.base_model.register_forward_pre_hook(breaks)
    found = await found_by(scorer, asked(script, rows(3)))
    assert {(each.reason, each.faulty, each.scores) for each in found.values()} == {
        ("the model failed: broken", True, ())
    }
    await scorer.close()
