"""What the planner was sent, for the tests that look into it, and a plan to look at."""

PLAN = {
    "name": "houses",
    "stages": [
        {
            "id": "load",
            "goal": "load it",
            "expected_outputs": ["df"],
            "steps": [
                {"id": "read", "goal": "read it", "expected_outputs": ["raw"]},
                {"id": "check", "goal": "check it"},
            ],
        },
        {"id": "model", "goal": "model it", "steps": [{"id": "fit", "goal": "fit it"}]},
    ],
}
CONTINUE = {"targetAchieved": False, "transition": {"continue_behaviors": True}}


def observed(seen):
    return seen.body["observation"]


def context(seen):
    return observed(seen)["context"]


def progress(seen):
    return observed(seen)["location"]["progress"]


def feedbacks(room):
    return [seen for seen in room.planner.requests if seen.is_feedback]


async def completed(room):
    await room.go()
    assert room.state == "workflow_completed", room.run.view().error
