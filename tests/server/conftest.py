from __future__ import annotations

import json

import pytest

from tests.server.live_worlds import API, World


@pytest.fixture
def world(jp_serverapp, jp_ws_fetch, jp_asyncio_loop):
    world = World(jp_serverapp, jp_ws_fetch)
    yield world
    jp_asyncio_loop.run_until_complete(world.close())


@pytest.fixture
def post(jp_fetch):
    async def post(name, **body):
        response = await jp_fetch(API, "notebooks", name, method="POST", body=json.dumps(body))
        return json.loads(response.body)

    return post
