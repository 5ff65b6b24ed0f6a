"""What is known of a model, and what makes two evaluations the same work."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from prbgen.digest import file_sha256, text_hash
from prbgen.evaluation.settings import ScorerSettings
from prbgen.evaluation.summary import ModelFacts
from prbgen.llm.family import family_of

if TYPE_CHECKING:
    from prbgen.evaluation.scorers.scalar.loading import Loaded

# Larger files count by size and time: a hash of all weights would take minutes.
_SMALL_BYTES = 1_000_000


def facts(loaded: Loaded, settings: ScorerSettings) -> ModelFacts:
    """What is known of a model; one in a folder has the folder's name."""
    folder = Path(settings.model)
    name = folder.resolve().name if folder.is_dir() else settings.model
    return ModelFacts(
        kind="scalar",
        name=name,
        parameters=sum(each.numel() for each in loaded.model.parameters()),
        dtype=loaded.dtype,
        device=loaded.device.type,
        revision=_commit(loaded),
        family=family_of(name) or family_of(str(loaded.model.config.model_type)),
    )


def fingerprint(loaded: Loaded, settings: ScorerSettings, path: str) -> str:
    """32 hex digits over everything that may change a score: the weights, precision, limit, and way of computing.

    Batch size, device and the versions of packages are not among it: scores do not depend on them, but for rounding.
    """
    origin = _commit(loaded) or _stored(settings)
    parts = [origin, loaded.dtype, loaded.limit, path, settings.trust_remote_code]
    return text_hash(json.dumps(parts))


def versions() -> dict[str, str]:
    """The packages that scores rest on."""
    return {name: version(name) for name in ("torch", "transformers", "tokenizers")}


def _commit(loaded: Loaded) -> str | None:
    commit = getattr(loaded.model.config, "_commit_hash", None)
    return str(commit) if commit else None


def _stored(settings: ScorerSettings) -> list[list[str | int]]:
    """A model without a commit: its files, or, if it comes from a Hub that tells none, its name and revision."""
    folder = Path(settings.model)
    return _files(folder) if folder.is_dir() else [[settings.model, settings.revision]]


def _files(folder: Path) -> list[list[str | int]]:
    files = sorted(file for file in folder.iterdir() if file.is_file() and not file.name.startswith("."))
    return [[file.name, *_content(file)] for file in files]


def _content(file: Path) -> list[str | int]:
    stat = file.stat()
    return [file_sha256(file)] if stat.st_size <= _SMALL_BYTES else [stat.st_size, stat.st_mtime_ns]
