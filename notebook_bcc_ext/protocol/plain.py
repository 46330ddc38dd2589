"""JSON text that every reader takes, made from whatever a kernel, a planner or a package gave.

JSON knows neither NaN nor infinity (null is what remains of them), UTF-8 knows no half of a
surrogate pair (a `?` remains), and what is no JSON at all is told by its `str`.
"""

from __future__ import annotations

import json
import math
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError


def json_text(value: object, *, indent: int | None = None) -> str:
    """ASCII, so that it fits into every file and socket."""
    try:
        text = json.dumps(value, allow_nan=False, indent=indent)
    except (ValueError, TypeError):
        return json.dumps(plain(value), indent=indent)
    return json.dumps(plain(value), indent=indent) if "\\ud" in text else text


def model_text(model: BaseModel, *, by_alias: bool = False) -> str:
    try:
        return model.model_dump_json(by_alias=by_alias)
    except (PydanticSerializationError, UnicodeError):
        return json_text(model.model_dump(by_alias=by_alias))


def plain(value: object) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, dict):
        return {plain(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return plain(str(value))
