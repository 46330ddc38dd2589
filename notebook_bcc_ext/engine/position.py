"""A planner that answers for another place than the run is at: the two are out of step."""

from __future__ import annotations

from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.errors import OutOfStepError
from notebook_bcc_ext.protocol.planner.calls import PlannerRequest, PlanningAnswer
from notebook_bcc_ext.protocol.planner.observation import CurrentLocation

_LEVELS = ("stage", "step", "behavior")


def is_out_of_step(
    world: World, request: PlannerRequest, answer: PlanningAnswer, *, told: bool
) -> bool:
    """Whether to ask once more: the planner is then told where the run is. Raises OutOfStepError
    when it has been `told` and goes on answering for elsewhere."""
    asked = request.observation.location.current
    elsewhere = _elsewhere(asked, answer, with_behavior=request.behavior_feedback is not None)
    if elsewhere is None:
        return False
    here = _words({level: getattr(asked, f"{level}_id") for level in _LEVELS})
    text = f"the planner answered for {elsewhere}, but the run is at {here}"
    if told:
        raise OutOfStepError(f"{text}; it was told so and did not follow: restart the planner")
    world.warn(f"{text}: the answer was not used, and the planner is asked again")
    return True


def _elsewhere(
    asked: CurrentLocation, answer: PlanningAnswer, *, with_behavior: bool
) -> str | None:
    """Before a behavior an id of one means the next, so it is no place to compare."""
    levels = _LEVELS if with_behavior else _LEVELS[:2]
    named = {level: getattr(answer.place, f"{level}_id") for level in levels}
    differs = any(
        said is not None and (here := getattr(asked, f"{level}_id")) is not None and said != here
        for level, said in named.items()
    )
    return _words(named) if differs else None


def _words(place: dict[str, str | None]) -> str:
    return ", ".join(f"{level} '{one}'" for level, one in place.items() if one is not None)
