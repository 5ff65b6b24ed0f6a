"""Rows of a Parquet file, plain or gzipped."""

from __future__ import annotations

import gzip
import shutil
import tempfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from prbgen.errors import InputError
from prbgen.sources.lamp_qa import FIELDS
from prbgen.sources.raw import RawRow

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS_AT_ONCE = 4
_BUFFER = 1 << 16  # bytes of a column to read ahead; without it, or with pre_buffer, a whole row group is held


def parquet_rows(path: Path, label: str, wanted: Collection[str] = FIELDS) -> Iterator[RawRow]:
    """The rows of a file, of the columns that are wanted.

    Raises:
        InputError: the file is no Parquet file, or it is damaged.
        OSError: the file cannot be opened.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    with _opened(path) as file:
        try:
            parquet = pq.ParquetFile(file, buffer_size=_BUFFER, pre_buffer=False)
            names = parquet.schema_arrow.names
            columns = [name for name in names if name in wanted]
            unread = tuple(name for name in names if name not in wanted)
            for batch in parquet.iter_batches(batch_size=_ROWS_AT_ONCE, columns=columns, use_threads=False):
                for index in range(batch.num_rows):
                    number += 1
                    yield replace(_row(batch, index, f"{label}:row {number}"), unread=unread)
        except (pa.ArrowException, OSError) as error:
            what = str(error).splitlines()[0]
            raise InputError(f"{path}: no Parquet file, or a damaged one: {what}") from None


def _row(batch: pa.RecordBatch, index: int, where: str) -> RawRow:
    try:
        return RawRow(where, batch.slice(index, 1).to_pylist()[0])
    except UnicodeDecodeError:
        return RawRow(where, fault="not UTF-8 text")


@contextmanager
def _opened(path: Path) -> Iterator[IO[Any]]:
    """The file; a gzipped one is unpacked into a temporary file, since Parquet is not read from front to back."""
    if not path.name.lower().endswith(".gz"):
        with path.open("rb") as file:
            yield file
        return
    with gzip.open(path) as packed, tempfile.TemporaryFile() as unpacked:
        try:
            shutil.copyfileobj(packed, unpacked, 1 << 20)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise InputError(f"{path}: the compressed data are damaged: {error}") from None
        yield unpacked
