from __future__ import annotations

import asyncio
import json

from notebook_bcc_ext import __version__
from notebook_bcc_ext.protocol.browser.live import Hello
from notebook_bcc_ext.server.live import LiveHandler


async def test_the_first_message_is_hello(jp_ws_fetch):
    socket = await jp_ws_fetch("notebook-bcc", "api", "live")
    message = json.loads(await asyncio.wait_for(socket.read_message(), 10))
    socket.close()
    assert message == {
        "type": "hello",
        "version": __version__,
        "state": "idle",
        "runs": [],
        "trouble": None,
    }
    assert Hello.model_validate(message).state == "idle"


async def test_a_browser_that_talks_is_not_thrown_out(jp_ws_fetch):
    socket = await jp_ws_fetch("notebook-bcc", "api", "live")
    await asyncio.wait_for(socket.read_message(), 10)
    await socket.write_message("anything")
    await asyncio.sleep(0.05)
    assert socket.close_code is None
    socket.close()


async def test_the_server_pings(jp_serverapp, jp_ws_fetch, monkeypatch):
    pongs = []
    monkeypatch.setattr(LiveHandler, "on_pong", lambda _handler, data: pongs.append(data))
    jp_serverapp.web_app.settings["ws_ping_interval"] = 20
    socket = await jp_ws_fetch("notebook-bcc", "api", "live")
    await asyncio.wait_for(socket.read_message(), 10)
    await asyncio.sleep(0.2)
    socket.close()
    assert pongs
