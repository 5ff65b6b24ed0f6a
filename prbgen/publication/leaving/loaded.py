"""Loading a dataset as those who use it will: with `datasets`, which has seen nothing of it before."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from prbgen.errors import PrbgenError
from prbgen.publication.leaving.declared import DeclaredSplit

if TYPE_CHECKING:
    from datasets import Dataset


@contextmanager
def loaded(folder: Path, splits: tuple[DeclaredSplit, ...]) -> Iterator[dict[tuple[str, str], Dataset]]:
    """{(config, split): rows} while the block runs. The rows lie on disk, beside `folder`, not in memory.

    Raises:
        PrbgenError: `datasets` cannot load one of them.
    """
    # Not among temporary files, which may lie in memory. What a killed process left is removed by the next.
    cache = folder.resolve().with_name(f".{folder.resolve().name}.loaded")
    shutil.rmtree(cache, ignore_errors=True)
    try:
        yield {(each.config, each.split): _load(folder, each, cache) for each in splits}
    finally:
        shutil.rmtree(cache, ignore_errors=True)


def _load(folder: Path, declared: DeclaredSplit, cache: Path) -> Dataset:
    import datasets

    with _quiet():
        try:
            return datasets.load_dataset(
                str(folder.resolve()), declared.config, split=declared.split, cache_dir=str(cache), keep_in_memory=False
            )
        except Exception as error:  # whatever readers of YAML, Parquet and Arrow can raise
            fault = " ".join(f"{type(error).__name__}: {error}".split())
            where = f"{folder}: config {declared.config!r}, split {declared.split!r}"
            raise PrbgenError(f"{where}: `datasets` cannot load it: {fault}") from None


@contextmanager
def _quiet() -> Iterator[None]:
    from datasets.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
