"""Where runs and notebook operations are kept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from jupyter_core.paths import jupyter_data_dir

from notebook_bcc_ext.adapters.operation_log import OperationLog
from notebook_bcc_ext.adapters.sqlite_database import Database
from notebook_bcc_ext.adapters.sqlite_store import SqliteRunStore


def default_store_path() -> Path:
    return Path(jupyter_data_dir()) / "notebook_bcc" / "runs.db"


@dataclass(frozen=True)
class Storage:
    database: Database
    log: OperationLog
    runs: SqliteRunStore

    @classmethod
    async def open(cls, path: Path | None = None) -> Storage:
        database = Database(path or default_store_path())
        await database.open()
        return cls(database, OperationLog(database), SqliteRunStore(database))

    async def close(self) -> None:
        await self.database.close()
