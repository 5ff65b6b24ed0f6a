"""What the metadata of a card says about the files beside it (`dataset_info`), read from these files."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prbgen.publication.figures import Figures
from prbgen.publication.names import ALL, RATINGS
from prbgen.publication.ratings import RATINGS_FILE

if TYPE_CHECKING:
    from datasets import Features


@dataclass(frozen=True)
class SplitInfo:
    """A split in figures: its rows, their bytes in memory (as Arrow), and those of its files."""

    name: str
    examples: int
    in_memory: int
    on_disk: int


@dataclass(frozen=True)
class ConfigInfo:
    """A config: its columns as the metadata spells them, and its splits in the order of the card."""

    name: str
    columns: tuple[dict[str, Any], ...]
    splits: tuple[SplitInfo, ...]

    def entry(self) -> dict[str, Any]:
        """Its entry in the list `dataset_info`."""
        return {
            "config_name": self.name,
            "features": deepcopy(list(self.columns)),
            "splits": [
                {"name": each.name, "num_bytes": each.in_memory, "num_examples": each.examples} for each in self.splits
            ],
            "download_size": sum(each.on_disk for each in self.splits),
            "dataset_size": sum(each.in_memory for each in self.splits),
        }


def config_infos(folder: Path, figures: Figures) -> tuple[ConfigInfo, ...]:
    """All configs of the dataset in `folder`, from its Parquet files: `all`, the subsets, the ratings if it has any.

    Raises:
        OSError: a file cannot be read.
    """
    from prbgen.publication.features import features, ratings_features

    parts = {part: _measured(folder / f"data/{part.subset}/{part.split}.parquet", part.split) for part in figures.parts}
    columns = _columns(features())
    infos = [ConfigInfo(ALL, columns, _joined(parts.values()))]
    for subset in figures.subsets:
        splits = tuple(split for part, split in parts.items() if part.subset == subset)
        infos.append(ConfigInfo(subset, columns, splits))
    ratings = folder / RATINGS_FILE
    if ratings.is_file():
        infos.append(ConfigInfo(RATINGS, _columns(ratings_features()), (_measured(ratings, RATINGS),)))
    return tuple(infos)


def _measured(path: Path, split: str) -> SplitInfo:
    import pyarrow.parquet as pq

    from prbgen.publication.parquet import GROUP_ROWS

    with pq.ParquetFile(path) as file:
        sizes = [(batch.num_rows, batch.nbytes) for batch in file.iter_batches(batch_size=GROUP_ROWS)]
    return SplitInfo(split, sum(rows for rows, _ in sizes), sum(size for _, size in sizes), path.stat().st_size)


def _joined(parts: Iterable[SplitInfo]) -> tuple[SplitInfo, ...]:
    joined: dict[str, SplitInfo] = {}
    for part in parts:
        have = joined.get(part.name, SplitInfo(part.name, 0, 0, 0))
        joined[part.name] = SplitInfo(
            part.name,
            have.examples + part.examples,
            have.in_memory + part.in_memory,
            have.on_disk + part.on_disk,
        )
    return tuple(joined.values())


def _columns(features: Features) -> tuple[dict[str, Any], ...]:
    return tuple({"name": name} | _type(feature) for name, feature in features.items())


def _type(feature: Any) -> dict[str, Any]:
    """A type in the spelling that `datasets` 3 and later read alike: what is a `List` since 4 has two names there."""
    from datasets import List

    if not isinstance(feature, List):
        return {"dtype": feature.dtype}
    if isinstance(feature.feature, dict):
        return {"list": [{"name": name} | _type(inner) for name, inner in feature.feature.items()]}
    return {"sequence": feature.feature.dtype}
