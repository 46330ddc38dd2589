"""Where a notebook can live, behind one face: tests open documents and edit like a person."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
from jupyter_core.utils import ensure_async
from jupyter_server.services.contents.largefilemanager import (
    AsyncLargeFileManager,
    LargeFileManager,
)

from notebook_bcc_ext.adapters.notebook.contents_access import ContentsAccess
from notebook_bcc_ext.adapters.notebook.contents_notebook import ContentsNotebook
from notebook_bcc_ext.adapters.store.database import Database
from notebook_bcc_ext.adapters.store.operation_log import OperationLog
from notebook_bcc_ext.ports import NotebookDocument
from notebook_bcc_ext.protocol.browser.notebook_ops import ChangeOutputs
from tests.support.cells import show
from tests.support.fakes import MemoryNotebook
from tests.support.memory_contents import AsyncMemoryContents, MemoryContents

Json = dict[str, Any]
KERNELSPEC = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}

MANAGERS: dict[str, Callable[[Path], Any]] = {
    "files": lambda root: LargeFileManager(root_dir=str(root)),
    "async files": lambda root: AsyncLargeFileManager(root_dir=str(root)),
    "memory": lambda _: MemoryContents(),
    "async memory": lambda _: AsyncMemoryContents(),
}


class ContentsWorld:
    """Notebooks behind a contents manager, with a store beside them."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.root = folder / "root"
        self.root.mkdir()
        self.manager = MANAGERS[kind](self.root)
        self.store_path = folder / "store" / "runs.db"
        self._documents: list[ContentsNotebook] = []
        self.database: Database | None = None

    async def start(self, **log_options: int) -> None:
        self.database = Database(self.store_path)
        await self.database.open()
        self.log = OperationLog(self.database, **log_options)
        self.access = ContentsAccess(self.manager)

    async def document(self, path: str = "a.ipynb", **options: Any) -> ContentsNotebook:
        if self.database is None:
            await self.start()
        document = ContentsNotebook(path, self.access, self.log, metadata=KERNELSPEC, **options)
        self._documents.append(document)
        await document.open()
        return document

    async def crash(self) -> None:
        """All that was in memory is gone; what was durable is read again."""
        for document in self._documents:
            document._stop()
        self._documents.clear()
        await self.stop()
        await self.start()

    async def stop(self) -> None:
        for document in self._documents:
            document._stop()
        if self.database is not None:
            await self.database.close()
            self.access.close()
        self.database = None

    async def read(self, path: str = "a.ipynb") -> Json:
        model = await ensure_async(self.manager.get(path, content=True, type="notebook"))
        notebook = nbformat.from_dict(model["content"])
        nbformat.validate(notebook)
        return dict(notebook)

    async def write(self, notebook: Json, path: str = "a.ipynb") -> None:
        model = {"type": "notebook", "format": "json", "content": notebook}
        await ensure_async(self.manager.save(model, path))

    async def edit(self, change: Callable[[Json], None], path: str = "a.ipynb") -> None:
        """As a person does: load, change, save."""
        notebook = await self.read(path)
        change(notebook)
        await self.write(notebook, path)

    async def delete(self, path: str = "a.ipynb") -> None:
        await ensure_async(self.manager.delete(path))


class FakeWorld:
    """The in-memory fake. Its cells are the notebook."""

    def __init__(self) -> None:
        self.notebook = MemoryNotebook("a.ipynb", KERNELSPEC)

    async def document(self) -> NotebookDocument:
        await self.notebook.open()
        return self.notebook

    async def read(self) -> Json:
        content = {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": self.notebook.metadata,
            "cells": self.notebook.cells,
        }
        nbformat.validate(nbformat.from_dict(content))
        return content

    async def edit(self, change: Callable[[Json], None]) -> None:
        content = {"metadata": self.notebook.metadata, "cells": self.notebook.cells}
        change(content)
        self.notebook.cells = content["cells"]  # type: ignore[assignment]

    async def stop(self) -> None:
        pass


def sources(notebook: Json) -> list[str]:
    return [cell["source"] for cell in notebook["cells"]]


def html(text: str) -> Json:
    return {"output_type": "display_data", "data": {"text/html": text}, "metadata": {}}


async def execute(document: NotebookDocument, cell_id: str, *outputs: Json) -> None:
    await document.start_execution(cell_id)
    await show(document, ChangeOutputs(cell_id=cell_id, change="append", outputs=list(outputs)))
    document.finish_execution(cell_id, 1)


def stream(text: str) -> Json:
    return {"output_type": "stream", "name": "stdout", "text": text}
