"""The scores that TRL takes are those of the right prompts and answers, at their last tokens."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from prbgen.downstream.ppo.chat import encoded
from prbgen.downstream.ppo.train.batches import Batches
from prbgen.downstream.ppo.train.models import load_tokenizer
from prbgen.downstream.ppo.train.reward import Grouped
from prbgen.downstream.ppo.train.reward_module import RewardModule
from prbgen.errors import PrbgenError
from tests.downstream.ppo.train.tiny_policies import QUESTIONS, save_policy

ANSWERS = ("", "Go.", "Soup, with bread.", "None", "Sleep more and earlier than you do", "Take a train")


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return load_tokenizer(str(save_policy(tmp_path_factory.mktemp("policy") / "model")))


class Known:
    """A Reward that tells every pair of prompt and answer apart."""

    versions: dict[str, str] = {}  # noqa: RUF012

    def __call__(self, prompts: Sequence[str], answers: Sequence[str]) -> list[float]:
        return [score(*each) for each in zip(prompts, answers, strict=True)]


def score(prompt: str, answer: str) -> float:
    return QUESTIONS.index(prompt) * 1000 + len(answer) * 10 + answer.count("e")


@pytest.mark.parametrize("ends", [True, False], ids=["with eos", "cut off"])
def test_trl_takes_the_score_of_each_answer_to_its_prompt(tokenizer: Any, ends: bool) -> None:
    from trl.experimental.utils import get_reward

    prompts = [encoded(tokenizer, question) for question in QUESTIONS]
    assert len({len(prompt) for prompt in prompts}) > 2
    pad, size = tokenizer.pad_token_id, len(ANSWERS)
    batches = Batches(prompts, size, pad, seed=3)
    module = RewardModule(Known(), QUESTIONS, tokenizer, lambda: batches.now)
    for _, batch in zip(range(3), batches, strict=False):
        rows, queries = batches.now.rows, batch["input_ids"]
        written = [
            tokenizer.encode(answer, add_special_tokens=False) + [tokenizer.eos_token_id] * ends for answer in ANSWERS
        ]
        width = max(map(len, written)) + (not ends)
        responses = torch.tensor([[*tokens, *[pad] * (width - len(tokens))] for tokens in written])
        whole = torch.cat((queries, responses), 1)
        taken = []
        for begin in range(0, size, 2):  # as the trainer asks: a part of the batch at a time
            _, scores, ends_at = get_reward(module, whole[begin : begin + 2], pad, queries.shape[1])
            taken += scores.tolist()
            lengths = [len(tokens) for tokens in written[begin : begin + 2]]
            assert ends_at.tolist() == [queries.shape[1] + length - 1 for length in lengths]
        assert taken == [score(QUESTIONS[row], answer) for row, answer in zip(rows, ANSWERS, strict=True)]


def test_nothing_but_the_last_token_of_an_answer_has_a_score(tokenizer: Any) -> None:
    batches = Batches([encoded(tokenizer, QUESTIONS[0])], 1, tokenizer.pad_token_id, seed=0)
    queries = next(iter(batches))["input_ids"]
    whole = torch.cat((queries, torch.tensor([tokenizer.encode("abc", add_special_tokens=False)])), 1)
    module = RewardModule(Known(), QUESTIONS, tokenizer, lambda: batches.now)
    hidden = module.backbone(whole, whole != tokenizer.pad_token_id).hidden_states[-1]
    assert torch.isfinite(hidden[0, :, 0]).tolist() == [False] * (whole.shape[1] - 1) + [True]


@given(st.integers(1, 9), st.integers(1, 7), st.integers(0, 5), st.integers(0, 99))
def test_batches_go_on_from_any_step_and_take_all_prompts_in_turn(count: int, size: int, begin: int, seed: int) -> None:
    prompts = [[7] * (place + 1) for place in range(count)]

    def rows(batches: Batches, steps: int) -> list[list[int]]:
        return [batches.now.rows for _, _ in zip(range(steps), batches, strict=False)]

    all_rows = rows(Batches(prompts, size, 0, seed), 9)
    assert rows(Batches(prompts, size, 0, seed, begin), 9 - begin) == all_rows[begin:]
    flat = [row for each in all_rows for row in each]
    for epoch in range(len(flat) // count):
        assert sorted(flat[epoch * count : (epoch + 1) * count]) == [*range(count)]


@given(st.lists(st.tuples(st.sampled_from("pqr"), st.text(max_size=3)), min_size=1, max_size=12))
def test_answers_are_grouped_by_prompt_and_scores_come_back_in_order(asked: list[tuple[str, str]]) -> None:
    prompts, answers = zip(*asked, strict=True)
    grouped = Grouped(prompts, answers)
    assert len(grouped.groups) == len(set(prompts)) == len(grouped.missing())
    for place, (prompt, texts) in reversed(list(enumerate(grouped.groups))):
        grouped.put(place, [float(hash((prompt, text)) % 997) for text in texts], "a model")
    assert not grouped.missing()
    assert grouped.scores() == [float(hash(each) % 997) for each in asked]


@pytest.mark.parametrize("scores", [[1.0], [1.0, float("nan")], [1.0, float("inf")], [1.0, 2.0, 3.0]])
def test_a_missing_score_is_an_error_and_no_number(scores: list[float]) -> None:
    with pytest.raises(PrbgenError, match="no finite score to each of 2 answers"):
        Grouped(["p", "p"], ["a", "b"]).put(0, scores, "a model")


def test_a_tokenizer_that_pads_with_what_ends_answers_gets_a_token_of_its_own(tmp_path: Path) -> None:
    from prbgen.downstream.ppo.train.models import load_policy

    folder = save_policy(tmp_path / "model", pad=False)
    tokenizer = load_tokenizer(str(folder))
    assert tokenizer.pad_token_id not in (None, tokenizer.eos_token_id)
    policy = load_policy(str(folder), tokenizer, "cpu")
    assert policy.get_input_embeddings().num_embeddings > tokenizer.pad_token_id
    assert policy.config.pad_token_id == tokenizer.pad_token_id
    assert np.isfinite(policy(torch.tensor([[tokenizer.pad_token_id]])).logits.detach().numpy()).all()
