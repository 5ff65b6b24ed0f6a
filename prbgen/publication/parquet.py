"""Writing rows to Parquet files, several at once, with memory that does not grow.

pyarrow and `datasets` are loaded with this module: import it only where rows are written.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from prbgen.publication.features import arrow_schema

GROUP_ROWS = 100
GROUP_BYTES = 8 << 20

# Spelled out, so that the same rows give the same bytes whatever a release of pyarrow takes as its default.
_OPTIONS: dict[str, Any] = {
    "version": "2.6",
    "data_page_version": "1.0",
    "compression": "zstd",
    "compression_level": 3,
    "write_page_index": True,
}


class ParquetFiles:
    """The Parquet files of one dataset, opened as rows for them come, closed together.

    Rows are of `schema` (null: that of pairs). A row group has at most `GROUP_ROWS` rows, fewer where they come to
    `GROUP_BYTES`.
    """

    def __init__(self, schema: pa.Schema | None = None) -> None:
        self._schema = arrow_schema() if schema is None else schema
        self._open: dict[Path, _ParquetFile] = {}
        self._stack = ExitStack()

    def add(self, path: Path, row: dict[str, Any], size: int) -> None:
        """Append a row, with `size` characters of text or so, to the file at `path`.

        Raises:
            OSError: the file cannot be written.
        """
        if path not in self._open:
            path.parent.mkdir(parents=True, exist_ok=True)
            writer = self._stack.enter_context(pq.ParquetWriter(path, self._schema, **_OPTIONS))
            self._open[path] = _ParquetFile(writer, self._schema)
        self._open[path].add(row, size)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._stack:
            if error is None:
                for file in self._open.values():
                    file.flush()


class _ParquetFile:
    def __init__(self, writer: pq.ParquetWriter, schema: pa.Schema) -> None:
        self._writer = writer
        self._schema = schema
        self._rows: list[dict[str, Any]] = []
        self._bytes = 0

    def add(self, row: dict[str, Any], size: int) -> None:
        self._rows.append(row)
        self._bytes += size
        if len(self._rows) >= GROUP_ROWS or self._bytes >= GROUP_BYTES:
            self.flush()

    def flush(self) -> None:
        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, schema=self._schema))
            self._rows, self._bytes = [], 0
