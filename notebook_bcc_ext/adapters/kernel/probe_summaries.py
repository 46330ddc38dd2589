"""Short summaries of objects, computed inside the user's kernel.

Sent to the kernel beside `probe`, under the same rules. pandas and numpy are used when the
user has imported them; cells of tables are written out only when they are plain values.
"""

from __future__ import annotations

import itertools
import re
import sys
from typing import Any

from notebook_bcc_ext.adapters.kernel.probe_values import class_name, describe, is_of

MAX_BYTES = 4_000
_CELL_CHARACTERS = 60
_LONG_TEXT_CHARACTERS = 2_000
_COLUMNS = 30
_ROWS = 50
_HEAD_ROWS = 5
_ARRAY_EDGE = 20
_SAMPLED_CELLS = 500_000
_PLAIN = (str, int, float, bool, complex, type(None))
_SEQUENCES = (list, tuple, str, bytes, range)
# Their exact classes (Timestamp, date, Decimal, …) have a harmless `str`.
_WRITTEN_MODULES = ("pandas", "datetime", "decimal")


def summarize(value: Any, strategy: str) -> str:
    """The value under `shape_only`, `describe_only`, `head_only` or `last_<N>_only`."""
    last = re.fullmatch(r"last_(\d{1,9})_only", strategy)
    if strategy == "describe_only":
        text = _statistics(value)
    elif strategy == "head_only":
        text = _part(value, f"first {_HEAD_ROWS}", slice(0, _HEAD_ROWS))
    elif last is not None and int(last.group(1)):
        count = min(int(last.group(1)), _ROWS)
        text = _part(value, f"last {count}", slice(-count, None))
    else:
        text = describe(value)
    if len(text.encode()) <= MAX_BYTES:
        return text
    return text.encode()[: MAX_BYTES - 20].decode(errors="ignore") + " … (cut)"


# -- parts ------------------------------------------------------------------------------------


def _part(value: Any, which: str, window: slice) -> str:
    if is_of(value, "pandas", "DataFrame"):
        shown = _rows(value.iloc[window, :_COLUMNS], value.shape[1])
    elif is_of(value, "pandas", "Series"):
        part = value.iloc[window]
        items = part.tolist()
        lines = [f"{_cell(name)}: {_cell(items[row])}" for row, name in _numbered(part.index)]
        shown = "\n".join(lines)
    elif is_of(value, "numpy", "ndarray") and value.ndim:
        # Every axis is cut: tolist() of a wide array would be as large as the array.
        rest = tuple(slice(0, _ARRAY_EDGE) for _ in range(value.ndim - 1))
        shown = _cell(value[(window, *rest)].tolist(), _LONG_TEXT_CHARACTERS)
    elif type(value) in _SEQUENCES:
        shown = _cell(value[window], _LONG_TEXT_CHARACTERS)
    elif type(value) is dict:
        start = 0 if window.start == 0 else max(len(value) + window.start, 0)
        some = itertools.islice(value.items(), start, start + _ROWS)
        shown = _cell(dict(itertools.islice(some, window.stop)), _LONG_TEXT_CHARACTERS)
    else:
        return _whole(value)
    return f"{describe(value)}, {which}:\n{shown}"


def _whole(value: Any) -> str:
    return _cell(value, _LONG_TEXT_CHARACTERS) if type(value) in _PLAIN else describe(value)


def _numbered(index: Any) -> Any:
    return enumerate(index.tolist())


def _rows(part: Any, all_columns: int) -> str:
    names = [_cell(name) for name in part.columns.tolist()]
    lines = ["\t".join(["", *names])]
    # Column by column: `values` of a mixed table would copy it.
    columns = [part.iloc[:, number].tolist() for number in range(part.shape[1])]
    for row, label in _numbered(part.index):
        lines.append("\t".join([_cell(label), *(_cell(column[row]) for column in columns)]))
    if all_columns > len(columns):
        lines.append(f"({all_columns - len(columns)} more columns)")
    return "\n".join(lines)


def _cell(value: Any, limit: int = _CELL_CHARACTERS, depth: int = 3) -> str:
    """Plain values as text; of anything else only the name of its class."""
    kind = type(value)
    if kind is str:
        text = value if len(value) <= limit else value[: limit - 1] + "…"
        return str(text).replace("\n", "\\n").replace("\t", "\\t")
    if kind is float:
        return f"{value:.6g}"
    if kind in _PLAIN:
        huge = kind is int and value.bit_length() > 4 * limit
        return describe(value) if huge else str(value)
    if kind in (list, tuple, dict) and depth:
        return _several(value, limit, depth - 1)
    if any(is_of(value, module, class_name(kind)) for module in _WRITTEN_MODULES):
        return str(value)[:limit]
    pandas = sys.modules.get("pandas")
    missing = pandas is not None and (value is pandas.NaT or value is pandas.NA)
    return "missing" if missing else f"<{class_name(kind)}>"


def _several(values: Any, limit: int, depth: int) -> str:
    more = ", …" if len(values) > _ROWS else ""
    if type(values) is dict:
        pairs = itertools.islice(values.items(), _ROWS)
        items = [f"{_cell(key, limit, 0)}: {_cell(item, limit, depth)}" for key, item in pairs]
        return "{" + ", ".join(items) + more + "}"
    return "[" + ", ".join(_cell(item, limit, depth) for item in values[:_ROWS]) + more + "]"


# -- statistics -------------------------------------------------------------------------------


def _statistics(value: Any) -> str:
    pandas = sys.modules.get("pandas")
    if pandas is not None and is_of(value, "pandas", "DataFrame"):
        return _table_statistics(value, pandas)
    if pandas is not None and is_of(value, "pandas", "Series"):
        sample, note = _sampled(value, 1)
        return f"{describe(value)}{note}: {_column_statistics(sample, pandas)}"
    if is_of(value, "numpy", "ndarray") and value.dtype.kind in "iufb" and value.size:
        flat = value.reshape(-1)
        sample, note = _every_nth(flat, flat.size)
        figures = (
            ("mean", sample.mean()),
            ("std", sample.std()),
            ("min", sample.min()),
            ("max", sample.max()),
        )
        return f"{describe(value)}{note}: {_figures(figures)}"
    if type(value) in (list, tuple) and value:
        return _list_statistics(value)
    return _whole(value)


def _every_nth(values: Any, count: int) -> tuple[Any, str]:
    step = -(-count // _SAMPLED_CELLS)
    if step <= 1:
        return values, ""
    sample = values[::step]
    return sample, f" (sampled {len(sample)} of {count})"


def _figures(figures: Any) -> str:
    return ", ".join(f"{name} {float(figure):.6g}" for name, figure in figures)


def _list_statistics(value: Any) -> str:
    sample, note = _every_nth(value, len(value))
    kinds = {type(item) for item in sample}
    if not kinds <= {int, float}:
        names = sorted(class_name(kind) for kind in kinds)
        return f"{describe(value)}{note} of {', '.join(names[:10])}"
    figures = (("mean", sum(sample) / len(sample)), ("min", min(sample)), ("max", max(sample)))
    return f"{describe(value)}{note}: {_figures(figures)}"


def _table_statistics(table: Any, pandas: Any) -> str:
    sample, note = _sampled(table, max(table.shape[1], 1))
    lines = [describe(table) + note]
    names = table.columns.tolist()
    room = MAX_BYTES - 200
    for number, name in enumerate(names):
        line = f"{_cell(name)}: {_column_statistics(sample.iloc[:, number], pandas)}"
        room -= len(line.encode()) + 1
        if room < 0:
            lines.append(f"({len(names) - number} more columns)")
            break
        lines.append(line)
    return "\n".join(lines)


def _sampled(data: Any, columns: int) -> tuple[Any, str]:
    rows = data.shape[0]
    wanted = max(_SAMPLED_CELLS // columns, 1)
    if rows <= wanted:
        return data, ""
    sample = data.iloc[:: -(-rows // wanted)]
    return sample, f" (sampled {sample.shape[0]} of {rows} rows)"


def _column_statistics(column: Any, pandas: Any) -> str:
    total, count = column.shape[0], int(column.count())
    parts = [str(column.dtype)[:_CELL_CHARACTERS]]
    if count < total:
        parts.append(f"{total - count} of {total} missing")
    kinds = pandas.api.types
    if not count:
        return ", ".join(parts)
    if kinds.is_bool_dtype(column.dtype):
        parts.append(f"{float(column.mean()):.6g} true")
    elif kinds.is_numeric_dtype(column.dtype) and not kinds.is_complex_dtype(column.dtype):
        low, middle, high = column.quantile([0.25, 0.5, 0.75]).tolist()
        spread = (("min", column.min()), ("25%", low), ("50%", middle), ("75%", high))
        parts.append(_figures((("mean", column.mean()), ("std", column.std()), *spread)))
        parts.append(_figures([("max", column.max())]))
    elif kinds.is_datetime64_any_dtype(column.dtype):
        parts.append(f"from {column.min()} to {column.max()}")
    elif kinds.infer_dtype(column, skipna=True) in {"string", "categorical"}:
        # Only then are the values known to be plain: hashing foreign objects runs their code.
        counts = column.value_counts()
        parts.append(f"{counts.shape[0]} distinct")
        parts.append(f"most often {_cell(counts.index[0])} ({int(counts.iloc[0])})")
    return ", ".join(parts)
