"""The database file: who owns it, what happens when it is damaged, locked or newer."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
import time

import pytest

from notebook_bcc_ext.adapters.store.database import Database
from notebook_bcc_ext.adapters.store.runs import SqliteRunStore
from notebook_bcc_ext.adapters.store.schema import MIGRATIONS, migrate
from notebook_bcc_ext.errors import StoreError
from notebook_bcc_ext.protocol.browser.facts import EffectAdded
from notebook_bcc_ext.protocol.states import State

REQUEST = {"notebook": "a.ipynb"}


def words(store, run_id, number, text="said"):
    facts = [EffectAdded(text=text)]
    return store.post_facts(run_id, number, facts, State.IDLE, "a.ipynb")


async def stored(store):
    return [run.run_id for run in await store.runs()]


async def test_only_the_owner_may_read_the_file(tmp_path):
    database = Database(tmp_path / "new" / "folder" / "runs.db")
    await SqliteRunStore(database).add_run("r", REQUEST)
    files = list(database.path.parent.iterdir())
    assert database.path in files
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    await database.close()


async def test_what_was_stored_is_there_after_reopening(tmp_path):
    path = tmp_path / "runs.db"
    for expected in ([], ["said"]):
        database = Database(path)
        store = SqliteRunStore(database)
        assert [fact.text for fact in await store.facts("r")] == expected
        assert (await store.run("r") is not None) == bool(expected)
        await store.add_run("r", REQUEST)
        words(store, "r", 1)
        # Nobody waits for it: it is stored all the same.
        await database.close()
        assert database.notices == []


async def test_a_damaged_file_is_set_aside(tmp_path):
    path = tmp_path / "runs.db"
    path.write_bytes(b"this is not a database at all" * 100)
    database = Database(path)
    await database.open()
    await SqliteRunStore(database).add_run("r", REQUEST)
    [aside] = tmp_path.glob("runs.db.damaged-*")
    assert aside.read_bytes().startswith(b"this is not")
    assert aside.name in str(database.notices)
    await database.close()


async def test_a_file_damaged_in_the_middle_is_set_aside(tmp_path):
    path = tmp_path / "runs.db"
    database = Database(path)
    store = SqliteRunStore(database)
    for number in range(200):
        await store.add_run(f"r{number}", {**REQUEST, "goal": "x" * 500})
    await database.close()
    content = bytearray(path.read_bytes())
    content[4096:60_000] = b"\xff" * (60_000 - 4096)
    path.write_bytes(content)
    database = Database(path)
    assert await SqliteRunStore(database).runs() == []
    assert "damaged" in str(database.notices)
    await database.close()


async def test_a_newer_schema_is_refused_and_kept(tmp_path):
    path = tmp_path / "runs.db"
    database = Database(path)
    await database.open()
    await database.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE schema_version SET version = 99")
    connection.close()
    database = Database(path)
    with pytest.raises(StoreError, match="upgrade notebook-bcc-ext"):
        await database.open()
    with pytest.raises(StoreError, match="upgrade notebook-bcc-ext"):
        await SqliteRunStore(database).runs()
    await database.close()
    assert [file.name for file in tmp_path.iterdir()] == ["runs.db"]


async def test_an_older_schema_is_migrated(tmp_path):
    connection = sqlite3.connect(tmp_path / "runs.db", isolation_level=None)
    migrate(connection)
    connection.execute("INSERT INTO runs (run_id, snapshot) VALUES ('r', '{}')")
    migrate(connection, (*MIGRATIONS, "ALTER TABLE runs ADD COLUMN colour TEXT DEFAULT 'red'"))
    assert connection.execute("SELECT run_id, colour FROM runs").fetchall() == [("r", "red")]
    assert connection.execute("SELECT version FROM schema_version").fetchall() == [
        (len(MIGRATIONS) + 1,)
    ]
    connection.close()


async def test_a_failed_migration_changes_nothing(tmp_path):
    connection = sqlite3.connect(tmp_path / "runs.db", isolation_level=None)
    migrate(connection)
    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, (*MIGRATIONS, "CREATE TABLE extra (x); SELECT nonsense FROM nowhere"))
    tables = connection.execute("SELECT name FROM sqlite_master WHERE name = 'extra'").fetchall()
    assert tables == []
    migrate(connection)
    connection.close()


async def test_a_lock_of_another_process_is_named(tmp_path):
    path = tmp_path / "runs.db"
    database = Database(path, busy_timeout_s=0.05)
    await database.open()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store = SqliteRunStore(database)
    with pytest.raises(StoreError, match="another process keeps it locked"):
        await store.add_run("r", REQUEST)
    # Whoever only reads is answered, also together with a write that fails.
    written, listed = await asyncio.gather(
        store.add_run("r", REQUEST), store.runs(), return_exceptions=True
    )
    assert isinstance(written, StoreError)
    assert listed == []
    other.execute("ROLLBACK")
    other.close()
    await store.add_run("r", REQUEST)
    await database.close()


async def test_nothing_is_stored_that_was_written_after_something_that_was_not(tmp_path):
    path = tmp_path / "runs.db"
    database = Database(path, busy_timeout_s=0.05)
    await database.open()
    store = SqliteRunStore(database)
    await store.add_run("r", REQUEST)
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    first = words(store, "r", 1)
    # The file is free again before the second of them could be tried on its own.
    first.add_done_callback(lambda _: other.execute("ROLLBACK"))
    with pytest.raises(StoreError, match="another process keeps it locked"):
        await store.add_run("other", REQUEST)
    assert isinstance(first.exception(), StoreError)
    assert await stored(store) == ["r"]
    assert await store.facts("r") == []
    other.close()
    await database.close()


async def test_what_is_gathered_while_something_before_it_fails_is_not_stored_either(tmp_path):
    path = tmp_path / "runs.db"
    database = Database(path, busy_timeout_s=0.05)
    await database.open()
    store = SqliteRunStore(database)
    await store.add_run("r", REQUEST)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    first = database.submit(lambda _: None)
    with store.together():
        second = words(store, "r", 2)
        # The loop stands still, so that it cannot have heard of it.
        while database._failure is None:
            time.sleep(0.01)  # noqa: ASYNC251
        third = words(store, "r", 3)
        other.execute("ROLLBACK")
    for posted in (first, second, third):
        with pytest.raises(StoreError, match="another process keeps it locked"):
            await store.committed(posted)
    assert await store.facts("r") == []
    other.close()
    await database.close()


async def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("in the way")
    database = Database(tmp_path / "file" / "runs.db")
    with pytest.raises(StoreError, match=r"the run store .*runs\.db failed"):
        await database.open()
    await database.close()


async def test_a_bad_job_does_not_harm_its_neighbours(tmp_path):
    database = Database(tmp_path / "runs.db")
    store = SqliteRunStore(database)

    def fail(connection):
        connection.execute("INSERT INTO runs (run_id, snapshot) VALUES ('bad', '{}')")
        raise ValueError("mine")

    results = await asyncio.gather(
        store.add_run("a", REQUEST),
        database.write(fail),
        store.add_run("b", REQUEST),
        return_exceptions=True,
    )
    assert [type(result) for result in results] == [type(None), ValueError, type(None)]
    assert sorted(await stored(store)) == ["a", "b"]
    await database.close()


async def test_a_closed_database_says_so(tmp_path):
    database = Database(tmp_path / "runs.db")
    store = SqliteRunStore(database)
    pending = asyncio.ensure_future(store.add_run("r", REQUEST))
    await asyncio.sleep(0)
    await database.close()
    await pending
    await database.close()
    with pytest.raises(StoreError, match="is closed"):
        await store.add_run("r", REQUEST)


async def test_who_stops_waiting_does_not_undo(tmp_path):
    database = Database(tmp_path / "runs.db")
    store = SqliteRunStore(database)
    saving = asyncio.ensure_future(store.add_run("r", REQUEST))
    await asyncio.sleep(0)
    saving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await saving
    assert await stored(store) == ["r"]
    await database.close()


async def test_s13_a_link_in_the_place_of_the_store_is_not_followed(tmp_path):
    target = tmp_path / "somebody's"
    target.write_text("keep me")
    target.chmod(0o644)
    link = tmp_path / "runs.db"
    link.symlink_to(target)
    database = Database(link)
    with pytest.raises(StoreError, match="symbolic link, which is not followed"):
        await database.open()
    await database.close()
    assert (target.read_text(), target.stat().st_mode & 0o777) == ("keep me", 0o644)
