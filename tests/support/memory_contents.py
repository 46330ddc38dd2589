"""Contents managers that keep notebooks in a dictionary: not every server stores files."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from typing import Any

import nbformat
from jupyter_server.services.contents.manager import AsyncContentsManager, ContentsManager
from tornado.web import HTTPError

Json = dict[str, Any]


class _Shelf:
    """Notebooks as JSON text, with a version that stands for the date."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._versions: dict[str, int] = {}

    def model(self, path: str, *, content: bool) -> Json:
        name = path.strip("/")
        if name not in self._texts:
            raise HTTPError(404, f"nothing at {name}")
        notebook = None
        if content:
            notebook = nbformat.reads(self._texts[name], as_version=4)
        return {
            "name": name,
            "path": name,
            "type": "notebook",
            "writable": True,
            "created": datetime(2020, 1, 1, tzinfo=UTC),
            "last_modified": self._versions[name],
            "mimetype": None,
            "format": "json" if content else None,
            "content": notebook,
        }

    def put(self, path: str, content: Json) -> None:
        name = path.strip("/")
        node = nbformat.from_dict(copy.deepcopy(content))
        self._texts[name] = nbformat.writes(node)
        self._versions[name] = self._versions.get(name, 0) + 1

    def put_text(self, path: str, text: str) -> None:
        self._texts[path] = text
        self._versions[path] = self._versions.get(path, 0) + 1

    def remove(self, path: str) -> None:
        del self._texts[path.strip("/")]

    def move(self, old_path: str, new_path: str) -> None:
        self._texts[new_path.strip("/")] = self._texts.pop(old_path.strip("/"))
        self._versions[new_path.strip("/")] = 1

    def has(self, path: str) -> bool:
        return path.strip("/") in self._texts

    def text(self, path: str) -> Json:
        notebook: Json = json.loads(self._texts[path])
        return notebook


class MemoryContents(ContentsManager):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.shelf = _Shelf()

    def get(self, path, content=True, type=None, format=None, require_hash=False):  # noqa: A002, ARG002, FBT002
        model = self.shelf.model(path, content=content)
        if content:
            self.mark_trusted_cells(model["content"], path)
        return model

    def save(self, model, path=""):
        self.run_pre_save_hooks(model=model, path=path)
        node = nbformat.from_dict(copy.deepcopy(model["content"]))
        self.check_and_sign(node, path)
        self.shelf.put(path, node)
        return self.get(path, content=False)

    def delete_file(self, path):
        self.shelf.remove(path)

    def delete(self, path):
        self.shelf.remove(path)

    def rename_file(self, old_path, new_path):
        self.shelf.move(old_path, new_path)

    def rename(self, old_path, new_path):
        self.shelf.move(old_path, new_path)

    def file_exists(self, path=""):
        return self.shelf.has(path)

    def dir_exists(self, path=""):
        return not path.strip("/")

    def is_hidden(self, path):  # noqa: ARG002
        return False


class AsyncMemoryContents(AsyncContentsManager):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.shelf = _Shelf()

    async def get(self, path, content=True, type=None, format=None, require_hash=False):  # noqa: A002, ARG002, FBT002
        model = self.shelf.model(path, content=content)
        if content:
            self.mark_trusted_cells(model["content"], path)
        return model

    async def save(self, model, path=""):
        self.run_pre_save_hooks(model=model, path=path)
        node = nbformat.from_dict(copy.deepcopy(model["content"]))
        self.check_and_sign(node, path)
        self.shelf.put(path, node)
        return await self.get(path, content=False)

    async def delete_file(self, path):
        self.shelf.remove(path)

    async def delete(self, path):
        self.shelf.remove(path)

    async def rename_file(self, old_path, new_path):
        self.shelf.move(old_path, new_path)

    async def rename(self, old_path, new_path):
        self.shelf.move(old_path, new_path)

    async def file_exists(self, path=""):
        return self.shelf.has(path)

    async def dir_exists(self, path=""):
        return not path.strip("/")

    async def is_hidden(self, path):  # noqa: ARG002
        return False
