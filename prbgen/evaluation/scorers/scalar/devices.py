"""Where a model runs: one GPU, several where one is too small, or the CPU."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import torch

from prbgen.errors import InputError
from prbgen.evaluation.scorers.scalar.memory import out_of_memory
from prbgen.evaluation.settings import ScorerSettings

# Of a GPU's free memory, the share that weights may take: batches need the rest. A rule of thumb, and not measured;
# batches that still do not fit are halved.
_ROOM = 0.85
# Tokens in a batch, padding included. A CPU gains nothing by more: it leaves its caches.
_CPU_TOKENS, _GPU_TOKENS = 1024, 16384


def batch_tokens(settings: ScorerSettings, device: torch.device) -> int:
    """How many tokens one batch has at most, padding included."""
    return settings.batch_tokens or (_CPU_TOKENS if device.type == "cpu" else _GPU_TOKENS)


def ready(load: Callable[..., Any], settings: ScorerSettings) -> tuple[Any, torch.device]:
    """Load a model, by `load(dtype=..., device_map=...)`, onto the device, in the right precision.

    Returns:
        The model, and the device that takes its input.

    Raises:
        InputError: there is no such device, or the model does not fit.
    """
    device = _device(settings)
    stored = "auto" if device.type != "cpu" else torch.float32
    dtype = stored if settings.dtype == "auto" else getattr(torch, settings.dtype)
    model = load(dtype=dtype)
    several = device.type == "cuda" and not settings.device and torch.cuda.device_count() > 1
    if several and model.get_memory_footprint() > _ROOM * torch.cuda.mem_get_info(device)[0]:
        del model
        if not find_spec("accelerate"):
            raise InputError(f"{settings.model}: does not fit one GPU; to use several: pip install accelerate")
        model = load(dtype=dtype, device_map="auto")
        return model, next(model.parameters()).device
    try:
        return model.to(device), device
    except RuntimeError as error:
        if not out_of_memory(error):
            raise
    raise InputError(f"{settings.model}: does not fit {device}; --dtype bfloat16 takes half of float32, or use the CPU")


def _device(settings: ScorerSettings) -> torch.device:
    name = settings.device or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError):
        raise InputError(f"--device {name}: torch {torch.__version__} finds no such device here") from None
    return device
