"""J3 with jupyter-collaboration: a run writes into the room that people share, never under it."""

import asyncio
import gc
import time

import nbformat
import pytest
from nbformat.reader import NotJSONError
from pycrdt import Map

from notebook_bcc_ext.protocol.browser.notebook_ops import WIDGET_STATE
from tests.server.test_runs import Api
from tests.support.planner_answers import RUN, add, say
from tests.support.planner_server import ScriptedPlanner

HANG_GUARD = 60
NOTEBOOK = "a.ipynb"
READS_TRIED = 100

# Warnings of the packages behind the rooms are not ours to heal.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
def leftovers():
    """Streams that rooms leave open are complained about here, not in somebody else's test."""
    yield
    gc.collect()


@pytest.fixture
def save_delay():
    return 0.2


@pytest.fixture
def jp_server_config(save_delay, tmp_path):
    extensions = {"notebook_bcc_ext": True, "jupyter_server_ydoc": True}
    return {
        "ServerApp": {
            "jpserver_extensions": {**extensions, "jupyter_server_fileid": True},
        },
        "YDocExtension": {"document_save_delay": save_delay, "file_poll_interval": 0.2},
        "SQLiteYStore": {"db_path": str(tmp_path / "ystore.db")},
    }


class Shared:
    """A notebook in a room, as the browsers that share it see it."""

    def __init__(self, serverapp, root):
        self.collaboration = serverapp.web_app.settings["jupyter_server_ydoc"]
        self.file = root / NOTEBOOK
        self.document = None

    async def open(self):
        self.document = await self.collaboration.get_document(
            path=NOTEBOOK, content_type="notebook", file_format="json", copy=False, create=True
        )

    async def leave(self):
        """The last browser has gone, and the room with it, saved or not."""
        server = self.collaboration.ywebsocket_server
        (room,) = [room for room in server.rooms.values() if room._document is self.document]
        await server.delete_room(room=room)

    def cells(self):
        return self.document.get()["cells"]

    def sources(self):
        return [cell["source"] for cell in self.cells()]

    def index(self, source):
        return self.sources().index(source)

    async def until(self, condition):
        async with asyncio.timeout(HANG_GUARD):
            while True:
                if condition():
                    return
                await asyncio.sleep(0.02)

    def disk_sources(self):
        notebook = self._read()
        nbformat.validate(notebook)
        return [cell.source for cell in notebook.cells]

    def _read(self):
        for _ in range(READS_TRIED):
            try:
                return nbformat.read(self.file, as_version=4)
            except NotJSONError:
                # jupyter_server writes in place; we look in the middle of it.
                time.sleep(0.02)
        raise AssertionError(f"{self.file} stays unreadable")


@pytest.fixture
def shared(jp_serverapp, jp_root_dir):
    mine = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("mine")])
    nbformat.write(mine, jp_root_dir / NOTEBOOK)
    return Shared(jp_serverapp, jp_root_dir)


@pytest.fixture
def api(jp_fetch):
    return Api(jp_fetch)


async def test_cells_appear_in_the_room_and_what_people_type_stays(api, shared):
    await shared.open()
    hold = asyncio.Event()
    async with ScriptedPlanner() as planner:
        planner.workflow({"load": ["read"]})
        stream = [say("one"), say("two"), hold, add("print(6 * 7)"), RUN, say("three")]
        planner.step("read", behaviors=[stream])
        run = await api.start(planner, notebook=NOTEBOOK)
        await shared.until(lambda: "two" in shared.sources())
        # People type, and delete a cell of ours; the room has saved nothing of it yet.
        shared.document.set_cell(shared.index("mine"), source="mine, and more")
        del shared.document.ycells[shared.index("one")]
        hold.set()
        view = await api.until(run["id"], "done", "failed", "paused")
        assert view["status"] == "done", view["error"]
    expected = ["mine, and more", "two", "print(6 * 7)", "three"]
    assert shared.sources() == expected
    code = shared.cells()[2]
    assert code["outputs"] == [{"output_type": "stream", "name": "stdout", "text": "42\n"}]
    assert code["execution_count"] == 1
    assert shared.document.ycells[2]["execution_state"] == "idle"
    # Whoever sees the run completed may open the file.
    assert shared.disk_sources() == expected


async def test_b9_widgets_state_is_merged_into_the_room(api, shared):
    await shared.open()
    meta = shared.document.ydoc.get("meta", type=Map)
    meta["metadata"]["widgets"] = {WIDGET_STATE: {"state": {"theirs": {"n": 1}}}}
    code = "import ipywidgets as w\nout = w.Output()\ndisplay(out)\nwith out: print('caught')"
    async with ScriptedPlanner() as planner:
        planner.workflow({"load": ["read"]})
        planner.step("read", behaviors=[[add(code), RUN]])
        run = await api.start(planner, notebook=NOTEBOOK)
        view = await api.until(run["id"], "done", "failed", "paused")
        assert view["status"] == "done", view["error"]
    for notebook in (shared.document.get(), shared._read()):
        state = notebook["metadata"]["widgets"][WIDGET_STATE]["state"]
        assert state["theirs"] == {"n": 1}
        (out,) = [each for each in state.values() if each.get("model_name") == "OutputModel"]
        assert [output["text"] for output in out["state"]["outputs"]] == ["caught\n"]


async def test_the_text_that_people_see_is_the_text_that_runs(api, shared):
    await shared.open()
    hold = asyncio.Event()
    async with ScriptedPlanner() as planner:
        planner.workflow({"load": ["read"]})
        planner.step("read", behaviors=[[add("print('planned')"), hold, RUN]])
        run = await api.start(planner, notebook=NOTEBOOK)
        await shared.until(lambda: "print('planned')" in shared.sources())
        place = shared.index("print('planned')")
        shared.document.set_cell(place, source="print('corrected')")
        hold.set()
        view = await api.until(run["id"], "done", "failed", "paused")
        assert view["status"] == "done", view["error"]
    assert shared.cells()[place]["outputs"][0]["text"] == "corrected\n"


async def test_streams_progress_bars_and_updated_displays(api, shared):
    await shared.open()
    code = """
import sys, time
from IPython.display import display
handle = display("first", display_id=True)
for i in range(3):
    print(f"\\rstep {i}", end="", flush=True)
    time.sleep(0.15)
handle.update("second")
"""
    async with ScriptedPlanner() as planner:
        planner.workflow({"load": ["read"]})
        planner.step("read", behaviors=[[add(code), RUN]])
        run = await api.start(planner, notebook=NOTEBOOK)
        view = await api.until(run["id"], "done", "failed", "paused")
        assert view["status"] == "done", view["error"]
    outputs = shared.cells()[-1]["outputs"]
    assert [output["output_type"] for output in outputs] == ["display_data", "stream"]
    assert outputs[0]["data"]["text/plain"] == "'second'"
    assert outputs[1]["text"].endswith("step 2")
    await shared.until(lambda: shared.disk_sources() == shared.sources())


@pytest.mark.parametrize("save_delay", [1_000.0])
async def test_a_room_that_goes_unsaved_takes_nothing_along(api, shared):
    await shared.open()
    hold = asyncio.Event()
    async with ScriptedPlanner() as planner:
        planner.workflow({"load": ["read"]})
        planner.step("read", behaviors=[[say("one"), say("two"), hold, say("three")]])
        run = await api.start(planner, notebook=NOTEBOOK)
        await shared.until(lambda: "two" in shared.sources())
        assert shared.disk_sources() == ["mine"]
        await shared.leave()
        hold.set()
        view = await api.until(run["id"], "done", "failed", "paused")
        assert view["status"] == "done", view["error"]
    assert shared.disk_sources() == ["mine", "one", "two", "three"]


async def test_a_room_that_opens_in_mid_run_gets_every_cell_once(api, shared):
    hold = asyncio.Event()
    async with ScriptedPlanner() as planner:
        planner.workflow({"load": ["read"]})
        planner.step("read", behaviors=[[say("one"), hold, say("two")]])
        run = await api.start(planner, notebook=NOTEBOOK)
        await shared.until(lambda: "one" in shared.disk_sources())
        await shared.open()
        hold.set()
        view = await api.until(run["id"], "done", "failed", "paused")
        assert view["status"] == "done", view["error"]
    assert shared.sources() == ["mine", "one", "two"]
    assert shared.disk_sources() == ["mine", "one", "two"]


async def test_without_file_ids_there_are_no_rooms_and_runs_go_on(api, jp_serverapp, jp_root_dir):
    """The extension that rooms need may be switched off, or have failed to start."""
    del jp_serverapp.web_app.settings["file_id_manager"]
    async with ScriptedPlanner() as planner:
        planner.workflow({"a": ["s1"]})
        planner.step("s1", behaviors=[[say("one")]])
        run = await api.start(planner, notebook=NOTEBOOK)
        assert (await api.until(run["id"], "done", "failed", "paused"))["status"] == "done"
    assert '"one"' in (jp_root_dir / NOTEBOOK).read_text()
