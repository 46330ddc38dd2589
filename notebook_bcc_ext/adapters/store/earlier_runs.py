"""Runs that an earlier release left behind: it stored what it knew of them, not what happened.

They become one fact, `Summed`, so that they can be looked at and gone on with like any other.
"""

from __future__ import annotations

import json
from typing import Any

from notebook_bcc_ext.adapters.store.file import Connection
from notebook_bcc_ext.protocol.browser.facts import Summed

Json = dict[str, Any]

_TRANSITIONS_KEPT = 200
_ASKING = {"workflow": "update_workflow", "steps": "update_stage_steps"}
"""What was asked -> the action that asked."""


def sum_of(run_id: str, connection: Connection) -> tuple[Json, Summed]:
    """The request of the run, and everything that was known of it."""
    row = connection.execute(
        "SELECT snapshot, latest, intent FROM runs WHERE run_id = ?", (run_id,)
    ).fetchone()
    snapshot: Json = json.loads(row[0])
    remembered: Json = dict(snapshot.get("remembered", {}))
    if row[1] is not None:
        snapshot |= json.loads(row[1])
        for (entry,) in connection.execute(
            "SELECT entry FROM trails WHERE run_id = ? ORDER BY number", (run_id,)
        ):
            _remember(remembered, json.loads(entry))
    memory: Json = {**snapshot["memory"], **remembered}
    count = int(snapshot["transitions"])
    history = [
        json.loads(record)
        for (record,) in connection.execute(
            "SELECT record FROM transitions WHERE run_id = ? AND number > ? AND number <= ?"
            " ORDER BY number",
            (run_id, count - _TRANSITIONS_KEPT, count),
        )
    ]
    nodes = [
        json.loads(record)
        for (record,) in connection.execute(
            "SELECT record FROM activity WHERE run_id = ? ORDER BY revision", (run_id,)
        )
    ]
    state = _state_of(memory, snapshot, history, None if row[2] is None else json.loads(row[2]))
    latest = max((record["timestamp"] for record in history), default=state["created_at"])
    state["changed_at"] = latest
    return snapshot["request"], Summed.model_validate(
        {"time": latest, "state": state, "activity": nodes}
    )


def _state_of(memory: Json, snapshot: Json, history: list[Json], intent: Json | None) -> Json:
    state = {
        name: value
        for name, value in memory.items()
        if name not in ("asking", "decision", "in_doubt", "behavior_began", "trail")
    }
    began = memory.get("behavior_began") or {}
    asking, decision = memory.get("asking"), memory.get("decision")
    return state | {
        "facts": 1,
        "state": snapshot["state"],
        "transitions": snapshot["transitions"],
        "history": history,
        "effects": {
            part: [one if isinstance(one, dict) else {"text": one} for one in entries]
            for part, entries in snapshot["effects"].items()
        },
        "behavior_start": began,
        "decisions": [decision] if decision else [],
        "question": {"pending": asking["pending"]} if asking else None,
        "under_way": _under_way(asking, intent, memory),
    }


def _under_way(asking: Json | None, intent: Json | None, memory: Json) -> Json | None:
    # One that was in doubt already stayed so until the person decided.
    intent = intent or memory.get("in_doubt")
    if intent is not None:
        # It was not counted before it began.
        memory["counts"]["actions"] = intent["number"]
        memory["tally"]["executed"] += 1
        kind, digest, cell_id = intent["kind"], intent["digest"], intent["cell_id"]
    elif asking is not None:
        kind, digest, cell_id = _ASKING[asking["kind"]], asking["digest"], None
    else:
        return None
    number = memory["counts"]["actions"]
    return {
        "number": number,
        "action_id": f"action-{number}",
        "type": kind,
        "label": kind,
        "digest": digest,
        "cell_id": cell_id,
    }


def _remember(known: Json, entry: list[Any]) -> None:
    match entry:
        case ["name", name, cell_id]:
            known.setdefault("cell_names", {})[name] = cell_id
        case ["executed", cell_id]:
            cells = [one for one in known.get("executed_cells", []) if one != cell_id]
            known["executed_cells"] = [*cells, cell_id]
        case ["gone", cell_ids]:
            cells = known.get("executed_cells", [])
            known["executed_cells"] = [one for one in cells if one not in cell_ids]
        case ["theirs", names]:
            known["theirs"] = names
        case ["line", digest]:
            known["lines_done"] = [*known.get("lines_done", []), digest]
        case ["keep_lines", keep]:
            known["lines_done"] = known.get("lines_done", [])[:keep]
        case _:
            pass
