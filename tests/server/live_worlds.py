"""A server with attached tabs and an open document, for the tests of the live notebook."""

from __future__ import annotations

import asyncio
import contextlib
import json

from notebook_bcc_ext.errors import BccError
from notebook_bcc_ext.protocol.browser.notebook_ops import InsertCell
from notebook_bcc_ext.server.handlers import HOST_SETTING

API = "notebook-bcc/api"
PATH = "a.ipynb"
HANG_GUARD = 20


def cell(cell_id, source="", **fields):
    return {"id": cell_id, "cell_type": "markdown", "metadata": {}, "source": source, **fields}


def notebook(*cells):
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)}


class Socket:
    def __init__(self, socket):
        self._socket = socket

    async def next(self, kind):
        """The next message of that type; others are skipped."""
        async with asyncio.timeout(HANG_GUARD):
            while True:
                text = await self._socket.read_message()
                assert text is not None, "the socket was closed"
                message = json.loads(text)
                if message["type"] == kind:
                    return message

    async def send(self, **message):
        await self._socket.write_message(json.dumps(message))

    async def closed(self):
        async with asyncio.timeout(HANG_GUARD):
            while await self._socket.read_message() is not None:
                pass
        return self._socket.close_code


class World:
    """A server with tabs and a document, as a run has it open, with one cell of a person."""

    def __init__(self, serverapp, ws_fetch):
        self.contents = serverapp.contents_manager
        self.host = serverapp.web_app.settings[HOST_SETTING]
        self._ws_fetch = ws_fetch
        self._documents = []
        self._sockets = []

    async def document(self, path=PATH):
        workplace = await self.host.workplace()
        if path == PATH:
            model = {"type": "notebook", "content": notebook(cell("own", "mine"))}
            await self.contents.save(model, PATH)
        document = workplace.notebook(path)
        await document.open()
        self._documents.append(document)
        return document

    async def connect(self):
        raw = await self._ws_fetch(API, "live")
        self._sockets.append(raw)
        socket = Socket(raw)
        await socket.next("hello")
        return socket

    async def insert(self, document, *ids):
        ops = [InsertCell(cell=cell(cell_id, cell_id), after_id="own") for cell_id in ids]
        await self.append(document, *ops)

    async def append(self, document, *ops):
        manager = await self.host.manager()
        await manager.storage.log.append(document.log_id, ops)

    async def on_disk(self, path=PATH):
        model = await self.contents.get(path, content=True, type="notebook")
        return [entry["id"] for entry in model["content"]["cells"]]

    async def close(self):
        for raw in self._sockets:
            raw.close()
        for document in self._documents:
            with contextlib.suppress(BccError):
                await document.close()
