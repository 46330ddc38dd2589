"""Asks about the user's variables without disturbing the user.

The control channel is asked, when somebody wants to know; only when the probe is not in the kernel
yet, a silent request brings it there. Our own cells carry the question along whether certain names
exist after them. None of this counts as a cell, is kept in the history or prints.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from notebook_bcc_ext.adapters.kernel.link import KernelLink
from notebook_bcc_ext.adapters.kernel.probe import MIME, REQUEST_KEY
from notebook_bcc_ext.adapters.kernel.sockets import KernelMessage
from notebook_bcc_ext.errors import KernelError, KernelTimeoutError
from notebook_bcc_ext.ports import Overwritten, Variables
from notebook_bcc_ext.protocol.nesting import is_too_deep

Json = dict[str, Any]

EXPRESSION = "notebook_bcc"
_NESTED = "a deeply nested value"


# In the order in which they import each other.
_MODULES = (
    "probe_values",
    "probe_summaries",
    "probe_settings",
    "probe_records",
    "probe_displays",
    "probe_queue",
    "probe",
)


def _probe_sources() -> dict[str, str]:
    """The probe's modules by the names they have in the kernel.

    Named by their content, so that a newer version of this package does not meet an older probe.
    """
    texts = [files(__package__).joinpath(f"{name}.py").read_text("utf-8") for name in _MODULES]
    version = hashlib.sha256("".join(texts).encode()).hexdigest()[:8]
    names = {name: f"_notebook_bcc_{name}_{version}" for name in _MODULES}
    sources: dict[str, str] = {}
    for name, text in zip(_MODULES, texts, strict=True):
        private = text
        for imported in _MODULES:
            # With the space: the name of one module begins like those of the others.
            private = private.replace(f"{__package__}.{imported} ", f"{names[imported]} ")
        sources[names[name]] = private
    return sources


_SOURCES = _probe_sources()
_PROBE = list(_SOURCES)[-1]
_BRING = f"""
import sys, types
for name, source in sources.items():
    if name not in sys.modules:
        module = types.ModuleType(name)
        exec(compile(source, "<notebook-bcc>", "exec"), module.__dict__)
        sys.modules[name] = module
answer = sys.modules[{_PROBE!r}].reply(request)
"""


@dataclass(frozen=True)
class VariableLimits:
    max_names: int = 500
    seconds_in_kernel: float = 0.1
    seconds_to_wait: float = 1.0
    seconds_to_compute: float = 10.0
    """For summaries and promotions, which are worth waiting for."""


@dataclass
class Owner:
    """Whose cells are sent."""

    run_id: str | None = None
    theirs: Sequence[str] | None = None
    """What the person had when that run began, once it is known."""


class KernelVariables:
    """The mirror of one kernel's variables, kept up to date by the changes the probe reports."""

    def __init__(self, link: KernelLink, limits: VariableLimits, owner: Owner) -> None:
        self._link = link
        self._limits = limits
        self._owner = owner
        self._claimed = False
        self._client = uuid.uuid4().hex
        self._version = 0
        self._values: dict[str, Any] = {}
        self._complete = True
        self._known_now = False
        self._brought = False
        self._on_control = True
        """Whether the probe answers there, as far as is known."""

    # -- riding along with our own cells ----------------------------------------------------

    def expressions(self, names: Sequence[str]) -> dict[str, str]:
        """`user_expressions` for our next cell: which of the names exist after it. The first one
        brings the probe: later the kernel may be busy when somebody wants to know."""
        self._known_now = False
        self._link.others_ran = False
        if self._link.language != "python" or (self._brought and not names):
            return {}
        return {EXPRESSION: self._expression({"do": "present", "names": list(names)})}

    def present_after(self, content: Json) -> frozenset[str] | None:
        """What the reply of that cell says. After an error it says nothing."""
        answer = self._unpack(content)
        return frozenset(answer) if isinstance(answer, list) else None

    # -- what the person has beside the run --------------------------------------------------

    def claim(self) -> None:
        """Before the first cell: what is in the kernel is the person's, and what comes from here
        on the run's. Sent ahead of the cell on the same channel, so a busy kernel keeps the order
        and nobody waits. Cells of nobody bring the probe in the same way: it makes room for what
        they print."""
        if self._has_owner:
            if not self._claimed:
                content = self._silent(self._claim_request())
                self._link.send("shell", "execute_request", content, self._take_claim)
        elif self._link.language == "python" and not self._brought:
            content = self._silent({"do": "present", "names": []})
            self._link.send("shell", "execute_request", content, self._take_present)

    @property
    def _has_owner(self) -> bool:
        return self._owner.run_id is not None and self._link.language == "python"

    def _claim_request(self) -> Json:
        return {
            "do": "claim",
            "run": self._owner.run_id,
            "session": self._link.session_id,
            "theirs": None if self._owner.theirs is None else list(self._owner.theirs),
        }

    def _take_claim(self, message: KernelMessage) -> None:
        answer = self._unpack(message.content)
        # An aborted request is sent again with its cell.
        self._claimed = answer is not None
        if isinstance(answer, dict) and "theirs" in answer and self._owner.theirs is None:
            self._owner.theirs = answer["theirs"]

    def _take_present(self, message: KernelMessage) -> None:
        self._unpack(message.content)

    async def overwritten(self) -> Overwritten:
        if not self._claimed:
            return Overwritten()
        request = {"do": "overwritten", "run": self._owner.run_id}
        return _overwritten(await self._ask(request, self._limits.seconds_to_wait))

    async def leave(self, temporaries: Sequence[str]) -> Overwritten:
        """In turn with the cells: where the kernel is busy it is done later, unheard."""
        if not self._has_owner:
            return Overwritten()
        # A cell of the person's may be using them.
        names = [] if self._link.others_are_running else list(temporaries)
        request = {"do": "leave", "run": self._owner.run_id, "temporaries": names}
        self._claimed = False
        return _overwritten(await self._ask_in_turn(request, self._limits.seconds_to_wait))

    # -- asking ------------------------------------------------------------------------------

    async def snapshot(self) -> Variables:
        if self._link.language != "python":
            language = self._link.language or "unknown"
            return Variables({}, notice=f"variables of a {language} kernel cannot be read")
        notice = None
        if not self._known_now or self._link.others_ran:
            self._link.others_ran = False
            answer = await self._ask(self._snapshot_request(), self._limits.seconds_to_wait)
            if answer is None:
                self._link.others_ran = True
                notice = f"the kernel is busy: its variables are {self._last_seen()}"
            elif not self._apply(answer):
                notice = f"the kernel could not list its variables: they are {self._last_seen()}"
        return Variables(dict(self._values), truncated=not self._complete, notice=notice)

    def _last_seen(self) -> str:
        return "as they were last seen" if self._version else "not known"

    async def present(self, names: Sequence[str]) -> set[str]:
        answer = await self._must_ask({"do": "present", "names": list(names)})
        return set(answer)

    async def importable(self, modules: Sequence[str]) -> set[str]:
        answer = await self._must_ask({"do": "importable", "modules": list(modules)})
        return set(answer)

    async def summarize(self, strategies: Mapping[str, str]) -> dict[str, Any]:
        answer = await self._must_ask({"do": "summarize", "strategies": dict(strategies)})
        return dict(answer)

    async def promote(self, old: str, new: str) -> None:
        if not self._claimed and self._has_owner:
            # Otherwise it would not be known which names are the person's.
            await self._ask_in_turn(self._claim_request(), self._limits.seconds_to_compute)
        request = {"do": "promote", "run": self._owner.run_id, "old": old, "new": new}
        answer = await self._must_ask(request)
        self._known_now = False
        if answer["refused"] is not None:
            msg = f"cannot promote '{old}' to '{new}': {answer['refused']}"
            raise KernelError(msg)

    async def _must_ask(self, request: Json) -> Any:
        if self._link.language != "python":
            msg = f"variables of a {self._link.language or 'unknown'} kernel cannot be reached"
            raise KernelError(msg)
        answer = await self._ask(request, self._limits.seconds_to_compute)
        if answer is None:
            raise KernelTimeoutError("the kernel is busy and did not answer: try again later")
        if isinstance(answer, dict) and "failed" in answer:
            msg = f"the kernel could not answer: {answer['failed']}"
            raise KernelError(msg)
        return answer

    async def _ask(self, request: Json, seconds: float) -> Any:
        request = {**request, "probe": _PROBE}
        if self._on_control:
            # Another run may have brought the probe already; a kernel without it says so at once.
            content: Json = {REQUEST_KEY: request}
            reply = await self._link.ask("control", "kernel_info_request", content, seconds)
            if reply is None:
                return None
            if REQUEST_KEY in reply:
                self._brought = True
                return json.loads(reply[REQUEST_KEY])
            self._brought = self._on_control = False
        if self._link.others_are_running:
            return None
        return await self._ask_in_turn(request, seconds)

    async def _ask_in_turn(self, request: Json, seconds: float) -> Any:
        """Behind the cells that were sent before."""
        content = self._silent(request)
        reply = await self._link.ask("shell", "execute_request", content, seconds)
        return None if reply is None else self._unpack(reply)

    # -- the wire ---------------------------------------------------------------------------

    def _snapshot_request(self) -> Json:
        return {
            "do": "variables",
            "client": self._client,
            "version": self._version,
            "limit": self._limits.max_names,
            "seconds": self._limits.seconds_in_kernel,
            "probe": _PROBE,
        }

    def _silent(self, request: Json) -> Json:
        """A cell that nobody sees and that asks the probe."""
        return {
            "code": "",
            "silent": True,
            "store_history": False,
            "user_expressions": {EXPRESSION: self._expression(request)},
            "allow_stdin": False,
            "stop_on_error": False,
        }

    def _expression(self, request: Json) -> str:
        text = json.dumps(request)
        if self._brought:
            return f'__import__("sys").modules[{_PROBE!r}].reply({text!r})'
        scope = repr({"sources": _SOURCES, "request": text})
        return f"(lambda s: (__import__('builtins').exec({_BRING!r}, s), s['answer'])[1])({scope})"

    def _unpack(self, content: Json) -> Any:
        result = (content.get("user_expressions") or {}).get(EXPRESSION)
        if result is None:
            return None
        text = (result.get("data") or {}).get(MIME)
        if text is None:
            self._brought = False
            return None
        self._brought = True
        return json.loads(text)

    def _apply(self, answer: Json) -> bool:
        if "failed" in answer:
            return False
        if answer["whole"]:
            self._values = {}
        for name in answer["gone"]:
            self._values.pop(name, None)
        for name, value in answer["set"].items():
            self._values[name] = _NESTED if is_too_deep(value) else value
        self._version = answer["version"]
        self._complete = answer["complete"]
        self._on_control = answer["control"]
        self._known_now = True
        return True


def _overwritten(answer: Any) -> Overwritten:
    if not isinstance(answer, dict) or "failed" in answer:
        return Overwritten()
    return Overwritten(tuple(answer["rebound"]), tuple(answer["deleted"]))
