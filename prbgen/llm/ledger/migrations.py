"""The tables of the ledger, and how older ones become the present ones."""

import sqlite3

# The number of a migration is its place in this list; a published one never changes.
MIGRATIONS = (
    """
    CREATE TABLE attempts (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL,           -- fingerprint of the call
        stage TEXT NOT NULL,         -- what it was for: rubric, answer, ...
        item TEXT NOT NULL,          -- the question that it was for
        model TEXT NOT NULL,
        corrective INTEGER NOT NULL, -- 1: shows the model what was wrong with its reply
        outcome TEXT NOT NULL,       -- stop, length, filtered, or the kind of fault
        reply TEXT,                  -- null: none came
        error TEXT,
        usage TEXT NOT NULL,         -- the provider's own record, as JSON
        cost_usd REAL,               -- null: unknown
        started TEXT NOT NULL,       -- UTC
        seconds REAL NOT NULL
    );
    CREATE INDEX answered ON attempts (key) WHERE reply IS NOT NULL;
    """,
    # outcome may now also be "sent" (on its way) and "lost" (it was, when the process died).
    """
    ALTER TABLE attempts ADD COLUMN at_most_tokens INTEGER; -- what it may take, known before it is sent
    ALTER TABLE attempts ADD COLUMN at_most_usd REAL;       -- null: unknown
    ALTER TABLE attempts ADD COLUMN submission TEXT;        -- the batch that it went out with, null: none
    CREATE INDEX on_the_way ON attempts (submission, key) WHERE outcome = 'sent';
    CREATE TABLE batches (
        submission TEXT PRIMARY KEY, -- our name for it, made before it is submitted
        provider TEXT NOT NULL,
        model TEXT NOT NULL,
        submitted TEXT NOT NULL,     -- UTC
        batch TEXT,                  -- the provider's name for it, null: not known to have arrived
        ended TEXT                   -- how it ended, null: not collected yet
    );
    """,
)


def version_of(connection: sqlite3.Connection) -> int:
    """How many migrations a file has had; 0: it is no ledger, or a new one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the tables of a ledger up to the present version; an empty file gets them all."""
    present = version_of(connection)
    for number, statements in enumerate(MIGRATIONS[present:], present + 1):
        connection.executescript(f"BEGIN; {statements} PRAGMA user_version = {number}; COMMIT;")
