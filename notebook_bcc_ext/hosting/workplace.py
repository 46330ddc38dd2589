"""What the notebooks of a server and those of a folder have in common."""

from __future__ import annotations

from notebook_bcc_ext.adapters.notebook.contents_access import ContentsAccess
from notebook_bcc_ext.hosting.storage import Storage
from notebook_bcc_ext.planners.files import MAX_FILE_BYTES


class ContentsWorkplace:
    """The half of a `Workplace` that a contents manager and the operation log answer."""

    def __init__(self, access: ContentsAccess, storage: Storage) -> None:
        self.access = access
        self._log = storage.log

    async def path(self, said: str) -> str:
        return await self.access.for_run(said)

    def place(self, path: str) -> str:
        return self.access.place(path)

    async def text(self, path: str) -> str | None:
        return await self.access.run(lambda: self.access.small_text(path, MAX_FILE_BYTES))

    async def file_names(self, folder: str) -> list[str]:
        return await self.access.run(lambda: self.access.file_names(folder))

    async def unfinished_files(self) -> list[str]:
        lagging = await self._log.unflushed(self.access.root)
        paths = (self.access.path_of(state.place) for state in lagging)
        return [path for path in paths if path is not None]

    async def forget_file(self, path: str) -> None:
        state = await self._log.find(place=self.access.place(path))
        if state is not None:
            await self._log.retire(state.log_id)
