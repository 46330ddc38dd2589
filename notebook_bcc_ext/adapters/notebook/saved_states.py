"""Which saved states of a notebook differ only by what its log wrote.

A tab whose base is such a state may save: the server adds the operations the tab has not seen.
Between states with something of somebody else in between it must merge first. So every state is
given a *generation*: our flushes hand on the one they found, everybody else's saves begin a new
one. Generations live in memory: after a restart a tab has to merge once, which does no harm.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Writer = Literal["run", "tab", "other"]

_STATES_KEPT = 1_000


class Stamp(Protocol):
    @property
    def token(self) -> str: ...

    @property
    def hash(self) -> Any: ...

    @property
    def modified_at(self) -> str: ...


@dataclass(frozen=True)
class Written:
    """A notebook was saved. `by` is "other" as soon as somebody else's change is in it."""

    path: str
    stamp: Stamp
    seq: int
    by: Writer


WrittenListener = Callable[[Written], None]

_own_write: ContextVar[bool] = ContextVar("notebook_bcc_own_write", default=False)


class SavedStates:
    """Called from any thread, for one path by one caller at a time (the path's lock)."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._numbers = itertools.count(1)
        self._generations: dict[str, OrderedDict[str, int]] = {}
        self.listeners: list[WrittenListener] = []

    # -- who writes -----------------------------------------------------------------------------

    @contextlib.contextmanager
    def own_write(self) -> Iterator[None]:
        """What is saved inside has been merged with the log already."""
        token = _own_write.set(True)
        try:
            yield
        finally:
            _own_write.reset(token)

    @property
    def is_own_write(self) -> bool:
        return _own_write.get()

    # -- states ---------------------------------------------------------------------------------

    def flushed(self, path: str, before: Stamp | None, after: Stamp, seq: int) -> bool:
        """The log was written into the state `before` (None: there was no file); whether that
        state had something in it from past this server."""
        with self._guard:
            known = self._generations.setdefault(path, OrderedDict())
            found = known.get(before.token) if before else None
            foreign = found is None and before is not None and bool(known)
            generation = found or next(self._numbers)
            if before is not None:
                _remember(known, before.token, generation)
            _remember(known, after.token, generation)
        self._tell(Written(path, after, seq, "other" if foreign else "run"))
        return foreign

    def saved(self, path: str, after: Stamp, seq: int, by: Writer) -> None:
        """Somebody else's content is in the file."""
        with self._guard:
            known = self._generations.setdefault(path, OrderedDict())
            _remember(known, after.token, next(self._numbers))
        self._tell(Written(path, after, seq, by))

    def same(self, path: str, one: str | None, other: str) -> bool:
        """Whether only the log lies between two states."""
        if one == other:
            return True
        with self._guard:
            known = self._generations.get(path, OrderedDict())
            generation = known.get(one) if one else None
            return generation is not None and generation == known.get(other)

    def moved(self, old_path: str, new_path: str) -> None:
        with self._guard:
            known = self._generations.pop(old_path, None)
            if known is not None:
                self._generations[new_path] = known

    def forget(self, path: str) -> None:
        """It was deleted: what comes to the same place has nothing to do with it."""
        with self._guard:
            self._generations.pop(path, None)

    def _tell(self, written: Written) -> None:
        for listener in list(self.listeners):
            listener(written)


def _remember(known: OrderedDict[str, int], token: str, generation: int) -> None:
    known[token] = generation
    known.move_to_end(token)
    while len(known) > _STATES_KEPT:
        known.popitem(last=False)
