from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prbgen.publication.features import COLUMNS, arrow_schema, features
from prbgen.publication.parquet import GROUP_BYTES, GROUP_ROWS, ParquetFiles
from prbgen.publication.stage import stage
from prbgen.schema import Pair, Post, RubricAspect

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
maybe = st.none() | texts
posts = st.builds(Post, category=maybe, id=texts, text=texts)
aspects = st.builds(RubricAspect, aspect=texts, evidence=maybe, reason=maybe)
columns = st.fixed_dictionaries(
    {
        "question": texts,
        "profile": st.lists(posts, max_size=3).map(tuple),
        "rubric_aspects": st.lists(aspects, max_size=3).map(tuple),
        "narrative": maybe,
        "category": maybe,
        "chosen": texts,
        "rejected": texts,
        "generator": texts,
    }
)


def test_pyarrow_and_pandas_read_what_datasets_reads(
    varied_pairs: list[Pair], write_pairs: Callable[[Iterable[Pair]], Path]
) -> None:
    path = write_pairs(varied_pairs)
    stage(path, path.parent / "dataset")
    file = path.parent / "dataset/data/Art_and_Entertainment/test_unvalidated.parquet"
    expected = [pair.model_dump(mode="json", include=set(COLUMNS)) for pair in varied_pairs[:3]]
    assert pq.read_table(file).to_pylist() == expected
    frame = pd.read_parquet(file)
    assert list(frame.columns) == list(COLUMNS)
    assert frame["chosen"].tolist() == [pair.chosen for pair in varied_pairs[:3]]
    assert frame["profile"][0][0] == varied_pairs[0].profile[0].model_dump()


def test_files_carry_types_but_no_note_that_older_datasets_could_not_read(
    make_pair: Callable[..., Pair], write_pairs: Callable[[Iterable[Pair]], Path]
) -> None:
    path = write_pairs([make_pair(0, narrative=None)])
    stage(path, path.parent / "dataset")
    schema = pq.read_schema(path.parent / "dataset/data/Art_and_Entertainment/test_unvalidated.parquet")
    assert schema.metadata is None
    assert schema.equals(arrow_schema())
    assert [field.name for field in schema.field("profile").type.value_type] == ["category", "id", "text"]
    assert [field.name for field in schema.field("rubric_aspects").type.value_type] == ["aspect", "evidence", "reason"]


def test_the_schema_alone_gives_the_features_back() -> None:
    from datasets import Features

    assert Features.from_arrow_schema(arrow_schema()) == features()


@pytest.mark.parametrize(
    ("size", "groups"),
    [(1, [GROUP_ROWS, GROUP_ROWS, 50]), (GROUP_BYTES // 4, [4] * 62 + [2]), (GROUP_BYTES, [1] * 250)],
)
def test_row_groups_are_bounded_in_rows_and_bytes(tmp_path: Path, size: int, groups: list[int]) -> None:
    with ParquetFiles() as files:
        for number in range(250):
            files.add(tmp_path / "x.parquet", {"id": str(number)}, size)
    written = pq.ParquetFile(tmp_path / "x.parquet")
    assert [written.metadata.row_group(each).num_rows for each in range(written.num_row_groups)] == groups
    assert written.read(columns=["id"])["id"].to_pylist() == [str(number) for number in range(250)]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(columns, min_size=1, max_size=3))
def test_any_text_comes_back_from_parquet_as_it_was(make_pair: Callable[..., Pair], rows: list[dict[str, Any]]) -> None:
    pairs = [make_pair(number, pair_id=str(number), **row) for number, row in enumerate(rows)]
    with TemporaryDirectory() as place:
        path = Path(place) / "pairs.jsonl"
        path.write_text("".join(pair.model_dump_json() + "\n" for pair in pairs), encoding="utf-8", newline="\n")
        stage(path, Path(place) / "dataset")
        table = pq.read_table(Path(place) / "dataset/data/Art_and_Entertainment/test_unvalidated.parquet")
    assert table.to_pylist() == [pair.model_dump(mode="json", include=set(COLUMNS)) for pair in pairs]


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(row=columns)
def test_any_text_comes_back_from_datasets_as_it_was(
    make_pair: Callable[..., Pair], load: Callable[..., Any], row: dict[str, Any]
) -> None:
    pair = make_pair(**row)
    with TemporaryDirectory() as place:
        path = Path(place) / "pairs.jsonl"
        path.write_text(pair.model_dump_json() + "\n", encoding="utf-8", newline="\n")
        stage(path, Path(place) / "dataset")
        loaded = load(Path(place) / "dataset", split="test_unvalidated").to_list()
    assert loaded == [pair.model_dump(mode="json", include=set(COLUMNS))]
