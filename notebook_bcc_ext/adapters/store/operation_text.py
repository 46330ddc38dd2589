"""Operations and images of notebooks as the log's rows hold them, and back.

A row that cannot be read any more (damaged, or of another release) is told and set aside: an
operation becomes one that changes nothing, so that the numbers stay contiguous.
"""

from __future__ import annotations

import json
import zlib
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from notebook_bcc_ext.errors import NotebookError
from notebook_bcc_ext.protocol.browser.notebook_ops import (
    ChangeOutputs,
    NotebookOp,
    SetNotebookMetadata,
)
from notebook_bcc_ext.protocol.nesting import WRAPPED_DEPTH, is_too_deep, too_deep
from notebook_bcc_ext.protocol.plain import plain

Json = dict[str, Any]

_OPERATION: TypeAdapter[NotebookOp] = TypeAdapter(NotebookOp)


def refuse_deep(op: NotebookOp) -> None:
    """Before it is taken: what could not be read back must not be in the log."""
    if is_too_deep(vars(op), WRAPPED_DEPTH):
        raise NotebookError(f"a change of the notebook was not written: {too_deep(WRAPPED_DEPTH)}")


def to_row(op: NotebookOp, seq: int) -> tuple[NotebookOp, str]:
    """The operation as it is stored, and its text."""
    if isinstance(op, ChangeOutputs):
        op = op.model_copy(update={"revision": seq})
    try:
        return op, op.model_dump_json()
    except (PydanticSerializationError, UnicodeError):
        # Half of a surrogate pair (a kernel can print one) fits neither UTF-8 nor the file.
        clean: NotebookOp = _OPERATION.validate_python(plain(op.model_dump()))
        return clean, clean.model_dump_json()


def from_row(body: Any) -> NotebookOp | None:
    """None for what is no operation. Not `validate_json`: that reads less deep than is written."""
    try:
        return _OPERATION.validate_python(json.loads(body))
    except (ValueError, TypeError, RecursionError):
        return None


NOTHING: NotebookOp = SetNotebookMetadata(metadata={})
"""Stands where an operation was that cannot be read."""


def pack_image(notebook: Json) -> bytes:
    """Work that grows with the notebook: not for the event loop, nor for the database thread.

    Cell by cell, because encoding all of it at once would let no other thread run meanwhile.
    """
    packer = zlib.compressobj(level=1)
    rest = {key: value for key, value in notebook.items() if key != "cells"}
    begin = json.dumps(rest)[:-1] + (', "cells": [' if rest else '"cells": [')
    packed = [packer.compress(begin.encode())]
    for number, cell in enumerate(notebook["cells"]):
        text = json.dumps(cell)
        packed.append(packer.compress(f"{', ' if number else ''}{text}".encode()))
    packed += [packer.compress(b"]}"), packer.flush()]
    return b"".join(packed)


def unpack_image(packed: Any) -> Json | None:
    """None for what is no image of a notebook."""
    try:
        content = json.loads(zlib.decompress(packed))
    except (ValueError, TypeError, RecursionError, zlib.error):
        return None
    return content if isinstance(content, dict) and "cells" in content else None
