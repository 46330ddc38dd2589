"""How a run went, as a tree: stage, step, behavior, action, each with its times and its end.

Made of the facts of the run, so nothing else in the engine knows of it, and after a restart the
same facts make the same tree. A fact tells what happened; where it happened is read off the state
at that moment.

The times shown are the work's (N12): a rest of the run is counted for everything that is open.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any, Literal, assert_never

from notebook_bcc_ext.engine.state import RunState
from notebook_bcc_ext.observation.progress import ProgressState
from notebook_bcc_ext.protocol.browser import facts as happened
from notebook_bcc_ext.protocol.browser.facts import News
from notebook_bcc_ext.protocol.browser.runs import ActivityNode, Doing, DoingWhat, NodeStatus
from notebook_bcc_ext.protocol.clock import ms_between
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
    def __init__(self) -> None:
        self._revision = 0
        # The node that changed last comes last: what is new is found without a search.
        self._nodes: OrderedDict[str, ActivityNode] = OrderedDict()
        self._actions: OrderedDict[str, None] = OrderedDict()
        self._open: dict[Level, str] = {}
        self._place: Place | None = None
        self._unfinished: str | None = None
        self._resting_since: str | None = None
        self._now = ""
        self.epoch = 0
        """Another number for every time the tree was begun anew or taken up by a process."""
        self._doing: tuple[DoingWhat, str, str | None] | None = None

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

    def nodes(self) -> list[ActivityNode]:
        return list(self._nodes.values())

    def note(self, news: News, state: RunState) -> None:  # noqa: C901, PLR0912
        """`state` is the run's with it."""
        self._now = news.time
        match news:
            case happened.Reset():
                self._begin_anew()
                return
            case happened.Summed():
                self._recall(news.activity, state)
                return
            case happened.TakenUp():
                self._taken_up(state)
                return
            case happened.RestBegan():
                self._resting_since = self._resting_since or news.time
                return
            case happened.RestEnded():
                self._end_rest()
                return
            case happened.Transitioned():
                # Nodes begin and end with it: what was rested so far is for those open until now.
                self._count_rest()
            case _:
                pass
        self._follow(state.progress)
        match news:
            case happened.Transitioned():
                self._transition(news, state.progress)
            case happened.ActionBegan():
                self._action_began(news, state.progress)
            case happened.ActionEnded():
                self._action_ended(news)
            case happened.ActionUndone():
                self._action_undone(left=news.left)
            case happened.Judged():
                self._judged(state.progress.focus)
            case happened.KernelStarting():
                self._do("kernel")
            case happened.PlannerCalled():
                self._do(news.call)
            case happened.CellRunning():
                self._do("cell", news.cell_id)
            case happened.Failed() | happened.Asked():
                self._doing = None
            case _:
                pass

    # -- where the run is -------------------------------------------------------------------

    def _follow(self, progress: ProgressState) -> None:
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

    def _enter(self, level: Level, key: str, progress: ProgressState) -> None:
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
            started_at=self._now,
        )
        self._put(vars(node))

    def _again(self, node: ActivityNode) -> None:
        """Its time goes on where it ended."""
        away = ms_between(node.ended_at, self._now) if node.ended_at else 0
        self._change(
            node.key,
            status="running",
            rested_ms=node.rested_ms + away,
            ended_at=None,
            error=None,
            attempts=node.attempts + 1,
        )

    # -- what happened ----------------------------------------------------------------------

    def _transition(self, fact: happened.Transitioned, progress: ProgressState) -> None:
        if fact.going_on:
            return
        level = _COMPLETED.get(fact.event)
        if level is not None:
            self._end(self._open.get(level), _ending(level, progress))
        elif fact.to_state in (State.ERROR, State.CANCELLED):
            for key in self._open.values():
                self._end(key, "failed")
            self._doing = None
        elif fact.from_state == State.ERROR and fact.event == Event.START_BEHAVIOR:
            for key in self._open.values():
                node = self._nodes.get(key)
                if node is not None and node.status == "failed":
                    self._again(node)

    def _key_of(self, action_id: str) -> str:
        return f"{self._open.get('behavior', '')}/{action_id}"

    def _action_began(self, fact: happened.ActionBegan, progress: ProgressState) -> None:
        self._do("action")
        key = self._key_of(fact.action_id)
        self._actions[key] = None
        node = ActivityNode(
            key=key,
            level="action",
            revision=0,
            stage_id=progress.stage_id or "",
            step_id=progress.step_id,
            behavior_id=progress.behavior_id,
            iteration=progress.iteration,
            action_id=fact.action_id,
            name=fact.label,
            status="running",
            started_at=self._now,
        )
        self._put(vars(node))
        self._forget_old_actions()

    def _action_ended(self, fact: happened.ActionEnded) -> None:
        # The planner's stream is still open: the next line is being waited for.
        self._do("generating")
        key = self._key_of(fact.action_id)
        if key == self._unfinished:
            self._unfinished = None
        if key in self._nodes:
            status: NodeStatus = "done" if fact.success else "failed"
            if fact.refused:
                status = "skipped"
            self._change(
                key,
                error=fact.error,
                cell_id=fact.cell_id,
                status=status,
                ended_at=self._now,
            )

    def _action_undone(self, *, left: bool) -> None:
        """Nobody knows how far it came; it is left so, or still to come."""
        key, self._unfinished = self._unfinished, None
        if key is not None and key in self._nodes and left:
            self._change(key, status="done", ended_at=self._now)

    def _judged(self, focus: Mapping[str, str]) -> None:
        self._doing = None
        for level, key in self._open.items():
            words = focus.get(f"{level}s")
            if words and key in self._nodes and self._nodes[key].words != words:
                self._change(key, words=words)

    def _do(self, what: DoingWhat, cell_id: str | None = None) -> None:
        self._doing = (what, self._now, cell_id)

    # -- rests ------------------------------------------------------------------------------

    def _end_rest(self) -> None:
        self._count_rest()
        self._resting_since = None
        if self._doing is not None:
            what, _, cell_id = self._doing
            self._do(what, cell_id)

    def _count_rest(self) -> None:
        """The rest so far, for all that is open. It may go on."""
        if self._resting_since is None:
            return
        lasted = ms_between(self._resting_since, self._now)
        self._resting_since = self._now
        latest_action = next(reversed(self._actions), "")
        for key in [*self._open.values(), latest_action]:
            node = self._nodes.get(key)
            if node is not None and (node.status == "running" or key == self._unfinished):
                self._change(key, rested_ms=node.rested_ms + lasted)

    # -- over a restart ---------------------------------------------------------------------

    def _taken_up(self, state: RunState) -> None:
        """Another process goes on. An action that the earlier one did not end is still to come."""
        self._resting_since = state.rest.since
        self._doing = None
        # What a browser knows of the earlier process's tree does not count any more.
        self.epoch = max(self.epoch + 1, state.facts)
        for key in self._actions:
            if self._nodes[key].status == "running":
                self._unfinished = key
                self._change(key, status="pending")

    def _recall(self, nodes: Iterable[ActivityNode], state: RunState) -> None:
        self._begin_anew()
        for node in nodes:
            self._nodes[node.key] = node
            self._revision = max(self._revision, node.revision)
            if node.level == "action":
                self._actions[node.key] = None
        self._resting_since = state.rest.since
        progress = state.progress
        self._place = (progress.stage_id, progress.step_id, progress.iteration)
        for level, place in _places(progress).items():
            if place is not None and place in self._nodes:
                self._open[level] = place

    # -- nodes ------------------------------------------------------------------------------

    def _begin_anew(self) -> None:
        self.epoch += 1
        self._nodes.clear()
        self._actions.clear()
        self._open.clear()
        self._place = self._doing = None

    def _end(self, key: str | None, status: NodeStatus) -> None:
        node = self._nodes.get(key) if key is not None else None
        if node is not None and node.status == "running":
            self._change(node.key, status=status, ended_at=self._now)

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


def _ending(level: Level, progress: ProgressState) -> NodeStatus:
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


def _places(progress: ProgressState) -> dict[Level, str | None]:
    stage, step = progress.stage_id, progress.step_id
    step_key = f"{stage}/{step}" if stage and step else None
    behavior = f"{step_key}/{progress.iteration}" if step_key and progress.iteration else None
    return {"stage": stage or None, "step": step_key, "behavior": behavior}


def _name(level: Level, progress: ProgressState) -> str:
    if level == "stage":
        return progress.stage.label if progress.stage else progress.stage_id or ""
    if level == "step":
        return progress.step.label if progress.step else progress.step_id or ""
    return progress.behavior_goal or progress.behavior_id or ""
