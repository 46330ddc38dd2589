"""What the person has in the kernel beside a run, and what the run did to it (N2).

Sent to the kernel with `probe`. Names are compared when somebody asks and around the cells
of others, so a run's own cells cost nothing. No value is kept alive by being remembered here.
"""

from __future__ import annotations

import sys
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from notebook_bcc_ext.adapters.kernel.probe_settings import Settings

_RUNS = 8
_SESSIONS = 64
_NAMES_TOLD = 2_000
_SMALL = (bool, int, float, complex, str, bytes, type(None))
_SMALL_BYTES = 256

Names = Mapping[str, Any]


class Record:
    """One run's. It sleeps while the run rests: what is changed then is the person's doing."""

    def __init__(self, had: Iterable[str]) -> None:
        self.had = set(had)
        self.rebound: dict[str, None] = {}
        self.deleted: dict[str, None] = {}
        self.touched: set[str] = set()
        """Names that others have bound since."""
        self._is_same: dict[str, Callable[[Any], bool]] = {}
        self._bound: dict[str, int] | None = None
        self._settings: Settings | None = None

    def wake(self, names: Names) -> None:
        if self._settings is None:
            self._settings = Settings()
            known = [name for name in self.had if name in names]
            told = {*self.rebound, *self.deleted}
            self._is_same = {name: same_as(names[name]) for name in known if name not in told}

    def look(self, names: Names) -> None:
        """Note what the run has changed. While a cell of others runs, that would be blamed."""
        if self._settings is None or self._bound is not None:
            return
        for name, is_same in list(self._is_same.items()):
            if name not in names:
                self.deleted[name] = None
            elif not is_same(names[name]):
                self.rebound[name] = None
            else:
                continue
            del self._is_same[name]

    def others_begin(self, names: Names) -> None:
        if self._settings is not None:
            self.look(names)
            self._bound = {name: id(value) for name, value in names.items()}
            self._settings.others_begin()

    def others_end(self, names: Names) -> None:
        bound, self._bound = self._bound, None
        if self._settings is None or bound is None:
            return
        self.touched.update(name for name, value in names.items() if bound.get(name) != id(value))
        for name in list(self._is_same):
            if name in names:
                self._is_same[name] = same_as(names[name])
            else:
                del self._is_same[name]
        self._settings.others_end()

    def rest(self, names: Names) -> None:
        self.look(names)
        if self._settings is not None:
            settings, self._settings = self._settings, None
            settings.put_back()


class Records:
    """Those of all runs in this kernel, and whose request is being worked on."""

    def __init__(
        self,
        shell: Any,
        names: Callable[[], dict[str, Any]],
        forget: Callable[[str], object],
    ) -> None:
        self._names = names
        self._forget = forget
        self._display_pub = getattr(shell, "display_pub", None)
        self._of_run: OrderedDict[str, Record] = OrderedDict()
        self._runs: OrderedDict[str, str] = OrderedDict()
        """By the session of the client that sends its requests."""
        events = getattr(shell, "events", None)
        if events is not None:
            # Of cells, and of what a widget calls.
            events.register("pre_execute", self._others_begin)
            events.register("post_execute", self._others_end)

    def of(self, run: str | None) -> Record | None:
        return None if run is None else self._of_run.get(run)

    def run_of(self, session: object) -> str | None:
        return self._runs.get(session) if isinstance(session, str) else None

    def claim(self, request: dict[str, Any]) -> dict[str, Any]:
        """The run is about to send cells. `theirs` are the names it found in another kernel."""
        run, names = request["run"], self._names()
        self._runs[request["session"]] = run
        record = self._of_run.pop(run, None)
        if record is None:
            theirs = request["theirs"]
            record = Record(names if theirs is None else theirs)
        self._of_run[run] = record
        record.wake(names)
        for kept, most in ((self._of_run, _RUNS), (self._runs, _SESSIONS)):
            while len(kept) > most:
                kept.popitem(last=False)
        return {"theirs": sorted(record.had)[:_NAMES_TOLD]}

    def overwritten(self, request: dict[str, Any]) -> dict[str, Any]:
        record = self.of(request["run"])
        if record is None:
            return {"rebound": [], "deleted": []}
        record.look(self._names())
        return {"rebound": list(record.rebound), "deleted": list(record.deleted)}

    def leave(self, request: dict[str, Any]) -> dict[str, Any]:
        """The run rests: the settings are the person's again, and its temporaries go."""
        record = self.of(request["run"])
        if record is not None:
            for name in request["temporaries"]:
                if name not in record.had and name not in record.touched:
                    self._forget(name)
            record.rest(self._names())
        return self.overwritten(request)

    # -- around what others do --------------------------------------------------------------

    def _others_begin(self) -> None:
        self._around(Record.others_begin)

    def _others_end(self) -> None:
        self._around(Record.others_end)

    def _around(self, note: Callable[[Record, Names], None]) -> None:
        header = getattr(self._display_pub, "parent_header", None) or {}
        run = self.run_of(header.get("session"))
        for known, record in self._of_run.items():
            if known != run:
                note(record, self._names())


def same_as(value: Any) -> Callable[[Any], bool]:
    """Whether a name still has that value, or for a small one an equal one. Only small values are
    held; the identity of others may come again, and then a new value goes unnoticed."""
    kind = type(value)
    if kind in _SMALL and sys.getsizeof(value) <= _SMALL_BYTES:
        return lambda now: now is value or (type(now) is kind and now == value)
    try:
        known = weakref.ref(value)
    except TypeError:
        number, kind_number = id(value), id(kind)
        return lambda now: id(now) == number and id(type(now)) == kind_number
    return lambda now: now is not None and known() is now
