"""All runs of one server: started, found, steered, closed."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from notebook_bcc_ext.adapters.notebook.paths import same_file
from notebook_bcc_ext.engine.factory import make_run
from notebook_bcc_ext.engine.run import Run
from notebook_bcc_ext.errors import (
    BccError,
    IllegalCommandError,
    NotebookGoneError,
    NotFoundError,
    SettingsError,
)
from notebook_bcc_ext.hosting.broadcast import Broadcaster
from notebook_bcc_ext.hosting.calls import CallLog
from notebook_bcc_ext.hosting.planners import planner_for
from notebook_bcc_ext.hosting.playbooks import describe_beside, library_for
from notebook_bcc_ext.hosting.records import record_head, transitions_of
from notebook_bcc_ext.hosting.storage import Storage
from notebook_bcc_ext.hosting.work_marks import WorkMarks
from notebook_bcc_ext.planners.library import PlaybookLibrary
from notebook_bcc_ext.ports import CallRecord, CodeRunner, NotebookDocument, StoredRun
from notebook_bcc_ext.protocol.browser.facts import Fact
from notebook_bcc_ext.protocol.browser.records import RecordHead
from notebook_bcc_ext.protocol.browser.runs import (
    Command,
    CommandName,
    EmbeddedPlanner,
    RunRequest,
    RunView,
)
from notebook_bcc_ext.protocol.states import State
from notebook_bcc_ext.settings.names import Settings

Json = dict[str, Any]

logger = logging.getLogger(__name__)

AT_REST = ("done", "failed", "cancelled")
TAKES_UP: tuple[CommandName, ...] = ("restart", "retry", "debug")
"""What makes a run that rests an active one."""


class Workplace(Protocol):
    """Where notebooks and kernels come from."""

    async def path(self, said: str) -> str:
        """The one spelling of a notebook's path; NotebookPathError where no run may work."""

    def place(self, path: str) -> str:
        """A name of the notebook in all servers of its user."""

    def notebook(self, path: str) -> NotebookDocument: ...

    async def text(self, path: str) -> str | None:
        """A small file that the person may read; None where there is none."""

    async def file_names(self, folder: str) -> list[str]: ...

    async def unfinished_files(self) -> list[str]:
        """Notebooks whose log has more than their file."""

    async def forget_file(self, path: str) -> None:
        """The notebook is gone, and nobody wants to go on with it."""

    def runner(self, path: str, settings: Settings) -> CodeRunner: ...

    def mark_active(self) -> None:
        """Some run is at work."""


class RunManager:
    def __init__(
        self,
        storage: Storage,
        workplace: Workplace,
        settings: Callable[[RunRequest], Settings],
        library: PlaybookLibrary,
    ) -> None:
        self.storage = storage
        self.library = library
        self.broadcaster = Broadcaster(self._view_of)
        self._workplace = workplace
        self._settings = settings
        self._runs: dict[str, Run] = {}
        self._calls: dict[str, CallLog] = {}
        self._creating = asyncio.Lock()
        self._marks = WorkMarks(self._runs.values, workplace.mark_active)

    # -- starting and steering --------------------------------------------------------------

    async def create(self, request: RunRequest) -> Run:
        """Start a run; it is durable on return. One notebook takes one run at a time."""
        settings = self._settings(request)
        request = await self._at_home(_in_some_notebook(request, settings))
        async with self._creating:
            await self._check_free(request.notebook)
            self._check_count(settings.max_active_runs)
            library = await self._library_of(request)
            run = self._make(uuid.uuid4().hex, request, settings, library)
        try:
            await run.save()
        except BccError:
            self._forget(run.id)
            raise
        run.start()
        self.storage.keep(settings)
        await self._tidy()
        return run

    async def _at_home(self, request: RunRequest) -> RunRequest:
        path = await self._workplace.path(request.notebook)
        return request.model_copy(update={"notebook": path})

    async def _library_of(self, request: RunRequest) -> PlaybookLibrary:
        """With the playbook beside the notebook, where the run plays one."""
        planner = request.planner
        if not isinstance(planner, EmbeddedPlanner):
            return self.library
        text = self._workplace.text
        return await library_for(self.library, request.notebook, planner.playbook, text)

    async def playbooks_beside(self, notebook: str, language: str) -> list[Json]:
        """What a run in this notebook can play out of its folder."""
        files = await self._workplace.file_names(notebook.rpartition("/")[0])
        return await describe_beside(notebook, files, self._workplace.text, language)

    async def _check_free(self, notebook: str, command: str = "start") -> None:
        process = await self.storage.upkeep.other_server(self._workplace.place(notebook))
        if process is not None:
            raise IllegalCommandError(
                command,
                f"a run is active in {notebook} in another Jupyter server (process {process}); "
                "go on with it there, or stop that server and reload this page",
                [],
            )
        await self.take_up()
        busy = self.active_run_of(notebook)
        if busy is not None:
            raise IllegalCommandError(
                command, f"the run {busy.id} is still active in {notebook}", ["cancel"]
            )

    def _check_count(self, most: int) -> None:
        active = sum(run.status not in AT_REST for run in self._runs.values())
        if active >= most:
            raise IllegalCommandError(
                "start",
                f"{active} runs are active, and max_active_runs allows {most}; "
                "finish or cancel one of them first",
                [],
            )

    def _make(  # noqa: PLR0913  what is run, with what, and what is known of it already
        self,
        run_id: str,
        request: RunRequest,
        settings: Settings,
        library: PlaybookLibrary,
        *,
        facts: Sequence[Fact] | None = None,
        first_call_number: int = 1,
    ) -> Run:
        calls = CallLog(run_id, self.storage.runs)
        run = make_run(
            run_id,
            request,
            settings,
            notebook=self._workplace.notebook(request.notebook),
            runner=self._workplace.runner(request.notebook, settings),
            planner=planner_for(
                request,
                settings,
                library,
                calls,
                first_call_number=first_call_number,
            ),
            store=self.storage.runs,
            sink=self.broadcaster,
            facts=facts,
        )
        calls.record = run.world.ledger.record
        self._runs[run_id] = run
        self._calls[run_id] = calls
        return run

    async def open(self) -> None:
        """Before the first run: what the store has for us, within its limits."""
        await self.take_up()
        # Before anything is dropped: what a file lacks is nowhere else.
        await self._finish_files()
        await self._tidy()
        self._marks.start()

    async def _finish_files(self) -> None:
        """Bring notebooks up to their logs that a killed server did not get to write, whatever
        becomes of their runs. A file that is not there any more is not made again here."""
        for path in await self._workplace.unfinished_files():
            notebook = self._workplace.notebook(path)
            try:
                await notebook.open(again=True)
                await notebook.close()
            except NotebookGoneError as error:
                if self.active_run_of(path) is None:
                    await self._workplace.forget_file(path)
                logger.warning("%s", error)
            except BccError as error:
                logger.warning("%s lacks the end of its run for now: %s", path, error)
            except Exception:
                logger.exception("%s lacks the end of its run", path)

    async def take_up(self) -> None:
        """The runs in our folder whose servers are gone, oldest first.

        One that cannot be read is told and left out: it must not keep the others.
        """
        if not await self.storage.upkeep.claim():
            return
        for stored in reversed(await self.storage.runs.runs()):
            run_id = stored.run_id
            if run_id in self._runs:
                continue
            try:
                await self._take_up(stored)
            except Exception as error:
                logger.exception("the run %s of an earlier server cannot be taken up", run_id)
                self._forget(run_id)
                self.storage.runs.set_aside(run_id, error)

    async def _take_up(self, stored: StoredRun) -> None:
        store, run_id = self.storage.runs, stored.run_id
        request = await self._at_home(RunRequest.model_validate(stored.request))
        facts = await store.facts(run_id)
        # Counted on, so that the calls of the earlier server are kept beside the new ones.
        next_call = await store.last_call_number(run_id) + 1
        library = await self._library_of(request)
        run = self._make(
            run_id,
            request,
            self._settings(request),
            library,
            facts=facts,
            first_call_number=next_call,
        )
        # It can be shown, or it cannot be had: one that cannot would fail every list of runs.
        run.view().model_dump_json()

    async def command(self, run_id: str, command: Command, by: str | None) -> RunView:
        run = self.get(run_id)
        # A ceiling that was raised meanwhile counts from here on.
        run.world.adopt(self._settings(run.world.request))
        if command.command in TAKES_UP and run.status in AT_REST:
            async with self._creating:
                await self._check_free(run.world.notebook.path, command.command)
                await run.command(command, by)
        else:
            await run.command(command, by)
        return run.view()

    # -- looking ----------------------------------------------------------------------------

    def get(self, run_id: str) -> Run:
        run = self._runs.get(run_id)
        if run is None:
            unreadable = self.storage.runs.unreadable.get(run_id)
            raise NotFoundError(unreadable or f"there is no run '{run_id}'")
        return run

    async def views(self) -> list[RunView]:
        """Newest first."""
        found = []
        for run in reversed(list(self._runs.values())):
            found.append(run.view())
            # A hundred of them are no reason to keep everybody waiting.
            await asyncio.sleep(0)
        return found

    def active_run_of(self, path: str) -> Run | None:
        place = self._workplace.place(path)
        for run in list(self._runs.values()):
            if run.status not in AT_REST and same_file(
                self._workplace.place(run.world.notebook.path), place
            ):
                return run
        return None

    @property
    def state(self) -> State:
        """Of the newest run; idle when there is none."""
        newest = next(reversed(self._runs.values()), None)
        return newest.world.state.state if newest else State.IDLE

    async def observation(self, run_id: str) -> Json:
        """As a planner would be told."""
        run = self.get(run_id)
        observation = (await run.observation()).to_wire()
        blanked: Json = run.world.settings.redactor.in_observation(observation)
        return blanked

    def activity(self, run_id: str, after: int, limit: int) -> Json:
        log = self.get(run_id).world.ledger.activity
        nodes = [node.model_dump(mode="json") for node in log.since(after, limit)]
        return {"epoch": log.epoch, "nodes": nodes}

    async def transitions(self, run_id: str, after: int, limit: int) -> list[Json]:
        run = self.get(run_id)
        await run.world.ledger.stored()
        return await transitions_of(run, after, limit)

    async def calls(self, run_id: str, after: int, limit: int) -> list[CallRecord]:
        self.get(run_id)
        await self._calls[run_id].written()
        return await self.storage.runs.calls(run_id, after=after, limit=limit)

    async def record_head(self, run_id: str) -> RecordHead:
        return await record_head(self.get(run_id))

    def _view_of(self, run_id: str) -> RunView | None:
        run = self._runs.get(run_id)
        return run.view() if run else None

    # -- ending -----------------------------------------------------------------------------

    async def _tidy(self) -> None:
        """What the store no longer keeps leaves the memory too."""
        for run_id in await self.storage.upkeep.tidy(self.storage.retention):
            run = self._runs.get(run_id)
            if run is not None and run.status in AT_REST:
                self._forget(run_id)
                await run.close()
                # Closing it has saved it once more.
                await self.storage.runs.delete_run(run_id)

    def _forget(self, run_id: str) -> None:
        self._runs.pop(run_id, None)
        self._calls.pop(run_id, None)
        self.broadcaster.forget(run_id)

    async def close(self) -> None:
        """Whatever happens to one run, all are closed: a task that is left may keep the process."""
        await self._marks.stop()
        runs = list(self._runs.values())
        closed = await asyncio.gather(*(run.close() for run in runs), return_exceptions=True)
        for run, trouble in zip(runs, closed, strict=True):
            if trouble is not None:
                logger.error("run %s was closed incompletely", run.id, exc_info=trouble)
        for calls in self._calls.values():
            await calls.written()
        await self.storage.close()


def _in_some_notebook(request: RunRequest, settings: Settings) -> RunRequest:
    if request.notebook:
        return request
    if settings.notebook_id is None:
        raise SettingsError("no notebook is named: name one, or set NOTEBOOK_ID")
    return request.model_copy(update={"notebook": settings.notebook_id})
