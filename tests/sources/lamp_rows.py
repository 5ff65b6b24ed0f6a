"""LaMP-QA rows to test with, and files of every kind to put them into."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

KINDS = ("json", "jsonl", "ndjson", "parquet")
SUFFIXES = tuple(kind + packed for kind in KINDS for packed in ("", ".gz"))

Row = dict[str, Any]


def post(name: str, text: str = "How long does sourdough keep?", category: str | None = "cooking") -> Row:
    return {"category": category, "id": name, "text": text}


def row(name: str, **changes: Any) -> Row:
    """A row that is in order, but for the changes."""
    return {
        "id": name,
        "question": f"What should I bake next, number {name}?",
        "profile": [post(f"{name}_0"), post(f"{name}_1", "Is rye harder than wheat?")],
        "rubric_aspects": [{"aspect": "No yeast", "evidence": "I have no yeast", "reason": "It is sold out"}],
        "narrative": "I have no yeast at home, and the shops are shut until Monday.",
        "category": "Lifestyle & Personal Development",
        **changes,
    }


def without(value: Row, *names: str) -> Row:
    return {name: each for name, each in value.items() if name not in names}


def content(rows: Sequence[Any], suffix: str) -> bytes:
    """The rows as the bytes of a file of this kind ("jsonl", "parquet.gz", ...)."""
    kind = suffix.removesuffix(".gz")
    if kind == "parquet":
        sink = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_pylist(list(rows)), sink)
        plain = sink.getvalue().to_pybytes()
    elif kind == "json":
        plain = json.dumps(rows, indent=1).encode()
    else:
        plain = "".join(json.dumps(each) + "\n" for each in rows).encode()
    return gzip.compress(plain) if suffix.endswith(".gz") else plain


def write(path: Path, rows: Sequence[Any]) -> Path:
    """Write the rows as the kind of file that the name asks for."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content(rows, path.name.partition(".")[2]))
    return path
