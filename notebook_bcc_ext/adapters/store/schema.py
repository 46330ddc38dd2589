"""The tables of the product's database, and how an older file becomes a current one.

A migration is a script that brings the schema from its position in the list to the next; a
released one is never edited, a change is a new entry at the end.
"""

from __future__ import annotations

import sqlite3

from notebook_bcc_ext.errors import StoreError

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE logs (
        log_id      TEXT PRIMARY KEY,
        place       TEXT NOT NULL UNIQUE,
        head_seq    INTEGER NOT NULL DEFAULT 0,
        flushed_seq INTEGER NOT NULL DEFAULT 0,
        anchor_id   TEXT,
        updated_at  REAL NOT NULL
    );
    CREATE TABLE operations (
        log_id TEXT NOT NULL REFERENCES logs (log_id) ON DELETE CASCADE,
        seq    INTEGER NOT NULL,
        bytes  INTEGER NOT NULL,
        body   TEXT NOT NULL,
        PRIMARY KEY (log_id, seq)
    ) WITHOUT ROWID;
    CREATE TABLE images (
        log_id  TEXT PRIMARY KEY REFERENCES logs (log_id) ON DELETE CASCADE,
        seq     INTEGER NOT NULL,
        content BLOB NOT NULL
    );
    CREATE TABLE runs (
        number   INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id   TEXT NOT NULL UNIQUE,
        snapshot TEXT NOT NULL,
        intent   TEXT
    );
    CREATE TABLE transitions (
        run_id TEXT NOT NULL,
        number INTEGER NOT NULL,
        record TEXT NOT NULL,
        PRIMARY KEY (run_id, number)
    ) WITHOUT ROWID;
    CREATE TABLE calls (
        run_id TEXT NOT NULL,
        number INTEGER NOT NULL,
        bytes  INTEGER NOT NULL,
        record TEXT NOT NULL,
        PRIMARY KEY (run_id, number)
    ) WITHOUT ROWID;
    CREATE TABLE proposals (
        id         TEXT PRIMARY KEY,
        run_id     TEXT NOT NULL,
        kind       TEXT NOT NULL,
        content    TEXT NOT NULL,
        decision   TEXT,
        decided_by TEXT,
        reason     TEXT,
        edited     TEXT
    ) WITHOUT ROWID;
    CREATE INDEX proposals_of_run ON proposals (run_id);
    """,
    """
    ALTER TABLE runs ADD COLUMN latest TEXT;
    CREATE TABLE trails (
        number INTEGER PRIMARY KEY,
        run_id TEXT NOT NULL,
        entry  TEXT NOT NULL
    );
    CREATE INDEX trail_of_run ON trails (run_id, number);
    """,
    """
    ALTER TABLE runs ADD COLUMN place TEXT;
    ALTER TABLE runs ADD COLUMN owner TEXT;
    ALTER TABLE runs ADD COLUMN updated_at REAL NOT NULL DEFAULT 0;
    UPDATE runs SET updated_at = strftime('%s', 'now');
    CREATE TABLE activity (
        run_id   TEXT NOT NULL,
        key      TEXT NOT NULL,
        revision INTEGER NOT NULL,
        record   TEXT NOT NULL,
        PRIMARY KEY (run_id, key)
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE runs ADD COLUMN state TEXT;
    ALTER TABLE runs ADD COLUMN notebook TEXT;
    CREATE TABLE facts (
        run_id TEXT NOT NULL,
        number INTEGER NOT NULL,
        kind   TEXT NOT NULL,
        body   TEXT NOT NULL,
        PRIMARY KEY (run_id, number)
    ) WITHOUT ROWID;
    """,
)


def is_json(column: str) -> str:
    """SQL for whether a column holds JSON."""
    return f"typeof({column}) = 'text' AND json_valid({column})"


def field_of(column: str, name: str) -> str:
    """SQL for one field of a column that holds JSON; NULL where it does not."""
    return f"CASE WHEN {is_json(column)} THEN json_extract({column}, '$.{name}') END"


def _refuse_newer(version: int, known: int) -> None:
    if version > known:
        raise StoreError(
            f"the run store has schema version {version}, this release knows up to "
            f"{known}: upgrade notebook-bcc-ext or choose another store file"
        )


def migrate(connection: sqlite3.Connection, migrations: tuple[str, ...] = MIGRATIONS) -> None:
    """Bring the database up to date. One transaction: a killed migration leaves the old schema."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)")
        row = connection.execute("SELECT version FROM schema_version").fetchone()
        version = 0 if row is None else int(row[0])
        _refuse_newer(version, len(migrations))
        for script in migrations[version:]:
            # executescript() would commit; the statements hold no ';' of their own.
            for statement in filter(str.strip, script.split(";")):
                connection.execute(statement)
        if version != len(migrations) or row is None:
            connection.execute("DELETE FROM schema_version")
            connection.execute("INSERT INTO schema_version VALUES (?)", (len(migrations),))
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
