"""Forward passes of a classifier: one answer, a batch, or answers that branch from a prefix computed once."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from prbgen.evaluation.scorers.scalar.plan import Row, pooled_at


@dataclass(frozen=True)
class Prefix:
    """The key-value cache of `length` tokens; `name` is what the model calls a cache."""

    length: int
    name: str
    cache: Any

    def branched(self, rows: int) -> dict[str, Any]:
        """The cache as that of so many rows, by name. It stays as it is, and no layer's copy outlives the layer."""
        branch = copy.copy(self.cache)
        branch.layers = [copy.copy(layer) for layer in self.cache.layers]
        for layer, own in zip(self.cache.layers, branch.layers, strict=True):
            own.update = partial(_update, layer, rows)
        return {self.name: branch}


def _update(layer: Any, rows: int, *states: Any, **more: Any) -> Any:
    """Keys and values of the prefix, then those of the rows, as the layer itself puts them together."""
    fresh = copy.copy(layer)
    fresh.keys, fresh.values = (each.expand(rows, *each.shape[1:]) for each in (layer.keys, layer.values))
    return fresh.update(*states, **more)


class Passes:
    """A model with one logit, or two. It pools at the last token that is not `pad`, wherever that one stands.

    `window`: so many tokens back some of its layers see at most (null: all see everything). `reads_tokens`: it has the
    head of transformers' decoders, a linear layer over what is said of each token.
    """

    def __init__(self, model: Any, device: torch.device) -> None:
        self._model, self._device = model, device
        self.pad: int | None = getattr(model.config.get_text_config(), "pad_token_id", None)
        self.window = _window(model.config.get_text_config())
        own = type(model).__module__.startswith("transformers.")
        self.reads_tokens = own and isinstance(getattr(model, "score", None), torch.nn.Linear)

    def alone(self, rows: Sequence[Row]) -> list[float]:
        """Scores as the model gives them row by row, without padding: what all other ways must meet."""
        return [score for row in rows for score in self.whole([row])]

    @torch.inference_mode()
    def whole(self, rows: Sequence[Row]) -> list[float]:
        """Scores of a batch, padded on the right, as the model gives them."""
        return _scores(self._model(**self._padded(rows)).logits)

    @torch.inference_mode()
    def pooled(self, rows: Sequence[Row], *, masked: bool) -> list[float]:
        """Scores of a batch from the tokens that are read alone.

        `masked` keeps padding out of sight; a causal model does not see what comes later anyway.
        """
        inputs = self._padded(rows) if masked else {"input_ids": self._padded(rows)["input_ids"]}
        said = self._model.base_model(**inputs, use_cache=False)
        return self._read(said.last_hidden_state, [pooled_at(row, self.pad) for row in rows])

    @torch.inference_mode()
    def prefix(self, tokens: Row) -> Prefix:
        """Compute a prefix once."""
        said = self._model.base_model(input_ids=torch.tensor([tokens], device=self._device), use_cache=True)
        name = "cache" if "cache" in said else "past_key_values"
        return Prefix(len(tokens), name, said[name])

    @torch.inference_mode()
    def branches(self, prefix: Prefix, rows: Sequence[Row]) -> list[float]:
        """Scores of rows that begin with the prefix and are read after it. The model must be causal."""
        rest = [row[prefix.length :] for row in rows]
        ids = self._padded(rest)["input_ids"]
        said = self._model.base_model(input_ids=ids, use_cache=True, **prefix.branched(len(rows)))
        return self._read(said.last_hidden_state, [pooled_at(row, self.pad) for row in rest])

    def _padded(self, rows: Sequence[Row]) -> dict[str, Any]:
        longest, filler = max(map(len, rows)), self.pad or 0
        ids = torch.tensor([[*row, *[filler] * (longest - len(row))] for row in rows])
        mask = torch.arange(longest) < torch.tensor([[len(row)] for row in rows])
        return {"input_ids": ids.to(self._device), "attention_mask": mask.long().to(self._device)}

    def _read(self, hidden: torch.Tensor, at: list[int]) -> list[float]:
        """Scores from hidden states (rows x tokens x width), at one token of each row."""
        return _scores(self._model.score(hidden[torch.arange(len(at)), at]))


def _window(config: Any) -> int | None:
    sizes = (getattr(config, name, None) for name in ("sliding_window", "attention_chunk_size"))
    return min((size for size in sizes if size), default=None)


def _scores(logits: torch.Tensor) -> list[float]:
    """Scores from logits (rows x labels): the one, or the second minus the first."""
    return [row[0] if len(row) == 1 else row[1] - row[0] for row in logits.double().tolist()]
