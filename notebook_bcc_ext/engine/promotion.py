"""Temporaries that a planner wants to keep as artifacts (O10)."""

from __future__ import annotations

from collections.abc import Sequence

from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.errors import KernelError
from notebook_bcc_ext.protocol.browser.facts import Promoted
from notebook_bcc_ext.protocol.clock import utc_now
from notebook_bcc_ext.protocol.planner.calls import Level, Promotion
from notebook_bcc_ext.protocol.planner.observation import Artifact
from notebook_bcc_ext.protocol.states import State


async def promote(world: World, promotion: Promotion) -> None:
    """Rename in the kernel, then register: an artifact that is registered exists."""
    new_name = promotion.artifact_id.replace("@", "_")
    await world.runner.promote(promotion.variable_name, new_name)
    artifact = Artifact(
        artifact_id=promotion.artifact_id,
        variable_name=new_name,
        description=promotion.description,
        source=world.state.progress.behavior_id,
        parent=promotion.variable_name,
        created_at=utc_now(),
    )
    level = _level(world.state.state)
    world.ledger.record(Promoted(artifact=artifact.to_wire(), level=level))


def _level(state: State) -> Level:
    """Who owns what is promoted now: between behaviors there is none that could keep it."""
    match state:
        case State.STEP_RUNNING:
            return "steps"
        case State.STAGE_RUNNING | State.STEP_COMPLETED:
            return "stages"
        case _:
            return "behaviors"


async def promote_all(world: World, promotions: Sequence[Promotion]) -> None:
    """Those of a planning answer: one that cannot be done is a warning to the planner."""
    for promotion in promotions:
        try:
            await promote(world, promotion)
        except KernelError as error:
            world.warn(f"'{promotion.variable_name}' was not promoted: {error}")
