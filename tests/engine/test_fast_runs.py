"""Whole runs with everything in memory, and the same runs in a process that is killed after every
single write: another one goes on with them, and they come to the same end."""

from __future__ import annotations

import pytest

from notebook_bcc_ext.engine.fold import fold
from notebook_bcc_ext.protocol.browser.facts import Asked, Failed, RepairAsked, Retried
from tests.engine.fast import RUN_ID, Person, Room, after_every_kill
from tests.engine.fast_ports import Script
from tests.support.planner_answers import RUN, add, say

WRITES_PER_LIFE = 8
TRIED = {**RUN, "auto_debug": True}


def plan(**stages):
    return {
        "name": "fast",
        "stages": [
            {"id": stage, "steps": [{"id": step} for step in steps]}
            for stage, steps in stages.items()
        ],
    }


def steps(stage, *ids):
    return {"stage_id": stage, "updated_steps": [{"id": one} for one in ids]}


def one_step(*lines, **said):
    return Script({"only": ["one"]}, {"one": [list(lines)]}, said)


CELLS = Script(
    {"load": ["read", "look"], "end": ["report"]},
    {
        "read": [
            [
                {"action": "update_title", "title": "A title"},
                {"action": "new_chapter", "content": "Chapter"},
                say("first"),
                add("x = 1", store_id="named"),
                {"action": "exec", "codecell_id": "named"},
                {"action": "nobody_knows"},
                say("second"),
            ],
            [
                {"action": "is_thinking", "thinking_text": "hm"},
                add("y = 2"),
                RUN,
                {"action": "set_effect_as_thinking", "thinking_text": "so"},
                {"action": "finish_thinking"},
                {"action": "new_section", "content": "Section"},
            ],
        ],
        "look": [[add("z = 3"), RUN, say("looked")]],
        "report": [[say("report")]],
    },
)
REPAIRED = Script(
    {"load": ["fix"]},
    {
        "fix": [
            [say("a cell that fails"), add("boom()"), TRIED, say("not run"), add("nor this")],
            [add("z = 3"), TRIED, say("repaired")],
        ]
    },
)
RETRIED = one_step(say("try"), add("flaky()"), RUN, say("worked"))
PROPOSED = Script(
    {"load": ["read"], "end": ["report"]},
    {
        "read": [
            [
                say("before"),
                {"action": "update_stage_steps", **steps("load", "read", "more")},
                say("between"),
                {
                    "action": "update_workflow",
                    "updated_workflow": plan(load=["read", "more"], end=["report"], extra=["last"]),
                },
                say("after"),
            ]
        ],
        "more": [[say("more")]],
        "report": [[say("report")]],
        "last": [[say("bye")]],
    },
)
CARRIED = Script(
    {"load": ["read"], "end": ["report"]},
    {"read": [[say("read")]], "more": [[say("more")]], "report": [[say("report")]]},
    {
        "STEP_RUNNING read": {"context_update": {"stage_steps_update": steps("load", "read", "x")}},
        "feedback read 1": {
            "context_update": {"stage_steps_update": steps("load", "read", "x", "more")}
        },
        # Reached, and proposed in the same answer: it is asked first.
        "STAGE_COMPLETED report": {
            "context_update": {
                "workflow_update": {
                    "updated_workflow": plan(
                        load=["read", "x", "more"], end=["report"], extra=["last"]
                    )
                }
            }
        },
    },
)
ENDED = Script(
    {"only": ["one", "two"]},
    {
        "one": [
            [say("a"), {"action": "end_phase"}, say("not after the end"), say("nor this")],
            [say("never")],
        ],
        "two": [[say("two")]],
    },
)
JUMPING = Script(
    {"a": ["one", "two", "three"], "b": ["four"], "c": ["five"]},
    {step: [[say(step)]] for step in ("one", "two", "three", "four", "five")},
    {
        "feedback one 1": {
            "targetAchieved": True,
            "transition": {"next_step_id": "three", "target_achieved": True},
        },
        "STEP_COMPLETED three": {
            "targetAchieved": True,
            "transition": {"next_stage_id": "c", "target_achieved": True},
        },
    },
)
TOLD = Script(
    {"only": ["one"]},
    {"one": [[add("x = 1"), RUN, add("tmp = 1"), RUN], [say("on"), add("y = 1"), RUN]]},
    {
        "STEP_RUNNING one": {
            "context_update": {
                "variables": {"a": 1},
                "todo_list_update": {"operation": "add", "items": ["x"]},
                "outputs": {"expected": ["x"], "in_progress": ["tmp"]},
                "progress_update": [{"level": "behaviors", "focus": "here"}],
            },
            "context_filter": {"variables_to_include": ["a", "x"]},
        },
        "feedback one 1": {
            "targetAchieved": False,
            "transition": {"continue_behaviors": True},
            "context_update": {
                "variables": {"b": 2},
                "outputs": {
                    "promote": [{"variable_name": "tmp", "artifact_id": "kept@1"}],
                    "expected": ["y"],
                    "findings": ["f"],
                },
            },
        },
    },
)
SCRIPTS = {
    "cells": CELLS,
    "repaired": REPAIRED,
    "retried": RETRIED,
    "proposed": PROPOSED,
    "carried": CARRIED,
    "ended": ENDED,
    "jumping": JUMPING,
    "told": TOLD,
}


async def finished(script, person=None, **options):
    room = Room(script, **options)
    return room, await room.to_end(person, begins=True)


# -- whole runs -----------------------------------------------------------------------------------


async def test_a_run_with_cells():
    _, end = await finished(CELLS)
    assert end.state == "workflow_completed"
    assert end.cells == [
        "markdown: # A title",
        "markdown: ## Chapter",
        "markdown: first",
        "code: x = 1 -> ['of x = 1']",
        "markdown: second",
        "markdown: > 💭 so",
        "code: y = 2 -> ['of y = 2']",
        "markdown: ### Section",
        "code: z = 3 -> ['of z = 3']",
        "markdown: looked",
        "markdown: report",
    ]
    assert end.steps == {"load/read": "done 2", "load/look": "done 1", "end/report": "done 1"}
    assert set(end.tree.values()) == {"done"}


async def test_a_cell_that_fails_is_repaired():
    room, end = await finished(REPAIRED)
    assert end.cells == [
        "markdown: a cell that fails",
        "code: boom() -> ['it does not work']",
        "code: z = 3 -> ['of z = 3']",
        "markdown: repaired",
    ]
    assert len(room.news.of(RepairAsked)) == 1
    assert room.run.world.state.counts.actions_skipped == 2


async def test_a_retry_takes_the_place_of_the_attempt_before():
    room, end = await finished(RETRIED)
    assert end.state == "workflow_completed"
    assert end.cells == ["markdown: try", "code: flaky() -> ['of flaky()']", "markdown: worked"]
    assert (len(room.news.of(Failed)), len(room.news.of(Retried))) == (1, 1)


@pytest.mark.parametrize(
    ("script", "kinds"),
    [(PROPOSED, ["steps", "workflow"]), (CARRIED, ["steps", "steps", "workflow"])],
)
async def test_proposals_are_asked_and_come_into_force(script, kinds):
    room, end = await finished(script)
    assert end.state == "workflow_completed"
    assert [one.question.kind for one in room.news.of(Asked)] == kinds
    assert "extra/last" in end.steps


@pytest.mark.parametrize("name", SCRIPTS)
async def test_the_store_gives_the_run_that_was(name):
    room, _ = await finished(SCRIPTS[name])
    stored = await room.store.facts(RUN_ID)
    assert fold(stored) == room.run.world.state


# -- killed everywhere ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCRIPTS)
async def test_killed_after_every_write_it_comes_to_the_same_end(name):
    room, whole = await finished(SCRIPTS[name])
    assert await after_every_kill(room, whole) == []


async def test_killed_before_its_first_fact_was_stored():
    room, whole = await finished(CARRIED)
    first = room.disk.moments[0]
    assert first.facts == []
    assert whole.differences(await room.killed(first).to_end()) == []


@pytest.mark.parametrize("name", ["cells", "repaired", "proposed", "told"])
@pytest.mark.parametrize("approval", ["behaviors", "code"])
async def test_whatever_the_person_is_asked(name, approval):
    options = {"request": {"approval": approval}, "settings": {"approve_plan": True}}
    room, whole = await finished(SCRIPTS[name], **options)
    assert await after_every_kill(room, whole) == []


@pytest.mark.parametrize("name", ["cells", "proposed", "told"])
async def test_where_nobody_is_asked_no_cell_is_lost_and_none_runs_again(name):
    """A cell that may have run is left as it is."""
    room, whole = await finished(SCRIPTS[name], request={"approval": "none"})
    sources = room.notebook.sources()
    for moment in room.disk.moments[1:]:
        later = room.killed(moment)
        end = await later.to_end()
        assert (end.state, end.steps) == (whole.state, whole.steps)
        assert later.notebook.sources() == sources, moment.read()[-3:]
        assert not later.unasked()


@pytest.mark.parametrize("name", ["cells", "repaired", "told"])
async def test_a_lost_kernel_is_rebuilt_when_the_person_wants_it(name):
    room, whole = await finished(SCRIPTS[name])
    assert await after_every_kill(room, whole, new_kernel=True) == []


async def test_nothing_runs_twice_where_the_person_does_not_want_it():
    person = Person(refuses=lambda pending: "may have been running" in pending.summary)
    room, _ = await finished(TOLD)
    for moment in room.disk.moments[1:]:
        later = room.killed(moment)
        end = await later.to_end(person)
        assert end.state == "workflow_completed"
        cells = [cell_id for cell_id, _ in later.kernel.ran]
        assert len(cells) == len(set(cells))


async def test_a_rejected_list_of_steps_is_tried_again():
    asked: list[str] = []

    def once(pending):
        asked.append(pending.kind)
        return asked == ["steps"]

    room, whole = await finished(PROPOSED, Person(refuses=once))
    assert whole.state == "workflow_completed"
    assert await after_every_kill(room, whole) == []


async def test_what_comes_behind_a_cell_that_was_not_allowed_is_not_run():
    person = Person(refuses=lambda pending: pending.content.get("source") == "no = 1")
    script = Script(
        {"only": ["one"]},
        {"one": [[say("a"), add("no = 1"), RUN, say("not run")], [say("another way")]]},
    )
    room, whole = await finished(script, person, request={"approval": "code"})
    assert whole.cells == ["markdown: a", "code: no = 1", "markdown: another way"]
    assert await after_every_kill(room, whole, person) == []


@pytest.mark.parametrize("command", ["restart", "debug"])
async def test_other_ways_on_after_a_failure(command):
    person = Person(after_failure=(command, "retry"))
    room, whole = await finished(RETRIED, person)
    for moment in room.disk.moments[1:]:
        end = await room.killed(moment).to_end(person)
        assert end.cells == whole.cells, moment.read()[-3:]


@pytest.mark.parametrize("name", SCRIPTS)
async def test_killed_again_and_again(name):
    """No process comes further than some writes."""
    room, whole = await finished(SCRIPTS[name])
    later = room.killed(room.disk.moments[1])
    end = await later.to_end()
    while len(later.disk.moments) > WRITES_PER_LIFE:
        later = later.killed(later.disk.moments[WRITES_PER_LIFE])
        end = await later.to_end()
    assert whole.differences(end) == []
