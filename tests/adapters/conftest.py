"""Worlds with a notebook in them; see `tests/support/notebook_worlds.py`."""

from __future__ import annotations

import pytest

from tests.support.notebook_worlds import MANAGERS, ContentsWorld


@pytest.fixture
def make_world(tmp_path, monkeypatch, jp_asyncio_loop):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    made = []

    def make(kind):
        made.append(ContentsWorld(kind, tmp_path))
        return made[-1]

    yield make
    for world in made:
        jp_asyncio_loop.run_until_complete(world.stop())


@pytest.fixture(params=list(MANAGERS))
def world(request, make_world):
    return make_world(request.param)


@pytest.fixture(params=["files", "async files"])
def file_world(request, make_world):
    return make_world(request.param)
