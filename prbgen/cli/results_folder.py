"""Where results go unless a flag says otherwise: results/DATA, with a folder for each of them."""

from __future__ import annotations

from pathlib import Path

from prbgen.text import folder_name


def data_folder(data: str) -> Path:
    """results/DATA, for data as the user named it."""
    path = Path(data)
    # The dataset of a run has the same name in every run.
    name = "/".join(path.resolve().parts[-2 if path.name == "dataset" else -1 :]) if path.exists() else data
    return Path("results") / folder_name(name)
