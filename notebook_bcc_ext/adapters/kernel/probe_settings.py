"""Settings of libraries that a run may change and the person goes on with (N2).

Sent to the kernel with `probe`. Taken when a run begins, put back when it rests: plots,
warnings and how tables and arrays are shown. Only libraries that are loaded are looked at; none is
imported for it.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

Setting = tuple[str, str]
"""The library and the name of a setting of it."""
Taken = dict[Setting, Any]


class Settings:
    """How they were when a run began, with what others have set since."""

    def __init__(self) -> None:
        self._before = _take_all()
        self._seen: Taken | None = None

    def others_begin(self) -> None:
        self._seen = _take_all()

    def others_end(self) -> None:
        """What the person has changed is how it is to be."""
        seen, self._seen = self._seen, None
        if seen is None:
            return
        for setting, value in _take_all().items():
            if setting not in seen or seen[setting] != value:
                self._before[setting] = value

    def put_back(self) -> None:
        """Those that are not as they were, and no others."""
        now = _take_all()
        for (library, name), value in self._before.items():
            if (library, name) in now and now[library, name] != value:
                # One that its library does not take any more must not keep the others.
                with suppress(Exception):
                    _LIBRARIES[library][1](name, value)


def _take_all() -> Taken:
    taken: Taken = {}
    for library, (take, _) in _LIBRARIES.items():
        module = sys.modules.get(library)
        if module is not None:
            # It may be half loaded, or of a version that keeps them elsewhere.
            with suppress(Exception):
                taken.update({(library, name): value for name, value in take(module).items()})
    return taken


def _take_filters(_: Any) -> dict[str, Any]:
    return {"filters": list(warnings.filters)}


def _put_filters(_: str, value: Any) -> None:
    # It also makes Python forget which warnings it has shown under the filters before.
    warnings.resetwarnings()
    warnings.filters[:] = value  # type: ignore[index]


def _take_plots(matplotlib: Any) -> dict[str, Any]:
    # Of the dict below: reading the backend through its own class would choose one.
    values = dict.items(matplotlib.rcParams)
    return {
        name: list(value) if type(value) is list else value
        for name, value in values
        if name != "backend"
    }


def _put_plots(name: str, value: Any) -> None:
    # What was valid before is put back as it was, without a word about deprecation.
    dict.__setitem__(sys.modules["matplotlib"].rcParams, name, value)


def _take_tables(pandas: Any) -> dict[str, Any]:
    # The dict below the options: reading them one by one warns about deprecated ones.
    return _flat(object.__getattribute__(pandas.options, "d")["display"], "display")


def _flat(options: dict[str, Any], path: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in options.items():
        here = f"{path}.{name}"
        found.update(_flat(value, here) if isinstance(value, dict) else {here: value})
    return found


def _put_tables(name: str, value: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sys.modules["pandas"].set_option(name, value)


def _take_arrays(numpy: Any) -> dict[str, Any]:
    # All at once: setting one of them resets some of the others.
    return {"all": dict(numpy.get_printoptions())}


def _put_arrays(_: str, value: Any) -> None:
    sys.modules["numpy"].set_printoptions(**value)


_LIBRARIES: dict[str, tuple[Callable[[Any], dict[str, Any]], Callable[[str, Any], None]]] = {
    "matplotlib": (_take_plots, _put_plots),
    "pandas": (_take_tables, _put_tables),
    "numpy": (_take_arrays, _put_arrays),
    # Last: putting back the others may warn.
    "warnings": (_take_filters, _put_filters),
}
