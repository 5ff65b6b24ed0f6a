"""Models and checkpoints on disk: whole, or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch
import transformers

from prbgen.downstream.ppo.train.randomness import random_state
from prbgen.errors import InputError
from prbgen.run import cannot_write
from prbgen.whole_folder import replacing


def save_policy(model: Any, tokenizer: Any, origin: str, folder: Path) -> None:
    """Save a policy as transformers and vLLM load it; it samples as the one did that it comes from.

    Raises:
        PrbgenError: the disk refuses.
    """
    try:
        sampling = transformers.GenerationConfig.from_pretrained(origin)
    except OSError:  # it comes with none
        sampling = None
    try:
        with replacing(folder) as new:
            model.save_pretrained(new)
            tokenizer.save_pretrained(new)
            if sampling:
                sampling.save_pretrained(new)
    except OSError as error:
        raise cannot_write(folder, error) from None


class Checkpoint:
    """All that PPO goes on from, in one file: policy and critic, the optimiser, and the random states."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: dict[str, Any] = {}
        if path.is_file():
            try:
                self._kept = torch.load(path, map_location="cpu", weights_only=True)
                self.step = int(self._kept["step"])
            except Exception as error:  # torch and pickle raise all kinds
                what = str(error).splitlines()[0] if str(error) else type(error).__name__
                raise InputError(f"{path}: is damaged ({what}); remove it to train from the beginning") from None
        else:
            self.step = 0

    def save(self, step: int, model: Any, optimizer: Any, states: dict[str, Any] | None = None) -> None:
        """Keep how things are after a step, in the place of what was kept before.

        Raises:
            PrbgenError: the disk refuses.
        """
        kept = {"step": step, "model": model.state_dict(), "optimizer": optimizer.state_dict()}
        partial = self._path.with_name(self._path.name + ".partial")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with partial.open("wb") as file:
                torch.save({**kept, "random": states or random_state()}, file)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(self._path)
        except (OSError, RuntimeError) as error:  # torch wraps what the disk says
            partial.unlink(missing_ok=True)
            raise cannot_write(self._path, error if isinstance(error, OSError) else OSError(str(error))) from None

    def load(self, model: Any, optimizer: Any) -> dict[str, Any]:
        """Bring back what was kept, and give the random states of that time."""
        kept, self._kept = self._kept, {}
        model.load_state_dict(kept["model"])
        optimizer.load_state_dict(kept["optimizer"])
        states: dict[str, Any] = kept["random"]
        return states
