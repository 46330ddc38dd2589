from __future__ import annotations

import json

from notebook_bcc_ext import __version__


async def test_status_tells_version_and_state(jp_fetch):
    response = await jp_fetch("notebook-bcc", "api", "status")
    assert response.code == 200
    assert response.headers["Content-Type"].startswith("application/json")
    assert json.loads(response.body) == {"version": __version__, "state": "idle"}
