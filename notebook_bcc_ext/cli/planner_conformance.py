"""Asks a planner service everything the protocol defines and judges each answer, row by row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from notebook_bcc_ext.adapters.planner.connection import PlannerConnection
from notebook_bcc_ext.adapters.planner.retry import TransientFault
from notebook_bcc_ext.errors import PlannerError, ProtocolError
from notebook_bcc_ext.protocol.plan import StepTemplate, WorkflowTemplate
from notebook_bcc_ext.protocol.planner.actions import parse_action
from notebook_bcc_ext.protocol.planner.calls import PlanningAnswer
from notebook_bcc_ext.protocol.planner.dialect_v1 import V1Answer, to_v1
from notebook_bcc_ext.protocol.planner.ndjson import BadLine, NdjsonDecoder, decode_json
from notebook_bcc_ext.protocol.planner.sample_requests import SampleRequests
from notebook_bcc_ext.protocol.states import State
from notebook_bcc_ext.settings.names import Settings

Json = dict[str, Any]

_OK = range(200, 300)
_CLIENT_ERROR = range(400, 500)
_NOT_FOUND = 404
_JSON_TYPES = ("application/json",)
_STREAM_TYPES = ("application/x-ndjson", "application/ndjson", "application/jsonl", *_JSON_TYPES)
_SEEN = 200
_ANY_ANSWER = "an answer"

# The part of an answer that is wrong tells which row of the protocol is violated.
_ROW_OF_FIELD = {
    "context_update.workflow_update": "U4",
    "context_update.stage_steps_update": "U4",
    "transition.workflow_update": "U4",
    "context_update": "P6",
    "context_filter": "O11",
}


@dataclass(frozen=True)
class Finding:
    row: str
    """The row of the protocol, such as P3."""
    check: str
    ok: bool
    expected: str
    seen: str


@dataclass(frozen=True)
class _Endpoint:
    method: str
    url: str


@dataclass(frozen=True)
class _Answer:
    status: int
    content_type: str
    data: bytes

    def __str__(self) -> str:
        text = self.data.decode("utf-8", errors="replace").strip()
        shown = text[:_SEEN] + "…" if len(text) > _SEEN else text
        return f"HTTP {self.status} {self.content_type or 'without a content type'}: {shown}"


class PlannerCheck:
    """One pass over a service. `findings` holds what was judged so far."""

    def __init__(
        self,
        settings: Settings,
        variables: Mapping[str, Any] | None = None,
        custom_actions: frozenset[str] = frozenset(),
    ) -> None:
        self.findings: list[Finding] = []
        self._settings = settings
        self._requests = SampleRequests(variables or {})
        self._custom_actions = custom_actions
        self._connection = PlannerConnection(settings, lambda _: None)
        self._planning_endpoint = _Endpoint("POST", settings.planning_url)

    async def run(self) -> list[Finding]:
        try:
            if self._settings.dialect == "v1":
                await self._check_v1()
            else:
                await self._check_planning()
        finally:
            await self._connection.close()
        return self.findings

    # -- the current dialect ------------------------------------------------------------------

    async def _check_planning(self) -> None:
        idle = await self._planning("U3", "planning at idle", State.IDLE, verdict=False)
        if idle is None and is_unreachable(self.findings):
            return
        self._take_workflow(idle)
        await self._planning("F7", "planning at the start of a stage", State.STAGE_RUNNING)
        await self._planning("F6", "planning at the start of a step", State.STEP_RUNNING)
        await self._check_generating()
        # "Neither continue nor achieved" is a legal verdict: nothing really ran here.
        await self._planning(
            "P5", "feedback after a behavior", State.ACTION_COMPLETED, feedback=True
        )
        await self._planning("F7", "planning after the last step", State.STEP_COMPLETED)
        await self._planning("F7", "planning after the last stage", State.STAGE_COMPLETED)
        step = self._requests.at(State.STEP_RUNNING).to_wire()
        await self._check_robustness(self._planning_endpoint, step)

    async def _planning(
        self, row: str, check: str, state: State, *, feedback: bool = False, verdict: bool = True
    ) -> PlanningAnswer | None:
        request = self._requests.at(state, feedback=feedback)
        answer = await self._ask(row, check, self._planning_endpoint, request.to_wire())
        if answer is None:
            return None
        value = self._json_object("P3", check, answer)
        if value is None:
            return None
        try:
            parsed = PlanningAnswer.parse(value)
        except ProtocolError as error:
            self._violated(_row_of(error), f"{check}: fields", "fields as defined", str(error))
            return None
        self._passed("P3", f"{check}: fields", "fields as defined", "all valid")
        if verdict:
            expected = "targetAchieved (top level, in transition or metadata)"
            seen = f"achieved: {parsed.achieved}" if parsed.has_verdict else str(answer)
            self._judge(row, f"{check}: verdict", expected, seen, ok=parsed.has_verdict)
        self._check_proposals(check, parsed)
        return parsed

    async def _check_generating(self) -> None:
        streamed = self._requests.at(State.BEHAVIOR_RUNNING, stream=True).to_wire()
        endpoint = _Endpoint("POST", self._settings.generating_url)
        answer = await self._ask("P4", "generating, streamed", endpoint, streamed, missing=True)
        if answer is not None and answer.status == _NOT_FOUND:
            endpoint = _Endpoint("POST", self._settings.generate_url)
            answer = await self._ask("P1", "generating at /generate", endpoint, streamed)
        if answer is None:
            return
        self._check_content_type("P4", "generating, streamed", answer, _STREAM_TYPES)
        self._check_lines(answer)
        whole = self._requests.at(State.BEHAVIOR_RUNNING, stream=False).to_wire()
        check = "generating, not streamed"
        plain = await self._ask("P4", check, endpoint, whole)
        value = self._json_object("P4", check, plain) if plain is not None else None
        if value is not None:
            actions = value.get("actions")
            is_list = isinstance(actions, list)
            self._judge("P4", f"{check}: actions", "a list 'actions'", str(plain), ok=is_list)
            self._check_actions(check, actions if isinstance(actions, list) else [])

    def _check_lines(self, answer: _Answer) -> None:
        check = "generating, streamed"
        decoder = NdjsonDecoder(self._settings.max_line_bytes)
        lines = [*decoder.feed(answer.data), *decoder.close()]
        bad = [line for line in lines if isinstance(line, BadLine)]
        seen = str(bad[0]) if bad else f"{len(lines)} lines"
        self._judge("P4", f"{check}: NDJSON", "one JSON object a line", seen, ok=not bad)
        objects = [line for line in lines if isinstance(line, dict)]
        whole = [line for line in objects if "actions" in line and "action" not in line]
        self._judge(
            "P4",
            f"{check}: one action a line",
            'lines such as {"action": {…}}',
            "one object with all actions" if whole else f"{len(objects)} lines",
            ok=not whole,
        )
        if not whole:
            only_behavior = {"behavior"}
            self._check_actions(check, [line for line in objects if line.keys() != only_behavior])

    # -- the dialect v1 -----------------------------------------------------------------------

    async def _check_v1(self) -> None:
        actions = _Endpoint("GET", self._settings.v1_actions_url)
        step = to_v1(self._requests.at(State.STEP_RUNNING)).to_wire()
        answer = await self._v1("actions of a step", actions, step)
        if answer is None and is_unreachable(self.findings):
            return
        if answer is not None:
            self._check_actions("actions of a step", answer.actions)
        reflection = _Endpoint("POST", self._settings.v1_reflection_url)
        feedback = to_v1(self._requests.at(State.ACTION_COMPLETED, feedback=True)).to_wire()
        judged = await self._v1("reflection", reflection, feedback)
        if judged is not None:
            expected = "targetAchieved or continue_behaviors"
            self._judge("P8", "reflection: verdict", expected, repr(judged), ok=judged.has_verdict)
        await self._check_robustness(actions, step)

    async def _v1(self, check: str, endpoint: _Endpoint, body: Json) -> V1Answer | None:
        answer = await self._ask("P8", check, endpoint, body)
        value = self._json_object("P8", check, answer) if answer is not None else None
        if value is None:
            return None
        try:
            parsed = V1Answer.parse(value)
        except ProtocolError as error:
            self._violated(_row_of(error), f"{check}: fields", "fields as defined", str(error))
            return None
        self._passed("P8", f"{check}: fields", "fields as defined", "all valid")
        self._check_proposals(check, parsed)
        return parsed

    # -- parts --------------------------------------------------------------------------------

    async def _ask(
        self, row: str, check: str, endpoint: _Endpoint, body: Json, *, missing: bool = False
    ) -> _Answer | None:
        """The answer when the service gave one with 2xx (or 404, when that is allowed here)."""
        answer = await self._exchange(row, check, endpoint, body)
        if answer is None:
            return None
        good = answer.status in _OK
        if missing and answer.status == _NOT_FOUND:
            return answer
        self._judge(
            row, check, "HTTP 2xx", str(answer) if not good else str(answer.status), ok=good
        )
        return answer if good else None

    async def _exchange(
        self, row: str, check: str, endpoint: _Endpoint, body: Json | bytes
    ) -> _Answer | None:
        url = endpoint.url
        sent = body if isinstance(body, dict) else {}
        with self._connection.recorded("planning", url, sent, None) as call:
            if isinstance(body, bytes):
                call.request = body
            call.begin_try()
            try:
                response = await self._connection.send(call, endpoint.method, url)
                try:
                    data = await self._connection.read_all(call, response)
                finally:
                    await response.aclose()
            except (TransientFault, PlannerError) as error:
                reached = bool(self.findings)
                self._violated(row if reached else "P1", check, _ANY_ANSWER, f"{url}: {error}")
                return None
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            return _Answer(response.status_code, kind, data)

    def _json_object(self, row: str, check: str, answer: _Answer) -> Json | None:
        self._check_content_type(row, check, answer, _JSON_TYPES)
        try:
            value = decode_json(answer.data)
        except ValueError as error:
            self._violated(row, f"{check}: body", "a JSON object", f"{error}: {answer}")
            return None
        if not isinstance(value, dict):
            self._violated(row, f"{check}: body", "a JSON object", str(answer))
            return None
        return value

    def _check_content_type(
        self, row: str, check: str, answer: _Answer, allowed: tuple[str, ...]
    ) -> None:
        seen = answer.content_type or "none"
        self._judge(row, f"{check}: content type", " or ".join(allowed), seen, ok=seen in allowed)

    def _check_actions(self, check: str, actions: list[Any]) -> None:
        wrong: list[str] = []
        for number, action in enumerate(actions, start=1):
            try:
                parse_action(action, self._custom_actions)
            except ProtocolError as error:
                wrong.append(f"action {number}: {error}")
        for problem in wrong:
            self._violated("A17", f"{check}: actions", "actions as defined", problem)
        if not wrong:
            seen = f"{len(actions)} actions, all valid"
            self._passed("A17", f"{check}: actions", "actions as defined", seen)

    def _check_proposals(self, check: str, answer: PlanningAnswer) -> None:
        update = answer.context_update
        for name, workflow in (
            ("context_update.workflow_update", update.workflow_update),
            ("transition.workflow_update", answer.transition.workflow_update),
        ):
            if workflow is not None:
                problems = list(_workflow_problems(workflow.updated_workflow))
                self._judge_proposal(f"{check}: {name}", problems)
        if update.stage_steps_update is not None:
            problems = list(_step_problems("the stage", update.stage_steps_update.updated_steps))
            self._judge_proposal(f"{check}: context_update.stage_steps_update", problems)

    def _judge_proposal(self, check: str, problems: list[str]) -> None:
        expected = "unique ids, and steps in every stage"
        self._judge("U4", check, expected, "; ".join(problems) or "valid", ok=not problems)

    async def _check_robustness(self, endpoint: _Endpoint, request: Json) -> None:
        extended = {**request, "x_unknown": {"a": [1]}}
        extended["observation"] = {**request["observation"], "x_unknown": True}
        await self._ask("P2", "unknown fields are accepted", endpoint, extended)
        for check, body in (
            ("a body that is not JSON is refused", b'{"observation": '),
            ("a body without an observation is refused", b"{}"),
        ):
            answer = await self._exchange("P7", check, endpoint, body)
            if answer is not None:
                good = answer.status in _CLIENT_ERROR
                self._judge(
                    "P7", check, "HTTP 4xx (5xx would be tried again)", str(answer), ok=good
                )

    def _take_workflow(self, idle: PlanningAnswer | None) -> None:
        """Ask on with the planner's own stages and steps, if it named any."""
        update = idle.context_update.workflow_update if idle is not None else None
        if update is not None and next(update.updated_workflow.steps(), None) is not None:
            self._requests.workflow = update.updated_workflow

    def _passed(self, row: str, check: str, expected: str, seen: str) -> None:
        self._judge(row, check, expected, seen, ok=True)

    def _violated(self, row: str, check: str, expected: str, seen: str) -> None:
        self._judge(row, check, expected, seen, ok=False)

    def _judge(self, row: str, check: str, expected: str, seen: str, *, ok: bool) -> None:
        self.findings.append(Finding(row, check, ok, expected, self._connection.redact(seen)))


def is_unreachable(findings: Sequence[Finding]) -> bool:
    """Nothing answered at all: further questions would only repeat that."""
    return len(findings) == 1 and findings[0].expected == _ANY_ANSWER


def _row_of(error: ProtocolError) -> str:
    text = str(error)
    return next((row for field, row in _ROW_OF_FIELD.items() if f"'{field}" in text), "P3")


def _workflow_problems(workflow: WorkflowTemplate) -> Iterator[str]:
    if not workflow.stages:
        yield "there is no stage"
    ids = [stage.id for stage in workflow.stages]
    for stage_id in sorted({entry for entry in ids if ids.count(entry) > 1}):
        yield f"stage id '{stage_id}' occurs more than once"
    for stage in workflow.stages:
        yield from _step_problems(f"stage '{stage.id}'", stage.steps)


def _step_problems(where: str, steps: list[StepTemplate]) -> Iterator[str]:
    if not steps:
        yield f"{where} has no steps"
    ids = [step.id for step in steps]
    for step_id in sorted({entry for entry in ids if ids.count(entry) > 1}):
        yield f"step id '{step_id}' occurs more than once in {where}"
