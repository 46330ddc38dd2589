"""A planner repeats its credentials wherever it can; what is kept or shown has none (P9)."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest

from tests.replay.recordings import bcc, exported, replay, sources
from tests.support.planner_answers import RUN, Reply, Stream, add, say
from tests.support.planner_server import ScriptedPlanner
from tests.support.real_server import RealServer

TOKEN = 't0k3n-8f1c"quoted"/+&=\\end'
KEY = "k3y-of-the-house"
PASSWORD = "p4ssw0rd-of-ada"
USERINFO_HEADER = "YWRhOnA0c3N3MHJkLW9mLWFkYQ=="
# The beginnings, which no way of quoting changes, and which half a secret still has.
FRAGMENTS = (TOKEN[:8], KEY[:8], PASSWORD[:8], USERINFO_HEADER[:8])


def echoing(planner, one_secret):
    """Its answers repeat what it was sent in every field that leads somewhere."""

    def sent(seen):
        names = ("Authorization", "X-Api-Key")
        return " ".join(value for name, value in seen.headers.items() if name in names)

    def plan(seen):
        steps = [{"id": "s1", "goal": sent(seen)}, {"id": "s2"}]
        return {
            "targetAchieved": False,
            "you_sent": dict(seen.headers),
            "context_update": {
                "variables": {"echo": sent(seen), sent(seen): 1, "deep": [{"x": sent(seen)}]},
                "todo_list": [sent(seen)],
                "workflow_update": {
                    "name": sent(seen),
                    "stages": [{"id": "a", "name": sent(seen), "steps": steps}],
                },
            },
        }

    def stream(seen):
        proposal = {
            "action": "update_stage_steps",
            "stage_id": "a",
            "updated_steps": [{"id": "s1"}, {"id": "s2", "goal": "new: " + sent(seen)}],
        }
        print_it = f"print({json.dumps(sent(seen))})"
        return Stream(
            {"behavior": {"id": "b", "target": sent(seen)}},
            f"debug: {sent(seen)}",
            "x" * 105 + one_secret + " on the edge of what is shown",
            {"no_action": sent(seen)},
            {"action": say(f"You sent {sent(seen)}", store_id=sent(seen))},
            {"action": add(print_it)},
            {"action": RUN},
            {"action": {"action": sent(seen)}},
            {"action": {"action": "exec", "codecell_id": sent(seen)}},
            {"action": proposal},
            {"action": say("the end of it")},
        )

    def feedback(seen):
        return {
            "targetAchieved": True,
            "context_update": {"effects_update": {"current": [sent(seen)]}},
        }

    planner.on("planning", lambda seen: Reply(500, {"error": sent(seen)}), state="IDLE")
    planner.on("planning", plan, state="IDLE")
    planner.on(
        "planning", lambda seen: {"behavior": {"id": "b", "target": sent(seen)}}, step="s1",
        state="STEP_RUNNING",
    )  # fmt: skip
    planner.on("generating", stream, step="s1")
    planner.on("planning", feedback, is_feedback=True, step="s1")
    planner.step("s2", behaviors=[[]])
    planner.on("generating", lambda seen: Reply(401, sent(seen)), step="s2")


def assert_no_secret(*places):
    """Bytes of files and texts; says in which it was, and what stands before it."""
    found = {}
    for name, content in places:
        data = content if isinstance(content, bytes) else str(content).encode()
        for fragment in FRAGMENTS:
            if (at := data.find(fragment.encode())) != -1:
                found[name] = data[max(0, at - 100) : at + len(fragment)]
    assert found == {}


def files_in(folder: Path):
    return [(file.name, file.read_bytes()) for file in folder.iterdir() if file.is_file()]


async def test_a_server_keeps_and_shows_no_secret(tmp_path):
    options = {
        "planner_token": TOKEN,
        "planner_headers": {"X-Api-Key": KEY},
        "log_level": "DEBUG",
        "on_action_error": "continue",
    }
    arguments = ("--debug",)
    async with ScriptedPlanner() as planner:
        echoing(planner, KEY)
        options["dslc_base_url"] = planner.url
        home = tmp_path / "server"
        async with RealServer(home, options=options, arguments=arguments) as server:
            run = await server.start_run(
                {"notebook": "run.ipynb", "planner": {"kind": "http", "url": planner.url}}
            )
            waiting = await server.until(run["id"], "waiting")
            asked = waiting["pending"]["id"]
            await server.command(run["id"], "confirm", proposal_id=asked)
            await server.until(run["id"], "failed")
            record = await exported(server, run["id"])
            shown = [
                (path, json.dumps(await server.get(path)))
                for path in ("runs", f"runs/{run['id']}/observation", "settings", "status")
            ]
            # Asked while the server is alive: it must not help that it tidies up when it stops.
            stored = files_in(home)
        cells = sources(home / "notebooks" / "run.ipynb")
        notebook = (home / "notebooks" / "run.ipynb").read_bytes()
    # It was really sent, and really came back.
    assert planner.requests[0].headers["Authorization"] == f"Bearer {TOKEN}"
    assert planner.requests[0].headers["X-Api-Key"] == KEY
    assert cells == ["You sent *** Bearer ***", 'print("*** Bearer ***")', "the end of it"]
    assert "runs.db" in [name for name, _ in stored]
    assert_no_secret(
        ("the export", json.dumps(record)),
        ("the notebook", notebook),
        ("the log", server.log),
        *shown,
        *stored,
        *files_in(home),
    )
    again = await replay(tmp_path / "again", record)
    assert again.code == 1
    assert sources(tmp_path / "again" / "again.ipynb") == cells


@pytest.mark.parametrize("kind", ["token and header", "user and password"])
async def test_the_command_line_keeps_and_shows_no_secret(tmp_path, kind):
    place = tmp_path / "work"
    settings = {"BCC_ON_ACTION_ERROR": "continue", "LOG_LEVEL": "DEBUG"}
    async with ScriptedPlanner() as planner:
        echoing(planner, PASSWORD if kind == "user and password" else KEY)
        address = planner.url
        if kind == "user and password":
            address = address.replace("//", f"//ada:{PASSWORD}@")
        else:
            headers = json.dumps({"X-Api-Key": KEY})
            settings |= {"BCC_PLANNER_TOKEN": TOKEN, "BCC_PLANNER_HEADERS": headers}
        run = ["run", "--planner", address, "--notebook", "out.ipynb", "--record", "run.json"]
        ended = await bcc(place, *run, "--approve", "yes", "--json", settings=settings)
    assert ended.code == 1, ended.err
    assert sources(place / "out.ipynb")[0] in ("You sent *** Bearer ***", "You sent Basic ***")
    store = files_in(place / "data" / "notebook_bcc")
    assert "runs.db" in [name for name, _ in store]
    assert_no_secret(("the output", ended.out + ended.err), *files_in(place), *store)


SPY = """
import os
from pathlib import Path
print("environment", os.environ.get("BCC_PLANNER_TOKEN"), os.environ.get("BCC_PLANNER_HEADERS"))
for process in ("self", os.getppid()):
    print("process", Path(f"/proc/{process}/environ").read_bytes())
"""
READER = "print('in a file:', open('found.txt').read())\nraise ValueError(open('found.txt').read())"


def spying(planner):
    planner.workflow({"a": ["s1"]})
    planner.step("s1", behaviors=[[add(SPY), RUN], [add(READER), RUN]])


def told(planner):
    return b"".join(seen.raw for seen in planner.requests)


def first_output(file):
    text: str = nbformat.read(file, as_version=4).cells[0].outputs[0].text
    return text


async def test_s2_a_planner_elsewhere_reads_no_secret_out_of_the_kernel(tmp_path):
    """Not out of the environment, nor the server's process, nor a file that holds one."""
    environment = {
        "DSLC_BASE_URL": f"http://ada:{PASSWORD}@127.0.0.1:9",
        "BCC_PLANNER_TOKEN": TOKEN,
        "BCC_PLANNER_HEADERS": json.dumps({"X-Api-Key": KEY}),
    }
    home = tmp_path / "server"
    notebooks = home / "notebooks"
    notebooks.mkdir(parents=True)
    (notebooks / "found.txt").write_text(f"{TOKEN} {KEY} {PASSWORD}")
    async with ScriptedPlanner() as planner, RealServer(home, environment=environment) as server:
        spying(planner)
        # A session of the person's own, begun in JupyterLab: the run works in its kernel.
        started = await server.ask(
            "POST",
            "/api/sessions",
            {"path": "run.ipynb", "name": "", "type": "notebook", "kernel": {"name": "python3"}},
        )
        assert started.status_code == 201, started.text
        run = await server.start_run(
            {"notebook": "run.ipynb", "planner": {"kind": "http", "url": planner.url}}
        )
        await server.until(run["id"], "failed")
        record = await exported(server, run["id"])
        observation = await server.get(f"runs/{run['id']}/observation")
    said = first_output(notebooks / "run.ipynb")
    assert said.startswith("environment None None\nprocess b")
    assert "in a file: ***" in json.dumps(observation)
    assert planner.requests
    assert "Authorization" not in planner.requests[0].headers
    assert_no_secret(
        ("the first output", said),
        ("the requests", told(planner)),
        ("the record", json.dumps(record)),
        ("the observation", json.dumps(observation)),
        ("the log", server.log),
    )


async def test_s2_a_kernel_of_the_command_line_has_no_secret(tmp_path):
    place = tmp_path / "work"
    place.mkdir()
    (place / "found.txt").write_text(f"{TOKEN} {KEY}")
    settings = {
        "BCC_PLANNER_TOKEN": TOKEN,
        "BCC_PLANNER_HEADERS": json.dumps({"X-Api-Key": KEY}),
    }
    async with ScriptedPlanner() as planner:
        spying(planner)
        settings["DSLC_BASE_URL"] = planner.url
        ended = await bcc(place, "run", "--notebook", "out.ipynb", "--json", settings=settings)
    assert ended.code == 1, ended.err
    assert planner.requests[0].headers["Authorization"] == f"Bearer {TOKEN}"
    said = first_output(place / "out.ipynb")
    assert said.startswith("environment None None\nprocess b")
    assert_no_secret(
        ("the first output", said),
        ("the requests", told(planner)),
        ("the terminal", ended.out + ended.err),
    )


async def test_s3_the_person_is_told_why_a_planner_answers_401(tmp_path):
    async with (
        ScriptedPlanner() as planner,
        RealServer(tmp_path / "server", environment={"BCC_PLANNER_TOKEN": TOKEN}) as server,
    ):
        planner.on("planning", Reply(401, {"error": "who are you"}), times=None)
        run = await server.start_run(
            {"notebook": "run.ipynb", "planner": {"kind": "http", "url": planner.url}}
        )
        view = await server.until(run["id"], "failed", "paused")
        changed = await server.ask("PATCH", "settings", {"dslc_base_url": planner.url})
        log = server.log
    assert all("Authorization" not in seen.headers for seen in planner.requests)
    assert "BCC_PLANNER_TOKEN is not sent to" in view["error"]["message"]
    assert "set DSLC_BASE_URL beside it" in view["error"]["message"]
    assert "is not sent to" in changed.json()["notices"][0]
    assert_no_secret(("the view", json.dumps(view)), ("the answer", changed.text), ("the log", log))


async def test_s10_a_folder_neither_redirects_the_token_nor_lowers_approval(tmp_path):
    """The `.env` of a cloned repository, and an unrelated one that is no such file at all."""
    home = tmp_path / "server"
    home.mkdir()
    async with ScriptedPlanner() as thief:
        (home / ".env").write_text(
            f"DSLC_BASE_URL={thief.url}\nBCC_APPROVAL=none\n"
            'KEY="-----BEGIN\nsecond line\n-----END"\nLOG_LEVEL=trace\n<not a line>\n'
        )
        server = RealServer(home, environment={"BCC_PLANNER_TOKEN": TOKEN})
        async with server:
            shown = (await server.get("settings"))["settings"]
            (home / ".env").write_text("BCC_APPROVAL=code\n")
            later = (await server.get("settings"))["settings"]
    assert shown["dslc_base_url"]["value"] is None
    assert shown["approval"] == {"value": "updates", "source": "default"}
    assert later == shown
    assert "may not say where it is sent" in server.log
    assert "may not lower it below" in server.log
    assert thief.requests == []


async def test_s10_a_wrong_value_keeps_no_extension_from_starting_and_no_server_from_ending(
    tmp_path,
):
    server = RealServer(tmp_path / "server", environment={"BCC_APPROVAL": "perhaps"})
    async with server:
        shown = await server.get("settings")
    assert shown["settings"]["approval"] == {"value": "updates", "source": "default"}
    assert "BCC_APPROVAL of the environment is not used: " in shown["notices"][0]
    assert "BCC_APPROVAL of the environment is not used: " in server.log
    assert "Traceback" not in server.log


NO_START = """
from notebook_bcc_ext.hosting import settings
def refuse(*_): raise RuntimeError("no extension today")
settings.SettingsService.__init__ = refuse
"""


async def test_s10_a_server_ends_although_something_kept_the_extension_from_starting(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(NO_START)
    server = RealServer(tmp_path / "server", environment={"PYTHONPATH": str(tmp_path)})
    async with server:
        assert (await server.ask("GET", "settings")).status_code == 404
    assert "no extension today" in server.log
    assert "KeyError" not in server.log


async def test_a_password_in_a_run_request_is_refused(tmp_path):
    """A request is stored and shown as it is."""
    async with RealServer(tmp_path / "server") as server:
        url = f"http://ada:{PASSWORD}@127.0.0.1:9"
        planner = {"kind": "http", "url": url}
        refused = await server.ask("POST", "runs", {"notebook": "a.ipynb", "planner": planner})
        assert refused.status_code == 400, refused.text
        assert "DSLC_BASE_URL" in refused.text
        changed = await server.ask("PATCH", "settings", {"dslc_base_url": url})
        assert changed.status_code == 400, changed.text
        stored = files_in(tmp_path / "server")
    answers = ("the answers", refused.text + changed.text)
    assert_no_secret(answers, ("the log", server.log), *stored)
