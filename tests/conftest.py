"""Fixtures that every test may use."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings

from notebook_bcc_ext.adapters.store.database import Database

# A busy machine is slow; that is not what the properties are about.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

pytest_plugins = ("pytest_jupyter.jupyter_server",)


@pytest.fixture
def jp_server_config() -> dict[str, Any]:
    return {"ServerApp": {"jpserver_extensions": {"notebook_bcc_ext": True}}}


@pytest.fixture
def database(tmp_path, jp_asyncio_loop):
    async def make() -> Database:
        return Database(tmp_path / "runs.db")

    made = jp_asyncio_loop.run_until_complete(make())
    yield made
    jp_asyncio_loop.run_until_complete(made.close())
