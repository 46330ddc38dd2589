"""Answers questions about the user's variables from inside the user's kernel.

The texts of this file and of the `probe_*` files are sent to the kernel and become modules
in `sys.modules` there, under private names: the user's namespace, history and outputs stay as they
are. What goes wrong is caught per variable, and a deadline bounds the whole.
"""

from __future__ import annotations

import importlib.util
import itertools
import json
import keyword
import re
import sys
import time
from collections.abc import Callable
from typing import Any

from notebook_bcc_ext.adapters.kernel.probe_displays import mark_displays
from notebook_bcc_ext.adapters.kernel.probe_queue import make_room
from notebook_bcc_ext.adapters.kernel.probe_records import Record, Records
from notebook_bcc_ext.adapters.kernel.probe_summaries import summarize
from notebook_bcc_ext.adapters.kernel.probe_values import (
    class_name,
    encode,
    encode_description,
    is_definition,
)

MIME = "application/x-notebook-bcc"
REQUEST_KEY = "notebook_bcc"

_FULL_VALUES_CHARACTERS = 200_000
_CLIENTS = 8
_NAMES_BETWEEN_LOOKS_AT_THE_CLOCK = 16
_INPUT = re.compile(r"^_i\d+$")
# IPython's own: results, inputs and their numbered copies.
_INTERACTIVE = re.compile(r"^(_+|_i+|_i?\d+|_[dio]h|In|Out|exit|quit|get_ipython)$")


class Probe:
    """Looks into the namespace; remembers what each client was told, to tell only changes."""

    def __init__(self) -> None:
        ipython = sys.modules.get("IPython")
        self.shell = ipython.get_ipython() if ipython is not None else None
        self.on_control = False
        self._names: dict[str, None] = {}
        self._newest_input = ""
        self._told: dict[str, tuple[int, dict[str, str]]] = {}
        self._promoted: set[tuple[str | None, str, str]] = set()
        self._records = Records(self.shell, self._their_names, self._forget)
        mark_displays(self.shell, self._records.run_of)
        make_room(self.shell)
        self._answers: dict[str, Callable[[dict[str, Any]], str]] = {
            "variables": self._variables,
            "present": self._present,
            "importable": self._importable,
            "promote": self._promote,
            "summarize": self._summarize,
            "claim": lambda request: json.dumps(self._records.claim(request)),
            "overwritten": lambda request: json.dumps(self._records.overwritten(request)),
            "leave": lambda request: json.dumps(self._records.leave(request)),
        }

    def answer(self, request: dict[str, Any]) -> str:
        try:
            return self._answers[request["do"]](request)
        except BaseException as error:  # noqa: BLE001 - nothing may reach the user's kernel
            return json.dumps({"failed": class_name(type(error))})

    @property
    def _namespace(self) -> dict[str, Any]:
        if self.shell is not None:
            return self.shell.user_ns  # type: ignore[no-any-return]
        return sys.modules["__main__"].__dict__

    @property
    def _hidden(self) -> dict[str, Any]:
        """What IPython itself put into the namespace."""
        return getattr(self.shell, "user_ns_hidden", None) or {}

    def _their_names(self) -> dict[str, Any]:
        """What the user has given a name, modules and functions too."""
        hidden, nothing = self._hidden, object()
        return {
            name: value
            for name, value in list(self._namespace.items())
            if type(name) is str
            and name[:1] != "_"
            and not _INTERACTIVE.match(name)
            and hidden.get(name, nothing) is not value
        }

    def _forget(self, name: str) -> None:
        self._namespace.pop(name, None)

    # -- variables --------------------------------------------------------------------------

    def _variables(self, request: dict[str, Any]) -> str:
        """Changes since the version the client has; everything when that version is unknown."""
        client = request["client"]
        deadline = time.monotonic() + request["seconds"]
        version, told = self._told.pop(client, (0, {}))
        if version != request["version"]:
            told = {}
        now, complete = self._scan(request["limit"], deadline, told)
        changed = [
            f"{json.dumps(name)}:{text}" for name, text in now.items() if told.get(name) != text
        ]
        self._told[client] = (version + 1, now)
        while len(self._told) > _CLIENTS:
            del self._told[next(iter(self._told))]
        rest = {
            "version": version + 1,
            "whole": not told,
            "gone": [name for name in told if name not in now],
            "complete": complete,
            "control": self.on_control,
        }
        return '{"set":{' + ",".join(changed) + "}," + json.dumps(rest)[1:]

    def _scan(
        self, limit: int, deadline: float, told: dict[str, str]
    ) -> tuple[dict[str, str], bool]:
        """The newest `limit` variables, and whether these are all and up to date."""
        found: dict[str, str] = {}
        characters = 0
        late = False
        for name, value in self._candidates():
            if len(found) >= limit:
                return found, False
            if len(found) % _NAMES_BETWEEN_LOOKS_AT_THE_CLOCK == 0:
                late = late or time.monotonic() > deadline
            if late:
                # Better what was known before than nothing.
                if name in told:
                    found[name] = told[name]
                continue
            text = _safely(encode, value)
            if characters + len(text) > _FULL_VALUES_CHARACTERS:
                text = _safely(encode_description, value)
            characters += len(text)
            found[name] = text
        return found, not late

    def _candidates(self) -> Any:
        """The user's own variables, the newest first."""
        self._note_new_names()
        hidden, namespace, nothing = self._hidden, self._namespace, object()
        for name in reversed(list(self._names)):
            value = namespace.get(name, nothing)
            if value is nothing:
                self._names.pop(name, None)
            elif hidden.get(name, nothing) is not value and not is_definition(value):
                yield name, value

    def _note_new_names(self) -> None:
        """IPython keeps every input under a name of its own, so the namespace grows with each
        cell. What came since the last look stands behind the input that was the newest then."""
        namespace, newest = self._namespace, self._newest_input
        try:
            # The very same object: after a reset another input may have that name.
            newer = list(itertools.takewhile(lambda name: name is not newest, reversed(namespace)))
        except RuntimeError:
            # The user's code is running in another thread and changed it meanwhile.
            newer = list(reversed(list(namespace)))
        if len(newer) == len(namespace):
            self._names.clear()
        for name in reversed(newer):
            if type(name) is not str:
                continue
            if _INPUT.match(name):
                self._newest_input = name
            elif name[:1] != "_" and not _INTERACTIVE.match(name):
                # Last, also if it was known: it has been deleted and made anew.
                self._names.pop(name, None)
                self._names[name] = None

    def _present(self, request: dict[str, Any]) -> str:
        namespace = self._namespace
        return json.dumps([name for name in request["names"] if name in namespace])

    def _importable(self, request: dict[str, Any]) -> str:
        return json.dumps([name for name in request["modules"] if _can_import(name)])

    def _summarize(self, request: dict[str, Any]) -> str:
        namespace = self._namespace
        found = {}
        for name, strategy in request["strategies"].items():
            if name not in namespace:
                continue
            value = namespace[name]
            try:
                found[name] = summarize(value, strategy)
            except BaseException as error:  # noqa: BLE001 - one odd object must not hide the others
                why = class_name(type(error))
                found[name] = f"{class_name(type(value))} (no summary: {why})"
        return json.dumps(found)

    # -- promotion --------------------------------------------------------------------------

    def _promote(self, request: dict[str, Any]) -> str:
        run, old, new = request["run"], request["old"], request["new"]
        refused = self._why_not(run, old, new)
        namespace = self._namespace
        if refused is None and old != new and old in namespace:
            # Bind, then delete: interrupted in between, the object has two names, never none.
            namespace[new] = namespace[old]
            self._promoted.add((run, old, new))
            namespace.pop(old, None)
        return json.dumps({"refused": refused})

    def _why_not(self, run: str | None, old: str, new: str) -> str | None:
        for name in (old, new):
            if not name.isidentifier() or keyword.iskeyword(name):
                return f"'{name}' is not a variable name"
            if _INTERACTIVE.match(name) or name in self._hidden:
                return f"'{name}' belongs to the kernel"
        if new.startswith("_"):
            return f"'{new}' is a private name"
        record = self._records.of(run) or Record(())
        theirs = [name for name in (new, old) if name in record.had]
        if theirs:
            return f"'{theirs[0]}' was there before the run began: use another name"
        namespace = self._namespace
        done_before = (run, old, new) in self._promoted and new not in record.touched
        if old not in namespace:
            return None if done_before and new in namespace else f"there is no variable '{old}'"
        taken = new in namespace and namespace[new] is not namespace[old]
        return f"a variable '{new}' exists already" if taken and not done_before else None


def _safely(encoder: Callable[[Any], str], value: Any) -> str:
    try:
        return encoder(value)
    except BaseException:  # noqa: BLE001 - whatever the object does, the others are still told
        return json.dumps(class_name(type(value)))


def _can_import(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


# -- how requests arrive ----------------------------------------------------------------------


class Answer:
    """Carries JSON through IPython's display machinery unchanged."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {MIME: self.text, "text/plain": ""}


def listen_on_control(probe: Probe) -> None:
    """Answer requests inside `kernel_info_request`s of the control channel.

    That channel has its own thread in ipykernel, so a busy cell does not delay the answer. A type
    of our own would make the Jupyter server take the kernel for idle while a cell is running;
    `kernel_info_request` it ignores, and a kernel without this hook still answers it.
    """
    kernel = getattr(probe.shell, "kernel", None)
    handlers = getattr(kernel, "control_handlers", None)
    usual = handlers.get("kernel_info_request") if isinstance(handlers, dict) else None
    if kernel is None or handlers is None or usual is None:
        return

    def kernel_info_request(stream: Any, ident: Any, parent: Any) -> Any:
        request = parent["content"].get(REQUEST_KEY)
        if request is None or request["probe"] != __name__:
            return usual(stream, ident, parent)
        content = {"status": "ok", REQUEST_KEY: probe.answer(request)}
        kernel.session.send(stream, "kernel_info_reply", content, parent, ident)
        return None

    handlers["kernel_info_request"] = kernel_info_request
    probe.on_control = True


_installed: list[Probe] = []


def reply(request: str) -> Answer:
    if not _installed:
        _installed.append(Probe())
        listen_on_control(_installed[0])
    return Answer(_installed[0].answer(json.loads(request)))
