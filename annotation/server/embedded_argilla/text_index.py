"""Full text: the only thing that is kept beside Argilla's own tables, and SQLite keeps it by triggers in the same
transaction as the records. So it can't drift from them, whatever is killed when.

Words are found by FTS5 (case and accents do not matter). Scripts that are written without spaces between words are
looked up as parts of the text, by trigrams.
"""

# ruff: noqa: S608 (statements are put together from constants; what people write is always a value of a `?`)

from __future__ import annotations

import re
import sqlite3

from .query import Either, Every, Query, Term, Without, looked_for
from .sql import FALSE, TRUE, Sql, all_of, any_of, none_of

# Thai to Lao, Myanmar, Khmer, kana, Chinese characters (also of the further planes), Hangul.
_SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)

_TABLES = """
CREATE TABLE IF NOT EXISTS search_text(
    docid INTEGER PRIMARY KEY, record_id TEXT NOT NULL, field TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS search_text_record ON search_text(record_id);
CREATE VIRTUAL TABLE IF NOT EXISTS search_words USING fts5(
    text, content='search_text', content_rowid='docid', tokenize='unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE IF NOT EXISTS search_parts USING fts5(
    text, content='search_text', content_rowid='docid', tokenize='trigram');
"""

# A field is a text, a conversation (a list of objects) or whatever a custom field shows: all texts inside count.
_TEXT_OF = """
    INSERT INTO search_text(record_id, field, text)
    SELECT {record}.id, part.key, CASE part.type WHEN 'text' THEN part.value ELSE
        (SELECT group_concat(leaf.value, char(10)) FROM json_tree(part.value) leaf WHERE leaf.type = 'text') END AS text
    FROM {source} json_each({record}.fields) part
    WHERE {condition} part.type IN ('text', 'array', 'object') AND text <> '' AND NOT EXISTS (
        SELECT 1 FROM fields WHERE fields.dataset_id = {record}.dataset_id AND fields.name = part.key
        AND json_extract(fields.settings, '$.type') = 'image');
"""
_OF_NEW = _TEXT_OF.format(record="new", source="", condition="")
_OF_MISSING = _TEXT_OF.format(
    record="records", source="records,", condition="records.id NOT IN (SELECT record_id FROM search_text) AND"
)

_TRIGGERS = {
    "search_record_added": f"AFTER INSERT ON records BEGIN {_OF_NEW} END",
    "search_record_changed": f"""AFTER UPDATE OF fields ON records WHEN old.fields IS NOT new.fields
        BEGIN DELETE FROM search_text WHERE record_id = old.id; {_OF_NEW} END""",
    "search_record_deleted": "AFTER DELETE ON records BEGIN DELETE FROM search_text WHERE record_id = old.id; END",
    "search_words_added": """AFTER INSERT ON search_text
        BEGIN INSERT INTO search_words(rowid, text) VALUES (new.docid, new.text); END""",
    "search_words_deleted": """AFTER DELETE ON search_text
        BEGIN INSERT INTO search_words(search_words, rowid, text) VALUES ('delete', old.docid, old.text); END""",
    "search_parts_added": f"""AFTER INSERT ON search_text WHEN new.text GLOB '*[{_SPACELESS}]*'
        BEGIN INSERT INTO search_parts(rowid, text) VALUES (new.docid, new.text); END""",
    "search_parts_deleted": f"""AFTER DELETE ON search_text WHEN old.text GLOB '*[{_SPACELESS}]*'
        BEGIN INSERT INTO search_parts(search_parts, rowid, text) VALUES ('delete', old.docid, old.text); END""",
}


def install(connection: sqlite3.Connection) -> None:
    """Sets up the index in Argilla's migrated database, and takes in the records that are not in it.

    The triggers are made anew each time: a migration of Argilla's rebuilds tables and loses theirs.

    Raises:
        sqlite3.OperationalError: this SQLite has no FTS5 or no trigram tokenizer (it is older than 3.34).
    """
    anew = "DROP TRIGGER IF EXISTS {name}; CREATE TRIGGER {name} {text};"
    triggers = "".join(anew.format(name=name, text=text) for name, text in _TRIGGERS.items())
    orphans = "DELETE FROM search_text WHERE record_id NOT IN (SELECT id FROM records);"
    try:
        connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} {triggers} {orphans} {_OF_MISSING} COMMIT;")
    except sqlite3.Error:
        if connection.in_transaction:
            connection.rollback()
        raise


def matches(query: Query | None, field: str | None = None) -> Sql:
    """A condition on the records `r`: their text, or that of one field, is what the query asks for."""
    match query:
        case None:
            return FALSE
        case Term():
            rows, of_field = _rows(query), _of_field(field)
            return Sql(
                f"r.id IN (SELECT t.record_id FROM ({rows.text}) m JOIN search_text t ON t.docid = m.docid"
                f" WHERE {of_field.text})",
                rows.values + of_field.values,
            )
        case Without(part):
            return none_of(matches(part, field))
        case Every(parts):
            return all_of(matches(part, field) for part in parts)
        case Either(parts):
            return any_of(matches(part, field) for part in parts)


def relevance(query: Query, field: str | None = None) -> Sql | None:
    """A table of `record_id` and `score` (higher is better); None if the query has no words to weigh."""
    words = " OR ".join(_fts(term) for term in looked_for(query) if not _is_part(term))
    if not words:
        return None
    of_field = _of_field(field)
    return Sql(
        "SELECT t.record_id, sum(m.score) AS score FROM"
        " (SELECT rowid AS docid, -rank AS score FROM search_words WHERE search_words MATCH ?) m"
        f" JOIN search_text t ON t.docid = m.docid WHERE {of_field.text} GROUP BY t.record_id",
        (words, *of_field.values),
    )


def _rows(term: Term) -> Sql:
    if _is_part(term):
        # `_` stands for one character. Trigrams know nothing of what is shorter than three: all texts are gone through.
        pattern = term.text.replace("%", "_")
        indexed = any(len(piece) >= 3 for piece in pattern.split("_"))
        texts = "search_parts" if indexed else "search_text"
        return Sql(f"SELECT rowid AS docid FROM {texts} WHERE text LIKE ?", (f"%{pattern}%",))
    return Sql("SELECT rowid AS docid FROM search_words WHERE search_words MATCH ?", (_fts(term),))


def _fts(term: Term) -> str:
    quoted = term.text.replace('"', " ")
    return f'"{quoted}"' + "*" * term.prefix


def _of_field(field: str | None) -> Sql:
    return TRUE if field is None else Sql("t.field = ?", (field,))


def _is_part(term: Term) -> bool:
    return re.search(f"[{_SPACELESS}]", term.text) is not None
