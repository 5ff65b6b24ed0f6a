"""The full text index on the two tables of Argilla's that it looks at."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator

import pytest
from embedded_argilla.query import parse
from embedded_argilla.text_index import install, matches, relevance
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

TABLES = """
CREATE TABLE records(id TEXT PRIMARY KEY, dataset_id TEXT, fields JSON);
CREATE TABLE fields(dataset_id TEXT, name TEXT, settings JSON);
"""


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    with sqlite3.connect(":memory:", isolation_level=None) as connection:
        connection.executescript(TABLES)
        install(connection)
        yield connection
    connection.close()


def add(database: sqlite3.Connection, record_id: str, **fields: object) -> None:
    database.execute("INSERT INTO records VALUES (?, 'd', ?)", (record_id, json.dumps(fields)))


def found(database: sqlite3.Connection, text: str, field: str | None = None) -> set[str]:
    condition = matches(parse(text), field)
    rows = database.execute(f"SELECT r.id FROM records r WHERE {condition.text}", condition.values)
    return {record_id for (record_id,) in rows}


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("tofu", {"1", "3"}),
        ("TOFU", {"1", "3"}),
        ("tof", set()),
        ("tof*", {"1", "3"}),
        ("cafe", {"2"}),
        ("tofu rice", {"1"}),
        ('"brown rice"', {"1", "2"}),
        ('"rice brown"', set()),
        ("tofu | café", {"1", "2", "3"}),
        ("rice -tofu", {"2"}),
        ("-tofu", {"2"}),
        ("???", set()),
    ],
)
def test_words_are_found(database: sqlite3.Connection, text: str, ids: set[str]) -> None:
    add(database, "1", question="How do I fry tofu?", answer="With brown rice.")
    add(database, "2", question="A café with brown rice?", answer=None)
    add(database, "3", question="Tofu!", answer="")
    assert found(database, text) == ids


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("豆腐", {"ja"}),
        ("腐", {"ja"}),
        ("東京都", {"ja"}),
        ("人工智能", {"zh"}),
        ("智能", {"zh"}),
        ("人智", set()),
        ("สวัสดี", {"th"}),
        ("두부", {"ko"}),
        ("東京 -豆腐", set()),
        ("model 智能", {"zh"}),
        ("100%腐", set()),
    ],
)
def test_scripts_without_spaces_are_found_inside_the_text(
    database: sqlite3.Connection, text: str, ids: set[str]
) -> None:
    add(database, "ja", question="東京都で豆腐を買う")
    add(database, "zh", question="什么是人工智能 model？")
    add(database, "th", question="ครับสวัสดีครับ")
    add(database, "ko", question="순두부찌개")
    assert found(database, text) == ids


def test_one_field_conversations_and_objects_are_searched(database: sqlite3.Connection) -> None:
    add(
        database, "1", question="tofu", chat=[{"role": "user", "content": "salmon"}], pair={"a": "walnut", "b": ["fig"]}
    )
    assert found(database, "tofu", "question") == {"1"}
    assert found(database, "tofu", "chat") == set()
    assert found(database, "salmon", "chat") == {"1"}
    assert found(database, "walnut fig tofu") == {"1"}
    assert found(database, "walnut tofu", "pair") == set()


def test_images_are_not_searched(database: sqlite3.Connection) -> None:
    database.execute("""INSERT INTO fields VALUES ('d', 'picture', '{"type": "image"}')""")
    add(database, "1", question="tofu", picture="data:image/png;base64,tofu2")
    assert found(database, "tofu2") == set()


def test_better_matches_score_higher(database: sqlite3.Connection) -> None:
    add(database, "once", question="tofu and many other words about something else")
    add(database, "twice", question="tofu tofu", answer="tofu")
    add(database, "never", question="rice")
    scores = relevance(parse("tofu -fig") or pytest.fail("no query"))
    assert scores is not None
    ranked = dict(database.execute(scores.text, scores.values))
    assert ranked["twice"] > ranked["once"] > 0
    assert "never" not in ranked


def test_records_from_before_the_index_are_taken_in_and_lost_triggers_made_good() -> None:
    with sqlite3.connect(":memory:", isolation_level=None) as database:
        database.executescript(TABLES)
        add(database, "old", question="tofu")
        install(database)
        database.execute("DROP TRIGGER search_record_added")
        database.execute("DROP TRIGGER search_record_deleted")
        add(database, "unseen", question="tofu")
        database.execute("DELETE FROM records WHERE id = 'old'")
        install(database)
        assert found(database, "tofu") == {"unseen"}
        assert database.execute("SELECT record_id FROM search_text").fetchall() == [("unseen",)]
    database.close()


def test_what_is_rolled_back_was_never_there(database: sqlite3.Connection) -> None:
    database.execute("BEGIN")
    add(database, "1", question="tofu")
    database.execute("ROLLBACK")
    assert found(database, "tofu") == set()


texts = st.lists(st.sampled_from(["tofu", "rice", "豆腐", "東京", "fig", " "]), max_size=5).map(" ".join)
changes = st.lists(st.tuples(st.sampled_from(["put", "delete"]), st.sampled_from("abc"), texts), max_size=12)


@given(changes)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_after_any_changes_the_index_is_that_of_the_records(
    database: sqlite3.Connection, changes: list[tuple[str, str, str]]
) -> None:
    database.execute("DELETE FROM records")
    kept: dict[str, str] = {}
    for change, record_id, text in changes:
        if change == "delete":
            database.execute("DELETE FROM records WHERE id = ?", (record_id,))
            kept.pop(record_id, None)
        else:
            database.execute(
                "INSERT INTO records VALUES (?1, 'd', ?2) ON CONFLICT(id) DO UPDATE SET fields = excluded.fields",
                (record_id, json.dumps({"question": text})),
            )
            kept[record_id] = text
    for word in ("tofu", "rice", "豆腐", "京"):
        assert found(database, word) == {record_id for record_id, text in kept.items() if word in text}
    for table in ("search_words", "search_parts"):
        database.execute(f"INSERT INTO {table}({table}) VALUES ('integrity-check')")
