"""J4: the run and the browser use one kernel, also when both ask for it at once."""

import asyncio
import json


async def test_two_who_ask_at_once_get_the_same_session(jp_serverapp, jp_fetch, jp_root_dir):
    await jp_fetch("notebook-bcc", "api", "status")
    wanted = {"path": "a.ipynb", "name": "a", "type": "notebook", "kernel": {"name": "python3"}}
    manager = jp_serverapp.session_manager
    first, second, posted = await asyncio.gather(
        manager.create_session("a.ipynb", "a.ipynb", "notebook", "python3"),
        manager.create_session(path="a.ipynb", name="a", type="notebook", kernel_name="python3"),
        jp_fetch("api", "sessions", method="POST", body=json.dumps(wanted)),
    )
    sessions = await manager.list_sessions()
    kernels = {session["kernel"]["id"] for session in sessions}
    assert len(kernels) == 1
    assert second["kernel"]["id"] in kernels
    assert json.loads(posted.body)["kernel"]["id"] in kernels
    assert first["kernel"]["id"] in kernels


async def test_other_kinds_of_sessions_are_left_alone(jp_serverapp):
    manager = jp_serverapp.session_manager
    console = await manager.create_session(
        path="c", name="c", type="console", kernel_name="python3"
    )
    again = await manager.create_session(path="c", name="c", type="console", kernel_name="python3")
    assert console["kernel"]["id"] != again["kernel"]["id"]
