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
from prbgen.sizes import LONGEST_ROW, too_long_row
from prbgen.sources.bounded_memory import bounded_memory
from prbgen.sources.lamp_qa import FIELDS
from prbgen.sources.packed import is_packed, opened
from prbgen.sources.raw import RawRow

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS_AT_ONCE = 4
# Bytes that decoding them may take: a file of a kilobyte can repeat one long text a million times in a row.
_DECODED = 2 * 2**30
_BUFFER = 1 << 16  # bytes of a column to read ahead; without it, or with pre_buffer, a whole row group is held


def parquet_rows(path: Path, label: str, wanted: Collection[str] = FIELDS) -> Iterator[RawRow]:
    """The rows of a file, of the columns that are wanted.

    Raises:
        InputError: the file is no Parquet file, it is damaged, or a row is absurdly large.
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
            batches = parquet.iter_batches(batch_size=_ROWS_AT_ONCE, columns=columns, use_threads=False)
            while (batch := _next(batches, f"{label}:row {number + 1}")) is not None:
                for index in range(batch.num_rows):
                    number += 1
                    yield replace(_row(batch, index, f"{label}:row {number}"), unread=unread)
        except (pa.ArrowException, OSError, MemoryError) as error:
            what = (str(error) or "it takes absurdly much memory").splitlines()[0]
            raise InputError(f"{path}: no Parquet file, or a damaged one: {what}") from None


def _next(batches: Iterator[pa.RecordBatch], where: str) -> pa.RecordBatch | None:
    """The next rows, of which `where` names the first; null at the end."""
    try:
        with bounded_memory(_DECODED):
            batch = next(batches, None)
    except MemoryError:
        raise too_long_row(where) from None
    if batch is not None and batch.nbytes > _ROWS_AT_ONCE * LONGEST_ROW:
        raise too_long_row(where)
    return batch


def _row(batch: pa.RecordBatch, index: int, where: str) -> RawRow:
    try:
        return RawRow(where, batch.slice(index, 1).to_pylist()[0])
    except UnicodeDecodeError:
        return RawRow(where, fault="not UTF-8 text")


@contextmanager
def _opened(path: Path) -> Iterator[IO[Any]]:
    """The file; a gzipped one is unpacked into a temporary file, since Parquet is not read from front to back."""
    if not is_packed(path):
        with opened(path) as file:
            yield file
        return
    with opened(path) as packed, tempfile.TemporaryFile() as unpacked:
        try:
            shutil.copyfileobj(packed, unpacked, 1 << 20)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise InputError(f"{path}: the compressed data are damaged: {error}") from None
        yield unpacked
