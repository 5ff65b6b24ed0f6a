"""Samples that depend on their own seeds alone: not on what else is written in the same batch."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, cast

import torch
from transformers import LogitsProcessor, TemperatureLogitsWarper, TopPLogitsWarper


def seed_of(work: str, sample: int) -> int:
    """The seed of a candidate: 63 bits of a hash over what it answers, and its number."""
    return int.from_bytes(blake2b(f"{work}/{sample}".encode(), digest_size=8).digest()) >> 1


class SeededSampling(LogitsProcessor):
    """Makes the most likely token a sample: Gumbel noise of each row's own is added to its logits.

    The greatest of logits with Gumbel noise is distributed as softmax of the logits, so that greedy search after this
    samples at a temperature, within the tokens that `top_p` of the probability lies on.
    """

    def __init__(self, seeds: Sequence[int], temperature: float, top_p: float, device: torch.device) -> None:
        """A seed for each row of the batch; `temperature` is above 0."""
        self._generators = [torch.Generator(device).manual_seed(seed) for seed in seeds]
        self._warpers: list[LogitsProcessor] = [TemperatureLogitsWarper(temperature)]
        self._warpers += [TopPLogitsWarper(top_p)] if top_p < 1 else []

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        """The logits with noise, (rows, tokens)."""
        noisy: Any = scores.float()
        for warp in self._warpers:
            noisy = warp(input_ids, noisy)
        noise = torch.empty_like(noisy)
        for row, generator in enumerate(self._generators):
            noise[row].exponential_(generator=generator)
        noisy = noisy - noise.log()
        return cast("torch.FloatTensor", noisy)
