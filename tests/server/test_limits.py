"""How much a page may send, and how many runs it may start."""

from __future__ import annotations

import json

import pytest

from notebook_bcc_ext.server.handlers import BccHandler
from notebook_bcc_ext.server.routes import ROUTES
from notebook_bcc_ext.settings.names import MIB
from tests.server.test_runs import API, Api
from tests.support.planner_answers import say
from tests.support.planner_server import ScriptedPlanner

LIMIT = 4 * MIB
UNLIMITED = ["notebooks/save"]
"""Takes a whole notebook, as large as Jupyter itself takes it."""


@pytest.fixture
def api(jp_fetch, jp_root_dir):
    (jp_root_dir / "work").mkdir()
    return Api(jp_fetch)


def test_only_saves_of_notebooks_have_no_limit_of_their_own():
    free = [
        pattern
        for pattern, handler in ROUTES
        if issubclass(handler, BccHandler) and handler.max_body_bytes is None
    ]
    assert [pattern.removeprefix(f"/{API}/").removesuffix("/?") for pattern in free] == UNLIMITED


@pytest.mark.parametrize(
    "path", ["runs", "runs/x/commands", "planner-checks", "notebooks/check", "notebooks/pull"]
)
async def test_a_body_beyond_the_limit_is_a_clear_413(api, path):
    status, answer = await api.refusal(*path.split("/"), body={"goal": "x" * LIMIT})
    assert status == 413
    assert answer["error"] == "TooLargeError"
    assert "4,194,304 are allowed" in answer["message"]


async def test_settings_beyond_the_limit_are_refused_and_nothing_changes(api, jp_fetch):
    before = await api.get("settings")
    response = await jp_fetch(
        API, "settings", method="PATCH", body=json.dumps({"notebook_id": "x" * LIMIT}),
        raise_error=False,
    )  # fmt: skip
    assert response.code == 413
    assert await api.get("settings") == before


class TestCountOfRuns:
    @pytest.fixture
    def jp_server_config(self, jp_server_config):
        jp_server_config["NotebookBccApp"] = {"options": {"max_active_runs": 2}}
        return jp_server_config

    async def test_one_more_than_allowed_is_refused_until_another_ends(self, api):
        async with ScriptedPlanner() as planner:
            planner.workflow({"a": ["s1"]})
            planner.step("s1", behaviors=[[say("one")]])
            asked = {"approval": "behaviors"}
            runs = [
                await api.start(planner, notebook=f"work/{name}.ipynb", **asked) for name in "ab"
            ]
            for run in runs:
                await api.until(run["id"], "waiting")
            third = {
                "notebook": "work/c.ipynb",
                "planner": {"kind": "http", "url": planner.url},
                **asked,
            }
            status, answer = await api.refusal("runs", body=third)
            assert status == 409
            assert "max_active_runs allows 2; finish or cancel one" in answer["message"]
            first = runs[0]["id"]
            await api.post("runs", first, "commands", body={"command": "cancel"})
            await api.until(first, "cancelled")
            run = await api.post("runs", body=third)
            assert (await api.until(run["id"], "waiting"))["pending"] is not None
