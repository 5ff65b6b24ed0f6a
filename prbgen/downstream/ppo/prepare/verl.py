"""verl.yaml: what verl is started with."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from prbgen.downstream.ppo.prepare.settings import Preparing

# As in the paper.
_BATCH = 128


def batch_of(questions: int) -> int:
    """Rows in a step: as in the paper or, of fewer questions, the greatest power of two that there are."""
    return min(_BATCH, 1 << (questions.bit_length() - 1))


def verl_config(settings: Preparing, questions: int) -> str:
    """The content of the file, for so many questions to train on."""
    batch, length = batch_of(questions), settings.prompt_tokens + settings.response_tokens
    note = f"  # {questions % batch:,} of the {questions:,} questions make no whole batch and wait for another epoch."
    if batch < _BATCH:
        note = f"  # Less than the paper's {_BATCH}, as there are few questions.\n{note}"
    policy = Path(settings.policy)
    values = {
        "FOLDER": _quoted(str(settings.folder.resolve())),
        "REWARD_URL": _quoted(settings.reward_url) if settings.reward_url else "null",
        "PROMPT_TOKENS": settings.prompt_tokens,
        "RESPONSE_TOKENS": settings.response_tokens,
        "BATCH_NOTE": note,
        "BATCH": batch,
        "MINI_BATCH": max(1, batch // 2),
        "SEED": settings.seed,
        "POLICY": _quoted(str(policy.resolve()) if policy.is_dir() else settings.policy),
        "LENGTH": length,
        "PACKED_TOKENS": 2 * length,
        "BATCHED_TOKENS": max(8192, length),
        "FOLDER_TEXT": json.dumps(str(settings.folder.resolve()), ensure_ascii=False),
    }
    text = (files("prbgen.downstream.ppo.prepare") / "verl.yaml").read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"@{name}@", str(value))
    return text


def _quoted(text: str) -> str:
    """A text as YAML has it, in which nothing refers to anything else."""
    return json.dumps(text.replace("${", "\\${"), ensure_ascii=False)
