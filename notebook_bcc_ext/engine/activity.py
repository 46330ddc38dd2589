"""How a run went, as a tree: stage, step, behavior, action, each with its times and its end.

Fed with the events that everybody hears, so nothing else in the engine knows of it. An event
tells what happened; where it happened is read off the progress at that moment. What changed is
stored with each snapshot of the run, and recalled when the run is taken up after a restart.

The times shown are the work's (N12): whoever waits for the person says so with `resting`, and the
rest is counted here for everything that is open.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, assert_never

from notebook_bcc_ext.engine.rest import Rest, ms_between
from notebook_bcc_ext.fsm.machine import utc_now
from notebook_bcc_ext.observation.progress import ProgressTracker
from notebook_bcc_ext.ports import ActivityChanges
from notebook_bcc_ext.protocol.browser.runs import ActivityNode, Doing, DoingWhat, NodeStatus
from notebook_bcc_ext.protocol.states import Event, State

Json = dict[str, Any]
Level = Literal["stage", "step", "behavior"]
Place = tuple[str | None, str | None, int]

LEVELS: tuple[Level, ...] = ("stage", "step", "behavior")
MAX_ACTIONS = 5_000
"""Older actions leave the tree; the notebook and the run store still have them."""

_FIELDS = set(ActivityNode.model_fields)
_COMPLETED: Mapping[str, Level] = {
    Event.COMPLETE_STAGE: "stage",
    Event.COMPLETE_STEP: "step",
    Event.COMPLETE_BEHAVIOR: "behavior",
}


class ActivityLog:
    def __init__(self, rest: Rest | None = None, clock: Callable[[], str] = utc_now) -> None:
        self.rest = rest or Rest()
        self._clock = clock
        self._revision = 0
        # The node that changed last comes last: what is new is found without a search.
        self._nodes: OrderedDict[str, ActivityNode] = OrderedDict()
        self._actions: OrderedDict[str, None] = OrderedDict()
        self._open: dict[Level, str] = {}
        self._place: Place | None = None
        self._going_on = False
        self._unfinished: str | None = None
        self.epoch = 0
        """Another number for every time the tree was begun anew or taken up by a process."""
        self._doing: tuple[DoingWhat, str, str | None] | None = None
        self._stored = 0
        self._gone: list[str] = []
        self._all_gone = False

    @property
    def doing(self) -> Doing | None:
        if self._doing is None:
            return None
        what, since, cell_id = self._doing
        return Doing(what=what, since=since, cell_id=cell_id)

    def since(self, revision: int, limit: int | None = None) -> list[ActivityNode]:
        """The nodes that changed after that revision, in the order of their last change."""
        found: list[ActivityNode] = []
        for node in reversed(self._nodes.values()):
            if node.revision <= revision:
                break
            found.append(node)
        found.reverse()
        return found[:limit]

    def note(self, kind: str, payload: Json, progress: ProgressTracker) -> None:
        if kind == "transition" and payload["event"] == Event.RESET:
            self._begin_anew()
            return
        if kind == "transition":
            # Nodes begin and end with it: what was rested so far is for those open until now.
            self._count_rest()
        self._follow(progress)
        match kind:
            case "transition":
                self._transition(payload, progress)
            case "action":
                self._action(payload, progress)
            case "judgement":
                self._judgement(payload["focus"])
            case "kernel":
                self._do("kernel")
            case "planner":
                self._do(payload["call"])
            case "cell" if payload["change"] == "running":
                self._do("cell", payload["cell_id"])
            case "error" | "pending":
                self._doing = None
            case _:
                pass

    # -- where the run is -------------------------------------------------------------------

    def _follow(self, progress: ProgressTracker) -> None:
        """Open and close nodes until the open ones are those of the current place."""
        place = (progress.stage_id, progress.step_id, progress.iteration)
        if place == self._place:
            return
        self._place = place
        places = _places(progress)
        changed = next((level for level in LEVELS if self._open.get(level) != places[level]), None)
        if changed is None:
            return
        for level in reversed(LEVELS[LEVELS.index(changed) :]):
            self._end(self._open.pop(level, None), "done")
        for level in LEVELS[LEVELS.index(changed) :]:
            key = places[level]
            if key is not None:
                self._enter(level, key, progress)

    def _enter(self, level: Level, key: str, progress: ProgressTracker) -> None:
        self._open[level] = key
        known = self._nodes.get(key)
        if known is not None:
            self._again(known)
            return
        node = ActivityNode(
            key=key,
            level=level,
            revision=0,
            stage_id=progress.stage_id or "",
            step_id=None if level == "stage" else progress.step_id,
            behavior_id=progress.behavior_id if level == "behavior" else None,
            iteration=progress.iteration if level == "behavior" else 0,
            name=_name(level, progress),
            status="running",
            started_at=self._clock(),
        )
        self._put(vars(node))

    def _again(self, node: ActivityNode) -> None:
        """Its time goes on where it ended."""
        away = ms_between(node.ended_at, self._clock()) if node.ended_at else 0
        self._change(
            node.key,
            status="running",
            rested_ms=node.rested_ms + away,
            ended_at=None,
            error=None,
            attempts=node.attempts + 1,
        )

    # -- what happened ----------------------------------------------------------------------

    @contextmanager
    def same_attempt(self) -> Iterator[None]:
        """The transitions meanwhile only go on with what the tree has open."""
        self._going_on = True
        try:
            yield
        finally:
            self._going_on = False

    def _transition(self, payload: Json, progress: ProgressTracker) -> None:
        if self._going_on:
            return
        event = payload["event"]
        level = _COMPLETED.get(event)
        if level is not None:
            self._end(self._open.get(level), _ending(level, progress))
        elif payload["to"] in (State.ERROR, State.CANCELLED):
            for key in self._open.values():
                self._end(key, "failed")
            self._doing = None
        elif payload["from"] == State.ERROR and event == Event.START_BEHAVIOR:
            for key in self._open.values():
                node = self._nodes.get(key)
                if node is not None and node.status == "failed":
                    self._again(node)

    def _action(self, payload: Json, progress: ProgressTracker) -> None:
        action_id = str(payload["action_id"])
        key = f"{self._open.get('behavior', '')}/{action_id}"
        if payload["change"] == "started":
            self._do("action")
            self._actions[key] = None
            node = ActivityNode(
                key=key,
                level="action",
                revision=0,
                stage_id=progress.stage_id or "",
                step_id=progress.step_id,
                behavior_id=progress.behavior_id,
                iteration=progress.iteration,
                action_id=action_id,
                name=str(payload["label"]),
                status="running",
                started_at=self._clock(),
            )
            self._put(vars(node))
            self._forget_old_actions()
            return
        # The planner's stream is still open: the next line is being waited for.
        self._do("generating")
        if key in self._nodes:
            status: NodeStatus = "done" if payload["success"] else "failed"
            if payload.get("refused"):
                status = "skipped"
            self._change(
                key,
                error=payload["error"],
                cell_id=payload["cell_id"],
                status=status,
                ended_at=self._clock(),
            )

    def _judgement(self, focus: Mapping[str, str]) -> None:
        self._doing = None
        for level, key in self._open.items():
            words = focus.get(f"{level}s")
            if words and key in self._nodes and self._nodes[key].words != words:
                self._change(key, words=words)

    def _do(
        self,
        what: DoingWhat,
        cell_id: str | None = None,
    ) -> None:
        self._doing = (what, self._clock(), cell_id)

    # -- rests ------------------------------------------------------------------------------

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Nothing is worked at meanwhile."""
        self.begin_rest()
        try:
            yield
        finally:
            self.end_rest()

    def begin_rest(self) -> None:
        if self.rest.since is None:
            self.rest.since = self._clock()

    def end_rest(self) -> None:
        self._count_rest()
        self.rest.since = None
        if self._doing is not None:
            what, _, cell_id = self._doing
            self._do(what, cell_id)

    def _count_rest(self) -> None:
        """The rest so far, for the run and all that is open in it. It may go on."""
        if self.rest.since is None:
            return
        now = self._clock()
        lasted = ms_between(self.rest.since, now)
        self.rest.since = now
        self.rest.total_ms += lasted
        latest_action = next(reversed(self._actions), "")
        for key in [*self._open.values(), latest_action]:
            node = self._nodes.get(key)
            if node is not None and (node.status == "running" or key == self._unfinished):
                self._change(key, rested_ms=node.rested_ms + lasted)

    # -- over a restart ---------------------------------------------------------------------

    def take_changes(self) -> ActivityChanges:
        """What has to be stored so that the store has the tree as it is now."""
        nodes = tuple(self.since(self._stored))
        changes = ActivityChanges(nodes, tuple(self._gone), self._all_gone)
        self._stored, self._gone, self._all_gone = self._revision, [], False
        return changes

    def store_anew(self) -> None:
        """The store lacks some of it: the next changes are the whole tree."""
        self._stored, self._gone, self._all_gone = 0, [], True

    def recall(
        self, nodes: Iterable[ActivityNode], progress: ProgressTracker, alive_at: str
    ) -> None:
        """Go on where an earlier process left off. An action it did not end is still to come.
        It rests since then, or at the latest since the process gave its last sign of life."""
        self.rest.since = self.rest.since or alive_at
        # Its last changes may be lost: what a browser knows of them does not count any more.
        self.epoch = int(time.time())
        for node in nodes:
            self._nodes[node.key] = node
            self._revision = max(self._revision, node.revision)
            if node.level == "action":
                self._actions[node.key] = None
        self._stored = self._revision
        for key in [key for key in self._actions if self._nodes[key].status == "running"]:
            self._unfinished = key
            self._change(key, status="pending")
        for level, place in _places(progress).items():
            if place is not None and place in self._nodes:
                self._open[level] = place

    def settle(self, *, success: bool, cell_id: str | None = None) -> None:
        """What became of the action that the earlier process did not end."""
        key, self._unfinished = self._unfinished, None
        if key is not None and key in self._nodes:
            status: NodeStatus = "done" if success else "failed"
            self._change(key, status=status, cell_id=cell_id, ended_at=self._clock())

    # -- nodes ------------------------------------------------------------------------------

    def _begin_anew(self) -> None:
        self.epoch += 1
        self._gone, self._all_gone = [], True
        self._nodes.clear()
        self._actions.clear()
        self._open.clear()
        self._place = self._doing = None

    def _end(self, key: str | None, status: NodeStatus) -> None:
        node = self._nodes.get(key) if key is not None else None
        if node is not None and node.status == "running":
            self._change(node.key, status=status, ended_at=self._clock())

    def _change(self, key: str, **fields: object) -> None:
        self._put({**vars(self._nodes[key]), **fields})

    def _put(self, fields: Json) -> None:
        self._revision += 1
        # One set of field names for all nodes: with a copy each, thousands take up megabytes.
        node = ActivityNode.model_construct(_FIELDS, **{**fields, "revision": self._revision})
        self._nodes[node.key] = node
        self._nodes.move_to_end(node.key)

    def _forget_old_actions(self) -> None:
        while len(self._actions) > MAX_ACTIONS:
            oldest, _ = self._actions.popitem(last=False)
            self._nodes.pop(oldest, None)
            self._gone.append(oldest)


def _ending(level: Level, progress: ProgressTracker) -> NodeStatus:
    """The machine leaves a stage or step also where it was not done: passed over, or only entered
    to carry a question."""
    match level:
        case "stage":
            done = progress.stage_id in {item.id for item in progress.completed_stages}
        case "step":
            done = progress.step_id in {item.id for item in progress.completed_steps}
        case "behavior":
            done = True
        case _:
            assert_never(level)
    return "done" if done else "skipped"


def _places(progress: ProgressTracker) -> dict[Level, str | None]:
    stage, step = progress.stage_id, progress.step_id
    step_key = f"{stage}/{step}" if stage and step else None
    behavior = f"{step_key}/{progress.iteration}" if step_key and progress.iteration else None
    return {"stage": stage or None, "step": step_key, "behavior": behavior}


def _name(level: Level, progress: ProgressTracker) -> str:
    if level == "stage":
        return progress.stage.label if progress.stage else progress.stage_id or ""
    if level == "step":
        return progress.step.label if progress.step else progress.step_id or ""
    return progress.behavior_goal or progress.behavior_id or ""
