"""A policy on this machine: its candidates depend on question, number and settings alone, and are written once."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
import torch

from prbgen.downstream.best_of_n.on_this_machine.seeded import SeededSampling, seed_of
from prbgen.downstream.best_of_n.on_this_machine.writer import Writer
from prbgen.downstream.best_of_n.policy import Policy, Prompt, SamplingSettings, Written
from prbgen.downstream.best_of_n.transformers_policy import transformers_policy, with_its_own
from prbgen.downstream.folders import Answers
from prbgen.errors import InputError, InterruptError
from prbgen.evaluation.settings import DataSettings
from prbgen.llm.templates import Prompts
from prbgen.llm.traffic import Traffic
from prbgen.model_settings import ModelSettings
from tests.downstream.ppo.train.tiny_policies import save_policy


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_policy(tmp_path_factory.mktemp("trained") / "policy", positions=128)


def prompt(question: str = "What next?", most: int = 0) -> Prompt:
    return Prompt(question, lambda posts: "\n".join(["I like long walks."] * posts + [question]), most)


async def written(model: Path, out: Path, *asked: tuple[Prompt, int], **more: Any) -> list[Written]:
    settings = SamplingSettings(
        DataSettings("d"), ModelSettings(name=f"hf:{model}"), **({"max_tokens": 12, "top_p": 1.0} | more)
    )
    out.mkdir(exist_ok=True)
    async with transformers_policy(settings, Answers(out), Prompts(None), asyncio.Event(), Traffic()) as policy:
        return [await policy.answers(*each) for each in asked]


async def test_more_candidates_begin_with_the_same_ones_and_all_differ(model: Path, tmp_path: Path) -> None:
    [few] = await written(model, tmp_path / "a", (prompt(), 3))
    [many] = await written(model, tmp_path / "b", (prompt(), 6))
    [other] = await written(model, tmp_path / "c", (prompt("Which book?"), 3))
    assert many.candidates[:3] == few.candidates
    assert len({each.text for each in many.candidates}) == 6
    assert not {each.text for each in other.candidates} & {each.text for each in few.candidates}


async def test_what_is_on_disk_is_not_written_again(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [first] = await written(model, tmp_path, (prompt(), 3))
    seeds: list[int] = []
    write = Writer.write

    def counted(writer: Writer, tokens: list[int], given: Any) -> Any:
        seeds.extend(given)
        return write(writer, tokens, given)

    monkeypatch.setattr(Writer, "write", counted)
    [again] = await written(model, tmp_path, (prompt(), 3))
    assert again == replace(first, known=True)
    assert not seeds
    [more] = await written(model, tmp_path, (prompt(), 5))
    assert more.candidates[:3] == first.candidates
    assert len(seeds) == 2


async def test_other_settings_are_other_work(model: Path, tmp_path: Path) -> None:
    [warm] = await written(model, tmp_path, (prompt(), 2))
    [cold] = await written(model, tmp_path, (prompt(), 2), temperature=0.0)
    assert warm.candidates != cold.candidates
    assert cold.candidates[0] == cold.candidates[1]


async def test_what_the_policy_sets_itself_comes_first(model: Path, tmp_path: Path) -> None:
    own = ModelSettings.model_validate({"name": f"hf:{model}", "temperature": 0, "max_tokens": 5})
    settings = SamplingSettings(DataSettings("d"), own, temperature=0.7, max_tokens=12)
    async with transformers_policy(settings, Answers(tmp_path), Prompts(None), asyncio.Event(), Traffic()) as policy:
        assert (policy.settings["temperature"], policy.settings["max_tokens"], policy.settings["top_p"]) == (0, 5, 0.9)
        written = await policy.answers(prompt(), 2)
    assert written.candidates[0] == written.candidates[1]


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ({"top_k": 5}, "top_k says nothing to a model on this machine; it takes temperature, top_p, max_tokens"),
        ({"api_base": "http://127.0.0.1:8000/v1"}, "api_base says nothing"),
        ({"concurrency": 3}, "concurrency says nothing"),
        ({"temperature": "warm"}, "temperature = 'warm' is no such number"),
        ({"max_tokens": 0}, "max_tokens = 0 is no such number"),
        ({"temperature": 9}, "--temperature 9"),
    ],
)
def test_what_a_policy_on_this_machine_cannot_use_is_refused(own: dict[str, Any], told: str, tmp_path: Path) -> None:
    settings = SamplingSettings(DataSettings("d"), ModelSettings(name=f"hf:{tmp_path}/run/policy", **own))
    with pytest.raises(InputError, match=told) as error:
        with_its_own(settings)
    assert str(tmp_path) not in str(error.value)


async def test_posts_are_dropped_until_prompt_and_answer_fit_the_model(model: Path, tmp_path: Path) -> None:
    long, hopeless = prompt("What next?", most=9), prompt("Why? " * 60)
    fits, not_at_all = await written(model, tmp_path, (long, 1), (hopeless, 2))
    assert fits.posts is not None
    assert 0 < fits.posts < 9
    assert not_at_all.candidates == ()
    assert not_at_all.reason == "too long"
    assert not not_at_all.faulty


async def test_answers_end_where_the_policy_ends_them(model: Path, tmp_path: Path) -> None:
    [many] = await written(model, tmp_path, (prompt(), 12), max_tokens=80)
    assert {each.truncated for each in many.candidates} == {True, False}
    assert not any("<|" in (each.text or "") for each in many.candidates)


async def test_nothing_is_written_once_the_process_is_to_stop(model: Path, tmp_path: Path) -> None:
    stop = asyncio.Event()
    stop.set()
    settings = SamplingSettings(DataSettings("d"), ModelSettings(name=f"hf:{model}"), max_tokens=4)
    async with transformers_policy(settings, Answers(tmp_path), Prompts(None), stop, Traffic()) as policy:
        with pytest.raises(InterruptError):
            await policy.answers(prompt(), 2)


async def test_records_name_the_training_and_not_the_folders_above(model: Path, tmp_path: Path) -> None:
    settings = SamplingSettings(DataSettings("d"), ModelSettings(name=f"hf:{model}"), max_tokens=4)
    async with transformers_policy(settings, Answers(tmp_path), Prompts(None), asyncio.Event(), Traffic()) as policy:
        typed: Policy = policy
        assert typed.name == f"hf:{model.parent.name}"
        assert str(model.parent.parent) not in str(typed.settings)


async def test_a_model_that_leaves_no_room_is_refused(model: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="takes 128 tokens, which leaves no room"):
        await written(model, tmp_path, (prompt(), 1), max_tokens=200)
    with pytest.raises(InputError, match=r"no model that transformers can load|no such folder"):
        await written(tmp_path, tmp_path, (prompt(), 1))


def test_tokens_are_drawn_as_often_as_they_are_likely() -> None:
    logits = torch.tensor([[2.0, 1.0, 0.0, -1.0]])
    likely = torch.softmax(logits[0] / 0.8, 0)
    draws = 4000
    sampling = SeededSampling([seed_of("work", each) for each in range(draws)], 0.8, 1.0, torch.device("cpu"))
    # Types that transformers ask for and torch makes none of.
    begun = cast("torch.LongTensor", torch.zeros(draws, 1, dtype=torch.long))
    rows = cast("torch.FloatTensor", logits.repeat(draws, 1))
    drawn = sampling(begun, rows).argmax(1)
    counts = Counter(drawn.tolist())
    for token, chance in enumerate(likely.tolist()):
        assert abs(counts[token] / draws - chance) < 4 * (chance * (1 - chance) / draws) ** 0.5
    nucleus = SeededSampling(range(draws), 0.8, 0.7, torch.device("cpu"))
    kept = nucleus(begun, rows).argmax(1)
    assert set(kept.tolist()) == {0}
