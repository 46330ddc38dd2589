"""J7: runs over REST, in a real Jupyter server with a real kernel and a planner on loopback."""

import asyncio
import json

import nbformat
import pytest
from tornado.httpclient import HTTPClientError

from tests.support.planner_answers import RUN, Reply, add, say
from tests.support.planner_server import ScriptedPlanner

API = "notebook-bcc/api"
HANG_GUARD = 60


class Api:
    """The REST calls as a browser would make them."""

    def __init__(self, fetch):
        self._fetch = fetch

    async def get(self, *path, **params):
        response = await self._fetch(API, *path, params=params)
        return json.loads(response.body)

    async def post(self, *path, body):
        response = await self._fetch(API, *path, method="POST", body=json.dumps(body))
        return json.loads(response.body)

    async def patch(self, *path, body):
        response = await self._fetch(
            API, *path, method="PATCH", body=json.dumps(body), allow_nonstandard_methods=True
        )
        return json.loads(response.body)

    async def refusal(self, *path, body=None):
        with pytest.raises(HTTPClientError) as caught:
            await (self.get(*path) if body is None else self.post(*path, body=body))
        return caught.value.code, json.loads(caught.value.response.body)

    async def start(self, planner, **fields):
        request = {"notebook": "work/a.ipynb", "planner": {"kind": "http", "url": planner.url}}
        return await self.post("runs", body={**request, **fields})

    async def until(self, run_id, *statuses):
        async with asyncio.timeout(HANG_GUARD):
            while True:
                view = await self.get("runs", run_id)
                if view["status"] in statuses:
                    return view
                await asyncio.sleep(0.05)


@pytest.fixture
def api(jp_fetch, jp_root_dir):
    (jp_root_dir / "work").mkdir()
    return Api(jp_fetch)


async def test_a_run_from_start_to_end(api, jp_root_dir, jp_serverapp):
    async with ScriptedPlanner() as planner:
        planner.workflow({"load": ["read"]})
        planner.step("read", behaviors=[[say("# Hello"), add("x = 6 * 7\nprint(x)"), RUN]])
        created = await api.start(planner, goal="look", variables={"depth": 2})
        assert created["notebook"] == "work/a.ipynb"
        view = await api.until(created["id"], "done", "failed", "paused")
        assert (view["state"], view["status"]) == ("workflow_completed", "done"), view["error"]
        assert view["progress"]["fraction"] == 1
        assert view["counts"]["cells_executed"] == 1

        notebook = nbformat.read(jp_root_dir / "work/a.ipynb", as_version=4)
        nbformat.validate(notebook)
        assert [cell.source for cell in notebook.cells] == ["# Hello", "x = 6 * 7\nprint(x)"]
        assert notebook.cells[1].outputs[0].text == "42\n"

        # J4: the kernel is the notebook's own session, the one the user sees.
        sessions = await jp_serverapp.session_manager.list_sessions()
        assert [session["path"] for session in sessions] == ["work/a.ipynb"]

        transitions = (await api.get("runs", created["id"], "transitions"))["transitions"]
        assert transitions[0]["event"] == "START_WORKFLOW"
        assert transitions[-1]["to"] == "workflow_completed"
        later = await api.get("runs", created["id"], "transitions", after="2", limit="1")
        assert [row["number"] for row in later["transitions"]] == [3]

        calls = (await api.get("runs", created["id"], "calls"))["calls"]
        assert [call["kind"] for call in calls][:4] == [
            "planning",
            "planning",
            "planning",
            "generating",
        ]
        assert '"depth": 2' in calls[0]["request"] or '"depth":2' in calls[0]["request"]

        observation = (await api.get("runs", created["id"], "observation"))["observation"]
        assert observation["context"]["variables"]["x"] == 42
        assert [run["id"] for run in (await api.get("runs"))["runs"]] == [created["id"]]
        assert (await api.get("status"))["state"] == "workflow_completed"


async def test_a_proposal_is_answered_by_a_command(api):
    steps = {"stage_id": "load", "updated_steps": [{"id": "read"}, {"id": "more"}]}
    async with ScriptedPlanner() as planner:
        planner.workflow({"load": ["read"]})
        planner.step("read", behaviors=[[{"action": "update_stage_steps", **steps}]])
        planner.step("more", behaviors=[[say("more")]])
        run = await api.start(planner)
        view = await api.until(run["id"], "waiting")
        assert view["allowed_commands"] == ["confirm", "reject", "cancel"]
        assert "UPDATE_STEP_CONFIRMED" in view["allowed_events"]
        path = ("runs", run["id"], "commands")

        code, body = await api.refusal(*path, body={"command": "resume"})
        assert code == 409
        assert body["allowed"] == ["confirm", "reject", "cancel"]
        assert "cannot resume: the run is waiting" in body["message"]
        code, body = await api.refusal(*path, body={"command": "confirm", "proposal_id": "other"})
        assert code == 409

        await api.post(*path, body={"command": "confirm", "proposal_id": view["pending"]["id"]})
        view = await api.until(run["id"], "done", "failed")
        assert view["status"] == "done"


async def test_one_notebook_takes_one_run_at_a_time(api):
    async with ScriptedPlanner() as planner:
        planner.workflow({"load": ["read"]})
        planner.step("read", behaviors=[[add("import time; time.sleep(60)"), RUN]])
        run = await api.start(planner)
        request = {
            "notebook": "work/a.ipynb",
            "planner": {"kind": "embedded", "playbook": "lifecycle"},
        }
        code, body = await api.refusal("runs", body=request)
        assert (code, body["error"]) == (409, "IllegalCommandError")
        view = await api.post("runs", run["id"], "commands", body={"command": "cancel"})
        assert (view["state"] in ("cancelled", "idle"), view["status"]) == (True, "cancelled")


async def test_a_planners_fault_is_the_runs_error_not_ours(api):
    async with ScriptedPlanner() as planner:
        planner.workflow({"load": ["read"]})
        planner.on("generating", Reply(404))
        planner.step("read", behaviors=[[say("x")]])
        planner.on("generate", Reply(418))
        run = await api.start(planner)
        view = await api.until(run["id"], "failed")
        assert "418" in view["error"]["message"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "required field 'planner' is missing"),
        ({"planner": {"kind": "embedded"}}, "set NOTEBOOK_ID"),
        ({"notebook": "a.ipynb"}, "required field 'planner' is missing"),
        ({"notebook": "a.ipynb", "planner": {"kind": "oracle"}}, "planner"),
        ({"notebook": "a.ipynb", "planner": {"kind": "http", "url": "ftp://x"}}, "dslc_base_url"),
        ({"notebook": "a.ipynb", "planner": {"kind": "embedded"}, "speed": 9}, "speed"),
    ],
)
async def test_a_wrong_request_is_a_clear_400(api, body, words):
    code, answer = await api.refusal("runs", body=body)
    assert code == 400
    assert words in answer["message"]


async def test_unknown_runs_and_playbooks_are_404(api):
    for path in ("", "transitions", "observation", "calls"):
        code, body = await api.refusal("runs", "nothing", *([path] if path else []))
        assert (code, body["error"]) == (404, "NotFoundError")
    request = {"notebook": "a.ipynb", "planner": {"kind": "embedded", "playbook": "nothing"}}
    code, body = await api.refusal("runs", body=request)
    assert code == 404
    assert "lifecycle" in body["message"]


async def test_playbooks_are_described_in_both_languages(api):
    english = (await api.get("playbooks"))["playbooks"][0]
    chinese = (await api.get("playbooks", language="zh"))["playbooks"][0]
    assert english["name"] == chinese["name"] == "lifecycle"
    assert english["title"] != chinese["title"]


async def test_settings_can_be_read_and_changed_but_no_secret_leaves(api, monkeypatch):
    settings = (await api.get("settings"))["settings"]
    assert settings["max_behaviors_per_step"] == {"value": 20, "source": "default"}
    changed = (await api.patch("settings", body={"max_behaviors_per_step": 5}))["settings"]
    assert changed["max_behaviors_per_step"] == {"value": 5, "source": "the JupyterLab settings"}
    with pytest.raises(HTTPClientError) as caught:
        await api.patch("settings", body={"planner_token": "s3cret-token"})
    assert caught.value.code == 400
    assert "s3cret-token" not in caught.value.response.body.decode()
    monkeypatch.setenv("BCC_PLANNER_TOKEN", "s3cret-token")
    assert "s3cret-token" not in json.dumps(await api.get("settings"))


async def test_page_numbers_are_checked(api):
    async with ScriptedPlanner() as planner:
        planner.workflow({"load": ["read"]})
        run = await api.start(planner)
        with pytest.raises(HTTPClientError) as caught:
            await api.get("runs", run["id"], "transitions", after="-1")
        assert caught.value.code == 400
        await api.until(run["id"], "done")
