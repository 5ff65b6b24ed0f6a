"""A large file is never held in memory: measured in a process of its own, over what the libraries take."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.sources.lamp_rows import post, row

ROWS, POSTS, MEGABYTES = 400, 120, 60
MOST = 30  # megabytes more than before; Parquet's reader keeps some pages for later use

MEASURE = """
import resource, sys
import numpy, pyarrow.parquet, rapidfuzz
from prbgen.recipe import SourceSettings
from prbgen.sources import read_pairs, read_questions

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1 << 20 if sys.platform == "darwin" else 1 << 10)

before = peak()
what, path = sys.argv[1:]
rows = read_pairs(path) if what == "pairs" else read_questions(SourceSettings(path=path))
read = sum(len(row.profile) for row in rows)
print(read, peak() - before)
"""


def big_row(number: int) -> dict[str, Any]:
    texts = (f"{number} {each} " + f"words about {each + number} " * 82 for each in range(POSTS))
    profile = [post(f"{number}_{each}", text) for each, text in enumerate(texts)]
    return row(str(number), chosen="yes", rejected="no", profile=profile)


def write_big(path: Path) -> None:
    """A file of about 60 MB: one array, lines, or Parquet with all in one row group, as plain as it can be."""
    if path.suffix == ".parquet":
        table = pa.Table.from_pylist([big_row(number) for number in range(ROWS)])
        pq.write_table(table, path, compression="none", use_dictionary=False)
        return
    with gzip.open(path, "wt", 1) if path.suffix == ".gz" else path.open("w") as file:
        file.write("[" if path.name.startswith("array") else "")
        for number in range(ROWS):
            file.write(("," if number and path.name.startswith("array") else "") + json.dumps(big_row(number)) + "\n")
        file.write("]" if path.name.startswith("array") else "")


FILES = ["array.json", "lines.jsonl", "array.json.gz", "table.parquet"]


@pytest.mark.parametrize(
    ("what", "name"), [*(("questions", name) for name in FILES), ("pairs", "lines.jsonl"), ("pairs", "table.parquet")]
)
def test_a_large_file_is_not_held_in_memory(tmp_path: Path, what: str, name: str) -> None:
    path = tmp_path / name
    write_big(path)
    assert name.endswith(".gz") or path.stat().st_size > MEGABYTES << 20
    command = [sys.executable, "-c", MEASURE, what, str(path)]
    result = subprocess.run(command, env={"PYTHONPATH": ":".join(sys.path)}, capture_output=True, text=True, check=True)
    posts, more = map(int, result.stdout.split())
    assert posts == ROWS * POSTS
    assert more < MOST
