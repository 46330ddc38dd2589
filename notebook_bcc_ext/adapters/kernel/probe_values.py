"""Describes a value inside the user's kernel without running any code of the value's own.

The text of this file is sent to the kernel (see `probe`), so it imports only the standard
library and keeps to the syntax of old Pythons. No `repr`, no `len`, no attribute of an object
whose exact type is not known here, since any of them may sleep, print, or raise SystemExit.
"""

from __future__ import annotations

import array
import collections
import datetime as dt
import decimal
import fractions
import functools
import json
import math
import pathlib
import sys
import types
import uuid
from typing import Any

_FULL_VALUE_CHARACTERS = 1024
_FULL_VALUE_NODES = 256
_FULL_VALUE_DEPTH = 20
_HUGE_INT_BITS = 1024
# Columns may have element types of the user's own; only these are known to be harmless.
_DTYPE_LIBRARIES = frozenset({"numpy", "pandas", "torch", "polars"})

_DEFINITIONS = frozenset(
    {
        types.ModuleType,
        types.FunctionType,
        types.BuiltinFunctionType,
        types.MethodType,
        types.MethodWrapperType,
        type(functools.lru_cache(lambda: None)),
    }
)


def encode(value: Any) -> str:
    """JSON: the value itself while it is plain and small, else its description."""
    if type(value) not in _BUILTIN_TYPES and _is_numpy_scalar(value):
        value = value.item()
    if _is_small_and_plain(value):
        whole = json.dumps(value)
        if len(whole) <= _FULL_VALUE_CHARACTERS:
            return whole
    return encode_description(value)


def encode_description(value: Any) -> str:
    return json.dumps(describe(value))


def describe(value: Any) -> str:
    """A short description, such as `DataFrame(1460×79)` or `list(1000)`."""
    kind = type(value)
    describer = _BUILTIN_TYPES.get(kind)
    if describer is not None:
        return str(describer(value))
    name = class_name(kind)
    library = root_module(kind)
    describer = _LIBRARY_TYPES.get((library, name))
    if describer is not None and is_of(value, library, name):
        return str(describer(value))
    return _sized(value) if is_of(value, "scipy.sparse", name) else name


def is_definition(value: Any) -> bool:
    """Modules, functions and classes: what code defines, not what it computes."""
    kind = type(value)
    if kind in _BUILTIN_TYPES:
        return False
    return kind in _DEFINITIONS or type in _bases(kind) or is_of(value, "numpy", "ufunc")


def is_of(value: Any, module: str, name: str) -> bool:
    """Whether the type is exactly that class, not a lookalike that merely has its name."""
    library = sys.modules.get(module)
    # Not getattr: modules may define it, and numpy's warns about some names.
    return library is not None and vars(library).get(name) is type(value)


def class_name(kind: type) -> str:
    # A metaclass may define __name__ itself; `type`'s own accessor cannot be overridden.
    return str(type.__dict__["__name__"].__get__(kind))[:100]


def root_module(kind: type) -> str:
    module = type.__getattribute__(kind, "__module__")
    return module.partition(".")[0] if type(module) is str else ""


def _bases(kind: type) -> tuple[type, ...]:
    return type.__dict__["__mro__"].__get__(kind)  # type: ignore[no-any-return]


# -- plain values -----------------------------------------------------------------------------


def _is_numpy_scalar(value: Any) -> bool:
    numpy = sys.modules.get("numpy")
    if numpy is None or not is_of(value, "numpy", class_name(type(value))):
        return False
    return numpy.generic in _bases(type(value))


def _is_small_and_plain(value: Any) -> bool:
    waiting: list[Any] = [(value, 0)]
    characters = nodes = 0
    while waiting:
        item, depth = waiting.pop()
        inside = _inside(item)
        if inside is None:
            return False
        nodes += 1
        characters += inside[0]
        waiting.extend([(inner, depth + 1) for inner in inside[1]])
        if depth > _FULL_VALUE_DEPTH:
            return False
        if nodes + len(waiting) > _FULL_VALUE_NODES or characters > _FULL_VALUE_CHARACTERS:
            return False
    return True


def _inside(item: Any) -> tuple[int, Any] | None:
    """The characters of a plain item and the items in it; None for one that is not plain."""
    kind = type(item)
    if kind is str:
        return len(item), ()
    if kind is list or kind is tuple:
        return (0, item) if len(item) <= _FULL_VALUE_NODES else None
    if kind is dict:
        if len(item) > _FULL_VALUE_NODES or not all(type(key) is str for key in item):
            return None
        return sum(len(key) for key in item), item.values()
    plain = (
        item is None
        or kind is bool
        or (kind is int and item.bit_length() <= _HUGE_INT_BITS)
        or (kind is float and math.isfinite(item))
    )
    return (0, ()) if plain else None


# -- descriptions -----------------------------------------------------------------------------


def _counted(value: Any) -> str:
    return f"{class_name(type(value))}({len(value)})"


def _written(value: Any) -> str:
    return str(value)[:_FULL_VALUE_CHARACTERS]


def _sized(value: Any) -> str:
    sizes = ", ".join(str(int(size)) for size in value.shape)
    return f"{class_name(type(value))}({sizes})"


def _table(value: Any) -> str:
    return f"{class_name(type(value))}({value.shape[0]}×{value.shape[1]})"


def _array(value: Any) -> str:
    dtype = value.dtype
    if root_module(type(dtype)) not in _DTYPE_LIBRARIES:
        return f"{_sized(value)} {class_name(type(dtype))}"
    return f"{_sized(value)} {_dtype_name(dtype)}"


@functools.lru_cache(maxsize=64)
def _dtype_name(dtype: Any) -> str:
    # numpy takes longer to write a dtype than everything else here together.
    return str(dtype)[:60]


_COUNTED = (
    *(list, tuple, dict, set, frozenset, bytes, bytearray, array.array),
    *(collections.deque, collections.OrderedDict, collections.defaultdict, collections.Counter),
)
_WRITTEN = (
    *(float, complex, range, dt.datetime, dt.date, dt.time, dt.timedelta),
    *(decimal.Decimal, fractions.Fraction, uuid.UUID, pathlib.PosixPath, pathlib.WindowsPath),
)
_BUILTIN_TYPES: dict[type, Any] = {
    **dict.fromkeys(_COUNTED, _counted),
    **dict.fromkeys(_WRITTEN, _written),
    str: lambda value: f"str({len(value)} characters)",
    int: lambda value: f"int({value.bit_length()} bits)",
}
_LIBRARY_TYPES: dict[tuple[str, str], Any] = {
    ("pandas", "DataFrame"): _table,
    ("pandas", "Series"): _array,
    ("pandas", "Index"): _array,
    ("pandas", "RangeIndex"): _array,
    ("pandas", "DatetimeIndex"): _array,
    ("pandas", "MultiIndex"): _counted,
    ("pandas", "Timestamp"): _written,
    ("pandas", "Timedelta"): _written,
    ("numpy", "ndarray"): _array,
    ("torch", "Tensor"): _array,
    ("polars", "DataFrame"): _table,
    ("polars", "Series"): _array,
    ("pyarrow", "Table"): _table,
}
