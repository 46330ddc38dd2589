"""Builds what the planner is told, from the real kernel and notebook (P2, O4, O11)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from notebook_bcc_ext.engine.inputs import initial_variables
from notebook_bcc_ext.engine.world import World
from notebook_bcc_ext.errors import KernelError
from notebook_bcc_ext.observation.budget import fit
from notebook_bcc_ext.observation.build import (
    ContextParts,
    build_observation,
    hidden_inputs,
    merged_variables,
)
from notebook_bcc_ext.observation.context_filter import ABOUT_FILTER, apply_filter
from notebook_bcc_ext.observation.effects import about_name
from notebook_bcc_ext.ports import Variables
from notebook_bcc_ext.protocol.browser.facts import BehaviorChecked, NamesSeen
from notebook_bcc_ext.protocol.planner.calls import BehaviorFeedback, PlannerRequest, RequestOptions
from notebook_bcc_ext.protocol.planner.observation import NotebookSummary, Observation

_ABOUT_VARIABLES = "variables"
_ABOUT_PRESENT = "present"


class Observer:
    def __init__(self, world: World) -> None:
        self._world = world

    async def variables(self) -> Variables:
        """The kernel's variables; trouble with them is a warning for as long as it lasts."""
        variables = await self._world.runner.variables()
        self._warn_while(_ABOUT_VARIABLES, variables.notice)
        self._world.settle(*map(about_name, variables.values))
        return variables

    async def present(self, names: Sequence[str]) -> set[str]:
        """Which names the kernel has; one that cannot be asked has none, and that is said once."""
        if not names:
            return set()
        trouble, found = None, set[str]()
        try:
            found = await self._world.runner.present(names)
        except KernelError as error:
            trouble = f"what was produced could not be checked: {error}"
        self._warn_while(_ABOUT_PRESENT, trouble)
        self._world.settle(*map(about_name, found))
        return found

    def _warn_while(self, about: str, trouble: str | None) -> None:
        if trouble is None:
            self._world.settle(about)
        else:
            self._world.warn(trouble, about)

    async def note_present(self) -> None:
        """After an action: how much of what is expected exists by now (O9)."""
        names = self._world.state.progress.outputs.names()
        if names:
            present = await self.present(names)
            self._world.ledger.record(NamesSeen(present=sorted(present)))

    async def check_behavior(self) -> None:
        """Before it is reported: what it made is produced, and nothing is in progress (O9)."""
        outputs = self._world.state.progress.outputs
        present = await self.present(outputs.names())
        for warning in outputs.behaviors.missing(present, "behavior"):
            self._world.warn(*warning)
        self._world.ledger.record(BehaviorChecked(present=sorted(present)))

    async def observation(self) -> Observation:
        """What the planner would be told now."""
        return self._fit(await self._whole(None))

    def _fit(self, observation: Observation) -> Observation:
        return fit(observation, self._world.settings.max_observation_bytes)

    async def _whole(self, cells: int | None) -> Observation:
        """Everything, with so many cells as a filter asks for."""
        world = self._world
        kernel = await self.variables()
        state = world.state
        shown = world.settings.fsm_history_shown
        return build_observation(
            state.progress,
            ContextParts(
                state=state.state,
                transitions=state.history[-max(1, shown) :],
                variables=merged_variables(state.variables, kernel.values),
                todo_list=list(state.todo_list),
                effects=state.effects,
                notebook=self._notebook(cells),
                sections=state.sections,
                workflow_progress=state.workflow_progress,
                hidden_inputs=hidden_inputs(self._inputs(), kernel.values),
                history_shown=shown,
            ),
        ).require_progress()

    def _inputs(self) -> dict[str, Any]:
        """What the person gave at the start, as the planner may have refined it since."""
        said = self._world.state.variables
        return {name: said[name] for name in initial_variables(self._world.request) if name in said}

    async def _after_all_actions(self, cells: int | None = None) -> Observation:
        """For the planner: the cell that has just ended is told, and is on disk."""
        await self._world.notebook.stored()
        return await self._whole(cells)

    async def planning_request(self, feedback: BehaviorFeedback | None = None) -> PlannerRequest:
        return self._request(await self._after_all_actions(), feedback, stream=False)

    async def generating_request(self, feedback: BehaviorFeedback | None = None) -> PlannerRequest:
        """The observation as the last planning answer wanted it."""
        wanted = self._world.state.context_filter
        asked = wanted.notebook.cells if wanted and wanted.notebook else None
        observation = await self._after_all_actions(asked)
        if wanted is not None:
            summaries = await self._summaries(wanted.variables_to_summarize)
            # Patterns come from a stranger: matching them must not hold up the event loop.
            filtered = await asyncio.to_thread(apply_filter, observation, wanted, summaries)
            self._world.settle(ABOUT_FILTER)
            for warning in filtered.warnings:
                self._world.warn(*warning)
            observation = filtered.observation
        return self._request(observation, feedback, stream=self._world.settings.stream)

    async def _summaries(self, strategies: Mapping[str, str]) -> dict[str, Any]:
        if not strategies:
            return {}
        try:
            return await self._world.runner.summarize(strategies)
        except KernelError as error:
            # The short descriptions are still there; the filter falls back on them.
            self._world.warn(f"variables could not be summarised in the kernel: {error}")
            return {}

    def _request(
        self, observation: Observation, feedback: BehaviorFeedback | None, *, stream: bool
    ) -> PlannerRequest:
        fields: dict[str, Any] = {
            "observation": self._fit(observation),
            "options": RequestOptions(stream=stream),
        }
        if feedback is not None:
            fields["behavior_feedback"] = feedback
        return PlannerRequest(**fields)

    def _notebook(self, cells: int | None) -> NotebookSummary:
        summary = self._world.notebook.summary()
        settings = self._world.settings
        if cells is None and settings.notebook_cells == "full":
            cells = settings.notebook_cells_limit
        if not cells:
            return summary
        recent = self._world.notebook.recent_cells(cells)
        metadata = self._world.notebook.notebook_metadata()
        return summary.model_copy(update={"cells": recent, "metadata": metadata})
