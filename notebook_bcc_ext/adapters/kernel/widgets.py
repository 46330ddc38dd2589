"""The widgets that a run's cells made: their state, and what their `Output` widgets catch.

`with out:` tells the kernel's clients, by the trait `msg_id`, whose output goes into the widget
from now on. A browser only catches what answers requests of its own, so for a run's cells this is
the client that does. What was caught is saved with the state of the widget, and the kernel is told
of it once the cell has ended; the kernel tells the browsers. Widgets of other people are unknown
here: what is printed into them stays in the cell.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from notebook_bcc_ext.adapters.kernel.link import KernelLink
from notebook_bcc_ext.adapters.kernel.outputs import CellOutputs, OutputLimits
from notebook_bcc_ext.adapters.kernel.sockets import Buffer, KernelMessage
from notebook_bcc_ext.protocol.browser.notebook_ops import SetWidgets
from notebook_bcc_ext.protocol.nesting import is_too_deep, too_deep

Json = dict[str, Any]

_TARGET = "jupyter.widget"
_OUTPUT_MODEL = ("@jupyter-widgets/output", "OutputModel")
# What a model costs beside its values.
_MODEL_BYTES = 200


class _Model:
    def __init__(self, model_id: str, state: Json, limits: OutputLimits) -> None:
        self._state: Json = {}
        self._sizes: dict[str, int] = {}
        self._buffers: dict[tuple[Any, ...], str] = {}
        self._of_kernel: list[Json] = []
        """The outputs as the kernel knows them: it hears of caught ones when its cell has ended."""
        kind = (state.get("_model_module"), state.get("_model_name"))
        self.outputs = CellOutputs(model_id, limits) if kind == _OUTPUT_MODEL else None

    @property
    def size(self) -> int:
        caught = self.outputs.size if self.outputs else 0
        return _MODEL_BYTES + sum(self._sizes.values()) + caught

    def catches(self, key: str) -> bool:
        """Whether that part of its state is outputs, each of which is looked at by itself."""
        return key == "outputs" and self.outputs is not None

    def update(self, state: Json, buffers: dict[tuple[Any, ...], str]) -> None:
        changed = {*state, *(path[0] for path in buffers)}
        self._buffers = {p: b for p, b in self._buffers.items() if p[0] not in changed} | buffers
        for key in changed - state.keys():
            self._state.pop(key, None)
        for key, value in state.items():
            if self.outputs is not None and self.catches(key):
                listed = value if isinstance(value, list) else []
                self._set_outputs(self.outputs, [each for each in listed if isinstance(each, dict)])
            else:
                self._state[key] = value
        for key in changed:
            kept = sum(len(buffer) for path, buffer in buffers.items() if path[0] == key)
            self._sizes[key] = kept + len(json.dumps(self._state.get(key)))

    def _set_outputs(self, outputs: CellOutputs, told: list[Json]) -> None:
        """The kernel appends to what it knows, and does not know yet what was caught meanwhile."""
        known, self._of_kernel = self._of_kernel, told
        if told[: len(known)] == known:
            told = told[len(known) :]
        else:
            outputs.clear(wait=False)
        for output in told:
            if output.get("output_type") == "stream":
                text = output.get("text") or ""
                text = "".join(text) if isinstance(text, list) else str(text)
                outputs.add_stream(str(output.get("name", "stdout")), text)
            else:
                outputs.add(output)

    def outputs_for_kernel(self) -> list[Json]:
        self._of_kernel = self.outputs.outputs() if self.outputs else []
        return self._of_kernel

    def take_new(self) -> list[Json]:
        """What came into the outputs since the last time."""
        new: list[Json] = []
        for change in self.outputs.take_changes() if self.outputs else []:
            new += change.outputs
            if change.text:
                new.append({"output_type": "stream", "name": "stdout", "text": change.text})
        return new

    def saved(self) -> Json:
        """As `metadata.widgets` keeps it."""
        state = self._state
        if self.outputs is not None:
            state = {**state, "outputs": self.outputs.outputs(), "msg_id": ""}
        saved = {
            "model_name": state.get("_model_name"),
            "model_module": state.get("_model_module"),
            "model_module_version": state.get("_model_module_version"),
            "state": dict(state),
        }
        if self._buffers:
            saved["buffers"] = [
                {"path": list(path), "data": data, "encoding": "base64"}
                for path, data in self._buffers.items()
            ]
        return saved


class WidgetBook:
    """All widgets of one kernel that the run's cells made, within the bound for their state."""

    def __init__(self, limits: OutputLimits) -> None:
        self._limits = limits
        self._models: dict[str, _Model] = {}
        self._size = 0
        self._catching: dict[str, list[str]] = {}
        """By request, the open `Output` widgets, the innermost last."""
        self._changed: dict[str, None] = {}
        self._caught: dict[str, None] = {}
        self._with_displays: dict[str, None] = {}
        self._session: str | None = None
        self._notice: str | None = None

    # -- what the kernel sent ---------------------------------------------------------------

    def receive(self, message: KernelMessage, *, by_our_cell: bool) -> None:
        """A message about a widget."""
        if message.left_out:
            if by_our_cell:
                self._leave_out()
            return
        model_id, data = str(message.content.get("comm_id")), _dict(message.content.get("data"))
        match message.msg_type:
            case "comm_open" if by_our_cell and message.content.get("target_name") == _TARGET:
                self._models[model_id] = _Model(model_id, _dict(data.get("state")), self._limits)
                self._size += self._models[model_id].size
            case "comm_close" if model_id in self._models:
                self._forget(model_id)
                return
            case "comm_msg" if data.get("method") == "echo_update":
                if message.parent_session == self._session:
                    return  # The kernel repeats what we told it.
            case _:
                pass
        if model_id in self._models and isinstance(data.get("state"), dict):
            self._update(model_id, data, message)

    def _update(self, model_id: str, data: Json, message: KernelMessage) -> None:
        model, state = self._models[model_id], data["state"]
        if "msg_id" in state and model.outputs is not None:
            self._catch(model_id, str(state["msg_id"] or ""))
        if any(is_too_deep(value) for key, value in state.items() if not model.catches(key)):
            # One that could not be stored would take those of the other widgets along.
            self._forget(model_id)
            self._notice = f"state of a widget left out: {too_deep()}"
            return
        with self._counting(model):
            model.update(state, _buffers(data.get("buffer_paths"), message.buffers))
        self._changed[model_id] = None
        if self._size > self._limits.max_widget_bytes and model.outputs is None:
            self._forget(model_id)
            self._leave_out()

    def _catch(self, model_id: str, request_id: str) -> None:
        for request, catching in list(self._catching.items()):
            if model_id in catching:
                catching.remove(model_id)
            if not catching:
                del self._catching[request]
        if request_id:
            self._catching.setdefault(request_id, []).append(model_id)

    @contextmanager
    def catching(self, request_id: str) -> Iterator[CellOutputs | None]:
        """Where the output of the request goes; None where it stays in its cell."""
        catching = self._catching.get(request_id)
        outputs = self._models[catching[-1]].outputs if catching else None
        if not catching or outputs is None or self._size >= self._limits.max_widget_bytes:
            yield None
            return
        with self._changing(catching[-1], outputs):
            yield outputs

    def update_display(self, display_id: str, data: Json, metadata: Json) -> None:
        for model_id in self._with_displays:
            outputs = self._models[model_id].outputs
            if outputs is not None and display_id in outputs.display_ids:
                with self._changing(model_id, outputs):
                    outputs.update_display(display_id, data, metadata)

    @contextmanager
    def _changing(self, model_id: str, outputs: CellOutputs) -> Iterator[None]:
        with self._counting(self._models[model_id]):
            yield
        if outputs.display_ids:
            self._with_displays[model_id] = None
        self._changed[model_id] = self._caught[model_id] = None

    @contextmanager
    def _counting(self, model: _Model) -> Iterator[None]:
        before = model.size
        yield
        self._size += model.size - before

    def _forget(self, model_id: str) -> None:
        self._catch(model_id, "")
        self._size -= self._models.pop(model_id).size
        self._changed[model_id] = None
        self._caught.pop(model_id, None)
        self._with_displays.pop(model_id, None)

    def _leave_out(self) -> None:
        limit = f"{self._limits.max_widget_bytes / 1_000_000:.3g} MB"
        self._notice = f"state of a widget left out: the notebook keeps at most {limit} of them"

    # -- at the end of a cell ---------------------------------------------------------------

    def take_changes(self) -> SetWidgets | None:
        """The widgets that changed since the last time; None stands for one that is gone."""
        changed, self._changed = self._changed, {}
        models = {
            each: self._models[each].saved() if each in self._models else None for each in changed
        }
        return SetWidgets(models=models) if models else None

    def take_caught(self, link: KernelLink) -> list[Json]:
        """What was caught since the last time. The kernel and, through it, browsers hear of it."""
        caught: list[Json] = []
        self._session = link.session_id
        for model_id in self._caught:
            model = self._models[model_id]
            caught += model.take_new()
            if link.gone is None:
                state = {"outputs": model.outputs_for_kernel()}
                data = {"method": "update", "state": state, "buffer_paths": []}
                link.tell("shell", "comm_msg", {"comm_id": model_id, "data": data})
        self._caught = {}
        return caught

    def take_notice(self) -> str | None:
        notice, self._notice = self._notice, None
        return notice

    def forget_all(self) -> None:
        """A new kernel has none of them; what was saved of them stays."""
        self._models, self._catching, self._size = {}, {}, 0
        self._changed, self._caught, self._with_displays = {}, {}, {}


def _dict(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _buffers(paths: object, buffers: Sequence[Buffer]) -> dict[tuple[Any, ...], str]:
    """Encoded, by the path of keys and indexes in the state where each belongs."""
    return {
        tuple(path): base64.b64encode(buffer).decode()
        for path, buffer in zip(paths if isinstance(paths, list) else [], buffers, strict=False)
        if isinstance(path, list) and path and all(isinstance(part, str | int) for part in path)
    }
