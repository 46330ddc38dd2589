"""Where runs and notebook operations are kept."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from jupyter_core.paths import jupyter_data_dir

from notebook_bcc_ext.adapters.store.database import Database
from notebook_bcc_ext.adapters.store.operation_log import OperationLog
from notebook_bcc_ext.adapters.store.owner_mark import OwnerMark
from notebook_bcc_ext.adapters.store.runs import SqliteRunStore, StoreLimits
from notebook_bcc_ext.adapters.store.upkeep import Retention, StoreUpkeep
from notebook_bcc_ext.errors import StoreError
from notebook_bcc_ext.settings.names import Settings


def default_store_path() -> Path:
    return Path(jupyter_data_dir()) / "notebook_bcc" / "runs.db"


@dataclass
class Storage:
    database: Database
    log: OperationLog
    runs: SqliteRunStore
    upkeep: StoreUpkeep
    retention: Retention
    mark: OwnerMark

    @classmethod
    async def open(
        cls, path: Path | None = None, *, place: str = "", settings: Settings | None = None
    ) -> Storage:
        """`place` names the folder of notebooks: runs in it are ours to take up."""
        database = Database(path or default_store_path())
        mark = OwnerMark(database.path)
        try:
            await database.open()
            await asyncio.to_thread(mark.take)
        except (OSError, sqlite3.Error) as error:
            await database.close()
            raise StoreError(
                f"the folder of the run store {database.path} cannot be used ({error}): check "
                "its rights and its space"
            ) from error
        except StoreError:
            await database.close()
            raise
        limits = settings or Settings()
        store = SqliteRunStore(database, _store_limits(limits), place=place, owner=mark.id)
        return cls(
            database,
            OperationLog(database),
            store,
            StoreUpkeep(database, place, mark.id),
            _retention(limits),
            mark,
        )

    def keep(self, settings: Settings) -> None:
        """As much as is set now."""
        self.runs.limits = _store_limits(settings)
        self.retention = _retention(settings)

    @property
    def notice(self) -> str | None:
        """What the person should know about the store, e.g. that a damaged one was set aside."""
        return "\n".join(self.database.notices) or None

    async def close(self) -> None:
        await self.database.close()
        self.mark.drop()


def _store_limits(settings: Settings) -> StoreLimits:
    return StoreLimits(
        calls=settings.keep_calls,
        call_bytes=settings.keep_call_bytes,
    )


def _retention(settings: Settings) -> Retention:
    return Retention(settings.keep_runs, settings.keep_days, settings.max_store_bytes)
