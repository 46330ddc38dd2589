"""O12: how large an observation is, and that a filtered one is smaller."""

from __future__ import annotations

import json
from dataclasses import replace

from notebook_bcc_ext.fsm import follow
from notebook_bcc_ext.observation.build import ContextParts, build_observation
from notebook_bcc_ext.observation.context_filter import apply_filter
from notebook_bcc_ext.observation.effects import Effect, EffectsState
from notebook_bcc_ext.observation.progress import ProgressState
from notebook_bcc_ext.observation.sections import SectionsState
from notebook_bcc_ext.protocol.plan import WorkflowTemplate
from notebook_bcc_ext.protocol.planner.calls import ContextFilter
from notebook_bcc_ext.protocol.planner.observation import (
    NotebookSummary,
    Observation,
    TransitionRecord,
)
from notebook_bcc_ext.protocol.states import Event, State

LIMIT_BYTES = 3_800

STAGES = {
    "data_loading": ["read_files", "merge_files"],
    "data_cleaning": ["convert_types", "handle_missing", "handle_outliers", "remove_duplicates",
                      "validate_consistency"],
    "modelling": ["train_baseline"],
}  # fmt: skip
VARIABLES = {
    "df": "DataFrame(1460×79)",
    "df_train": "DataFrame(1460×81)",
    "df_test": "DataFrame(1459×80)",
    "missing_summary": {"PoolQC": 0.995, "MiscFeature": 0.963, "Alley": 0.938, "Fence": 0.808},
    "missing_groups": {"high": ["PoolQC", "MiscFeature", "Alley"], "garage": ["GarageType"]},
    "row_count": 1460,
    "target": "SalePrice",
    "numeric_columns": 38,
    "correlations": "DataFrame(38×38)",
    "report": "str(2048)",
}
EFFECTS = (
    "PoolQC         1453\nMiscFeature    1406\nAlley          1369\ndtype: int64",
    "19 features have missing values, 6.0 % of all cells",
    "MSSubClass: int64 -> object\nOverallCond: int64 -> object",
    "df.duplicated().sum() = 0",
    "garage features are missing together in 81 rows",
)


def typical_observation() -> Observation:
    """3 stages, 5 steps, 10 variables, 5 effects, no cells."""
    template = WorkflowTemplate.parse(
        {
            "name": "House prices",
            "stages": [
                {"id": stage, "goal": f"finish {stage}", "steps": [{"id": s} for s in steps]}
                for stage, steps in STAGES.items()
            ],
        }
    )
    there = ["df_train", "df_test", "df", "missing_summary"]
    progress = expecting(ProgressState(template).in_stage("data_loading"), "df_train", "df_test")
    progress = progress.behavior_ended(there).step_ended(there, confirmed=False)
    progress = progress.stage_ended(there, judged=True).in_stage("data_cleaning")
    progress = expecting(progress.in_step("convert_types"), "df").behavior_ended(there)
    progress = progress.step_ended(there, confirmed=True).in_step("handle_missing")
    steps = replace(progress.outputs.steps, expected=("df", "missing_summary"))
    progress = replace(progress, outputs=replace(progress.outputs, steps=steps))
    for _ in range(2):
        begun = expecting(progress.in_behavior(goal="count what is missing"), "missing_summary")
        taken = begun.having_taken("add: df.isna().sum()").having_taken("exec")
        progress = taken.behavior_ended(there)
    progress = progress.in_behavior(goal="fill what is missing").focused(
        {"behaviors": "Fill numeric columns with the median, the others with 'none'."}
    )
    state, history = State.IDLE, []
    for event in (Event.START_WORKFLOW, Event.START_STEP, Event.START_BEHAVIOR, Event.START_ACTION,
                  Event.COMPLETE_ACTION):  # fmt: skip
        before, state = state, follow(state, event)
        history.append(
            TransitionRecord(
                from_state=before.value,
                event=event.value,
                to_state=state.value,
                timestamp="2026-01-02T03:04:05.678Z",
            )
        )
    return build_observation(
        progress,
        ContextParts(
            state=state,
            transitions=history,
            variables=VARIABLES,
            todo_list=["fill missing values", "check outliers"],
            effects=EffectsState(tuple(map(Effect, EFFECTS))),
            notebook=NotebookSummary(
                title="House prices", cell_count=45, last_cell_type="code", last_output=EFFECTS[-1]
            ),
            sections=SectionsState(),
        ),
    )


def expecting(progress: ProgressState, *names: str) -> ProgressState:
    return replace(progress, outputs=progress.outputs.expecting(names, ()))


def size(observation: Observation) -> int:
    text = json.dumps(observation.to_wire(), ensure_ascii=False, separators=(",", ":"))
    return len(text.encode("utf-8"))


def main() -> None:
    whole = typical_observation()
    wanted = ContextFilter(
        variables_to_include=["df", "missing_groups"], focus_to_include=["behaviors", "steps"]
    )
    filtered = apply_filter(whole, wanted, {}).observation
    print(f"observation, typical position: {size(whole):,} bytes (O12: at most {LIMIT_BYTES:,})")
    print(f"the same, filtered: {size(filtered):,} bytes = {size(filtered) / size(whole):.2f} x")


if __name__ == "__main__":
    main()
