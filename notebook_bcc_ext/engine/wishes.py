"""Where the planner wants the run to go on: is there such a place? (F11)"""

from __future__ import annotations

from collections.abc import Iterable

from notebook_bcc_ext.engine.proposals import Update
from notebook_bcc_ext.engine.state import Jump
from notebook_bcc_ext.errors import NotFoundError
from notebook_bcc_ext.observation.progress import ProgressState
from notebook_bcc_ext.protocol.plan import StageTemplate, WorkflowUpdate
from notebook_bcc_ext.protocol.states import State

_BETWEEN_STAGES = (State.IDLE, State.STAGE_COMPLETED)


def check_wish(
    wish: Jump | None,
    progress: ProgressState,
    state: State,
    proposed: Iterable[Update] = (),
) -> None:
    """Raise NotFoundError for an id that neither the workflow has nor what is `proposed`."""
    if wish is None:
        return
    stages = [*progress.template.stages, *_proposed_stages(proposed)]
    if wish.stage_id is not None:
        if all(stage.id != wish.stage_id for stage in stages):
            raise NotFoundError(
                f"the planner wants to go on at stage '{wish.stage_id}', which is not in the "
                "workflow"
            )
        stages = [stage for stage in stages if stage.id == wish.stage_id]
    elif state not in _BETWEEN_STAGES:
        stages = [stage for stage in stages if stage.id == progress.stage_id]
    if wish.step_id is not None and all(stage.step(wish.step_id) is None for stage in stages):
        where = f"stage '{stages[0].id}' does not have" if len(stages) == 1 else "no stage has"
        raise NotFoundError(f"the planner wants to go on at step '{wish.step_id}', which {where}")


def _proposed_stages(proposed: Iterable[Update]) -> list[StageTemplate]:
    stages: list[StageTemplate] = []
    for update in proposed:
        if isinstance(update, WorkflowUpdate):
            stages += update.updated_workflow.stages
        else:
            stages.append(StageTemplate(id=update.stage_id, steps=update.updated_steps))
    return stages
