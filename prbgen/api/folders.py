"""Where results go unless the user says otherwise: results/DATA, with a folder for each of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from prbgen.text import folder_name

if TYPE_CHECKING:
    from prbgen.evaluation.settings import DataSettings, ScorerSettings

POSTS = 10


def data_folder(data: str) -> Path:
    """results/DATA, for data as the user named it."""
    path = Path(data)
    # The dataset of a run has the same name in every run.
    name = "/".join(path.resolve().parts[-2 if path.name == "dataset" else -1 :]) if path.exists() else data
    return Path("results") / folder_name(name)


def answers_folder(kind: str, data: DataSettings, policy: str, condition: str, posts: int) -> Path:
    """results/DATA/KIND-POLICY-CONDITION, and whatever else of the questions or the posts is not as by default."""
    shown = f"{posts}-posts" if posts != POSTS else ""
    return data_folder(data.data) / folder_name(kind, policy, condition, shown, data.split, *data.subsets)


def evaluation_folder(data: DataSettings, scorer: ScorerSettings, condition: str, posts: int) -> Path:
    """results/DATA/KIND-MODEL-CONDITION, and whatever else of the pairs or the posts is not as by default."""
    protocol = scorer.protocol if scorer.protocol != "prbgen" else ""
    shown = f"{posts}-posts" if posts != POSTS else ""
    parts = (condition, protocol, shown, data.split, *data.subsets)
    return data_folder(data.data) / folder_name(scorer.kind, scorer.short, *parts)
