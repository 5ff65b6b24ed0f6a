"""A reward in the shape in which TRL's PPO trainer takes one: a module with a backbone and a score head.

The trainer calls `backbone` with prompts and answers as tokens, a part of a batch at a time and in order, then `score`
with the last hidden states, and takes what stands at the last token of each answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import torch

from prbgen.downstream.ppo.train.batches import Batch
from prbgen.downstream.ppo.train.reward import Reward


def answer_text(tokenizer: Any, tokens: Sequence[int]) -> str:
    """What a policy wrote, as a reader sees it: without the tokens that end it."""
    return str(tokenizer.decode(tokens, skip_special_tokens=True))


class RewardModule(torch.nn.Module):
    """Scores the answers of the batch that is being trained on."""

    base_model_prefix = "backbone"

    def __init__(self, reward: Reward, messages: Sequence[str], tokenizer: Any, now: Callable[[], Batch]) -> None:
        """`messages` are what each row's asker says; `now` is the batch that answers are written to."""
        super().__init__()
        self._reward = reward
        self._messages = messages
        self._tokenizer = tokenizer
        self._now = now
        self._batch: Batch | None = None
        self._done = 0

    def backbone(self, input_ids: torch.Tensor, attention_mask: torch.Tensor, **_: Any) -> SimpleNamespace:
        """Hidden states of one number, the reward: at the last token of an answer, and nowhere else (there is none at
        other places: NaN).

        Args:
            input_ids: (answers, tokens), prompts padded on the left and answers on the right.
            attention_mask: The same shape; 0 where there is padding.

        Raises:
            PrbgenError: a reward is missing.
        """
        batch = self._now()
        if batch is not self._batch:
            self._batch, self._done = batch, 0
        rows = batch.rows[self._done : self._done + len(input_ids)]
        self._done += len(input_ids)
        lengths = _lengths(attention_mask[:, batch.width :].bool())
        answers = [
            answer_text(self._tokenizer, tokens[batch.width : batch.width + length].tolist())
            for tokens, length in zip(input_ids, lengths, strict=True)
        ]
        rewards = self._reward([self._messages[row] for row in rows], answers)
        hidden = torch.full((*input_ids.shape, 1), torch.nan, device=input_ids.device)
        for place, (reward, length) in enumerate(zip(rewards, lengths, strict=True)):
            hidden[place, batch.width + length - 1] = reward
        return SimpleNamespace(hidden_states=[hidden])

    def score(self, hidden: torch.Tensor) -> torch.Tensor:
        """The reward is all that is hidden."""
        return hidden


def _lengths(written: torch.Tensor) -> list[int]:
    """How many tokens each answer has: up to its first padding, as the trainer takes it."""
    return [int(each) for each in written.long().cumprod(dim=1).sum(dim=1)]
