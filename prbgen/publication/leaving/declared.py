"""Which configs and splits a dataset card declares, and of which files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, TypeAdapter, ValidationError

from prbgen.errors import PrbgenError


class _Files(BaseModel):
    split: str
    path: str | list[str]


class _Config(BaseModel):
    config_name: str
    data_files: list[_Files]


@dataclass(frozen=True)
class DeclaredSplit:
    """A split of a config: its files in the card's order, by their path in the folder."""

    config: str
    split: str
    files: tuple[str, ...]


def declared_splits(folder: Path) -> tuple[DeclaredSplit, ...]:
    """The splits that README.md declares, in its order.

    Raises:
        PrbgenError: the card is missing, its metadata is not in the form of data_cards/, or a split comes twice.
    """
    from huggingface_hub import DatasetCard

    card = folder / "README.md"
    try:
        metadata = DatasetCard(card.read_text(encoding="utf-8")).data.get("configs")
        configs = TypeAdapter(list[_Config]).validate_python(metadata)
    except OSError as error:
        raise PrbgenError(f"{card}: {error.strerror}") from None
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(str(part) for part in fault["loc"])
        raise PrbgenError(f"{card}: configs {where}: {fault['msg']}".replace("\n", " ")) from None
    except Exception as error:  # whatever a YAML reader can raise
        raise PrbgenError(f"{card}: no valid metadata: {' '.join(str(error).split())}") from None
    splits = tuple(_split(config.config_name, files) for config in configs for files in config.data_files)
    names = [(each.config, each.split) for each in splits]
    for config, split in names:
        if names.count((config, split)) > 1:
            raise PrbgenError(f"{card}: config {config!r} declares split {split!r} twice")
    return splits


def _split(config: str, files: _Files) -> DeclaredSplit:
    paths = [files.path] if isinstance(files.path, str) else files.path
    return DeclaredSplit(config, files.split, tuple(paths))
