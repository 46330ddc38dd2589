"""A run with no browser and no server: its own kernel, a notebook file, the same engine."""

from __future__ import annotations

import os
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
from jupyter_core.paths import is_hidden
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager

from notebook_bcc_ext.adapters.kernel.remote import RemoteKernelSource
from notebook_bcc_ext.adapters.kernel.runner import KernelRunner
from notebook_bcc_ext.adapters.kernel.source import KernelSource, OwnKernelSource
from notebook_bcc_ext.adapters.notebook.contents_access import ContentsAccess
from notebook_bcc_ext.adapters.notebook.contents_notebook import ContentsNotebook
from notebook_bcc_ext.adapters.notebook.paths import check_suffix
from notebook_bcc_ext.adapters.planner.factory import make_planner
from notebook_bcc_ext.engine.factory import make_run
from notebook_bcc_ext.engine.run import Run
from notebook_bcc_ext.errors import IllegalCommandError, NotebookPathError, SettingsError
from notebook_bcc_ext.hosting.calls import CallLog
from notebook_bcc_ext.hosting.planners import planner_for
from notebook_bcc_ext.hosting.records import write_record
from notebook_bcc_ext.hosting.storage import Storage
from notebook_bcc_ext.hosting.workplace import ContentsWorkplace
from notebook_bcc_ext.planners.library import PlaybookLibrary
from notebook_bcc_ext.ports import EventSink
from notebook_bcc_ext.protocol.browser.runs import RunRequest
from notebook_bcc_ext.settings.names import Settings


class FolderWorkplace(ContentsWorkplace):
    """Notebooks in a folder, each run with a kernel of its own: here, or where the settings say."""

    def __init__(
        self,
        folder: Path,
        storage: Storage,
        kernel_name: str = "python3",
    ) -> None:
        super().__init__(ContentsAccess(AsyncLargeFileManager(root_dir=str(folder))), storage)
        self._folder = folder
        self._kernel_name = kernel_name

    def notebook(self, path: str) -> ContentsNotebook:
        kernelspec = {"name": self._kernel_name, "display_name": "Python 3"}
        metadata = {"kernelspec": kernelspec}
        return ContentsNotebook(path, self.access, self._log, metadata=metadata)

    def mark_active(self) -> None:
        """No server that could be taken for idle."""

    def runner(self, path: str, settings: Settings) -> KernelRunner:
        if settings.use_remote_execution:
            if settings.backend_base_url is None:
                raise SettingsError(
                    "USE_REMOTE_EXECUTION is set but BACKEND_BASE_URL is not: name the Jupyter "
                    "server or kernel gateway whose kernels are to be used"
                )
            token = settings.backend_token
            source: KernelSource = RemoteKernelSource(
                settings.backend_base_url,
                token.get_secret_value() if token else None,
                self._kernel_name,
            )
        else:
            folder = (self._folder / path).parent
            source = OwnKernelSource(self._kernel_name, cwd=str(folder))
        return KernelRunner(
            source,
            cell_timeout=settings.cell_timeout or None,
            start_timeout=settings.kernel_start_timeout,
        )


@asynccontextmanager
async def headless_run(  # noqa: PLR0913  what is run, and choices with defaults
    request: RunRequest,
    settings: Settings,
    sink: EventSink,
    *,
    library: PlaybookLibrary | None = None,
    store_path: Path | None = None,
    kernel_name: str = "python3",
    transport: httpx.AsyncBaseTransport | None = None,
    record_to: Path | None = None,
) -> AsyncIterator[Run]:
    """The run, not started; leaving closes everything. `request.notebook` is a file path,
    `transport` answers in the planner's place, and `record_to` gets the record of what was."""
    file, folder = notebook_place(request)
    run_id = uuid.uuid4().hex
    storage = await Storage.open(store_path, place=str(folder), settings=settings)
    calls = CallLog(run_id, storage.runs)
    try:
        workplace = FolderWorkplace(folder, storage, kernel_name)
        await _check_free(storage, workplace.place(file.name))
        local = localised(request, folder)
        run = make_run(
            run_id,
            local,
            settings,
            notebook=workplace.notebook(file.name),
            runner=workplace.runner(file.name, settings),
            planner=make_planner(settings, calls, transport)
            if transport
            else planner_for(local, settings, library or PlaybookLibrary(), calls),
            store=storage.runs,
            sink=sink,
        )
        calls.record = run.world.ledger.record
        await run.save()
        try:
            yield run
        finally:
            await run.close()
            await calls.written()
            if record_to is not None:
                await write_record(run, record_to)
    finally:
        await storage.close()


async def _check_free(storage: Storage, place: str) -> None:
    process = await storage.upkeep.other_server(place)
    if process is not None:
        raise IllegalCommandError(
            "start",
            f"a run is active in {place} in another process ({process}); go on with it there",
            [],
        )


def notebook_place(request: RunRequest) -> tuple[Path, Path]:
    file = Path(os.path.abspath(request.notebook))  # noqa: PTH100  it takes `..` away, as Jupyter does
    check_suffix(file.name, request.notebook)
    if is_hidden(str(file), str(file.parent)):
        raise NotebookPathError(f"{request.notebook} is hidden: choose another name")
    if file.is_dir():
        raise SettingsError(f"{request.notebook} is a folder; name a notebook in it")
    if not file.parent.is_dir():
        raise SettingsError(f"the folder {file.parent} does not exist; make it first")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise SettingsError(f"{file} cannot be written: check its rights and its folder's")
    return file, file.parent


def localised(request: RunRequest, folder: Path) -> RunRequest:
    """Code runs in the notebook's folder, so the data file is named as seen from there: the
    finished notebook can be moved together with its data."""
    if request.data is None or "://" in request.data:
        return request
    try:
        relative = os.path.relpath(Path(request.data).absolute(), folder)
    except ValueError:  # another drive
        relative = str(Path(request.data).absolute())
    return request.model_copy(update={"data": Path(relative).as_posix()})
