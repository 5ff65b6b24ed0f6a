"""The prompts of each step, in an order that the seed alone decides, so that training can go on from any step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch


@dataclass(frozen=True)
class Batch:
    """Prompts as they are written answers to: their places, and how many tokens wide they are with their padding."""

    rows: list[int]
    width: int


class Order:
    """All prompts shuffled, then all of them shuffled anew, without end."""

    def __init__(self, count: int, seed: int) -> None:
        """`count` prompts."""
        self._count = count
        self._seed = seed
        self._shuffled: tuple[int, list[int]] = (-1, [])

    def row(self, place: int) -> int:
        """The prompt at this place of the order."""
        epoch, within = divmod(place, self._count)
        if self._shuffled[0] != epoch:
            self._shuffled = epoch, np.random.default_rng((self._seed, epoch)).permutation(self._count).tolist()
        return self._shuffled[1][within]


class Batches:
    """What TRL's PPO trainer reads, without end, in their `Order`. `now` is the batch that was read last."""

    def __init__(self, prompts: Sequence[Sequence[int]], size: int, pad: int, seed: int, begin: int = 0) -> None:
        """`prompts` are tokens; `begin` batches have been read before."""
        self._prompts = prompts
        self._size = size
        self._pad = pad
        self._seed = seed
        self._next = begin * size
        self._order = Order(len(prompts), seed)
        self.now = Batch([], 0)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            rows = [self._order.row(self._next + place) for place in range(self._size)]
            self._next += self._size
            width = max(len(self._prompts[row]) for row in rows)
            self.now = Batch(rows, width)
            padded = [[self._pad] * (width - len(self._prompts[row])) + [*self._prompts[row]] for row in rows]
            yield {"input_ids": torch.tensor(padded)}
