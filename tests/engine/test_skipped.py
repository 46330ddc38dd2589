"""A12, A17, F15, P4, P5: what is not run is counted and told, and stops nothing by itself."""

import pytest

from tests.engine.harness import lab
from tests.support.planner_answers import RUN, add, say

FAILING = add("1/0")
REPAIRED = {**RUN, "auto_debug": True}


def play(room, *behaviors, step="read"):
    room.planner.step(step, behaviors=[list(actions) for actions in behaviors])


def effects_told(room):
    context = room.planner.seen("/planning")[-1].body["observation"]["context"]
    return str(context["effects"])


NO_ACTIONS = (
    '{"action": null}',
    '{"type": null}',
    '{"action": {}}',
    '{"action": {"foo": 1}}',
    '{"action": {"action": null}}',
    '{"action": 5}',
    '{"action": ["add"]}',
    '{"foo": 1}',
)


@pytest.mark.parametrize("line", NO_ACTIONS)
async def test_b8_a_line_without_an_action_is_skipped_and_counted(tmp_path, line):
    async with lab(tmp_path) as room:
        play(room, [line, say("x")])
        await room.go()
        assert room.state == "workflow_completed", room.run.view().error
        assert await room.sources() == ["x"]
        assert room.run.view().counts.lines_skipped == 1
        assert room.feedback()[0]["lines_skipped"] == 1
        assert "it holds no action" in effects_told(room)


async def test_b8_a_behavior_without_actions_claims_no_success(tmp_path):
    async with lab(tmp_path) as room:
        play(room, [], [say("x")])
        await room.go()
        assert [f["last_action_result"] for f in room.feedback()] == [
            "no action was run",
            "success",
        ]


async def test_b8_update_last_text_without_a_text_adds_it(tmp_path):
    async with lab(tmp_path) as room:
        play(room, [add("x = 1"), {"action": "update_last_text", "content": "the text"}, say("y")])
        await room.go()
        assert room.state == "workflow_completed", room.run.view().error
        assert await room.sources() == ["x = 1", "the text", "y"]
        assert room.feedback()[0]["actions_succeeded"] == 3
        assert "update_last_text" in effects_told(room)


async def test_b8_effects_become_a_thought_also_where_none_was_open(tmp_path):
    async with lab(tmp_path) as room:
        play(room, [add("print('seen')"), RUN, {"action": "set_effect_as_thinking"}])
        await room.go()
        assert room.state == "workflow_completed", room.run.view().error
        thought = (await room.cells())[1]
        assert "seen" in thought.source
        assert thought.metadata["finished_thinking"] is True


async def test_b8_actions_behind_a_failure_are_counted_and_told(tmp_path):
    async with lab(tmp_path) as room:
        play(room, [FAILING, REPAIRED, say("one"), add("two"), RUN], [say("repaired")])
        await room.go()
        assert room.state == "workflow_completed", room.run.view().error
        first, second = room.feedback()
        assert first["actions_skipped"] == 3
        assert "actions_skipped" not in second
        counts = room.run.view().counts
        assert (counts.actions, counts.actions_failed, counts.actions_skipped) == (3, 1, 3)
        told = next(s for s in room.planner.requests if s.is_feedback)
        effects = told.body["observation"]["context"]["effects"]["current"]
        assert any("not run of this behavior: 3 more actions" in line for line in effects)


async def test_b8_actions_behind_a_failure_that_ends_the_run_are_counted_too(tmp_path):
    async with lab(tmp_path) as room:
        play(room, [FAILING, RUN, say("one"), say("two")])
        await room.go()
        assert room.state == "error"
        assert room.run.view().counts.actions_skipped == 2
        assert any("2 more actions" in text for text in room.warnings())


async def test_b5_retry_goes_on_once_the_ceiling_was_raised(tmp_path):
    async with lab(tmp_path, max_behaviors_per_step=3) as room:
        play(room, *[[say(str(number))] for number in range(5)])
        await room.go()
        assert room.state == "error"
        assert "not finished after 3 behaviors" in room.run.view().error.message
        assert room.run.view().counts.behaviors == 3
        await room.command("retry")
        await room.to_rest()
        assert room.state == "error"
        world = room.run.world
        world.settings = world.settings.model_copy(update={"max_behaviors_per_step": 5})
        await room.command("retry")
        await room.to_rest()
        assert room.state == "workflow_completed", room.run.view().error
        assert await room.sources() == ["0", "1", "2", "3", "4"]
        view = room.run.view()
        assert view.counts.behaviors == 5
        assert view.progress.stages[0].steps[0].behaviors == 5
        assert [s.iteration for s in room.planner.seen("/generating")] == [1, 2, 3, 4, 5]
