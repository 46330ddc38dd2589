"""What a planner asked to see in the next generating request (O11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from notebook_bcc_ext.observation.effects import (
    WARN,
    Told,
    Warn,
    about_name,
    effects_view,
    with_cells,
)
from notebook_bcc_ext.observation.patterns import PatternSet, select
from notebook_bcc_ext.observation.summaries import is_strategy, summarize_json
from notebook_bcc_ext.protocol.planner.calls import ContextFilter, EffectsConfig, OutputsTracking
from notebook_bcc_ext.protocol.planner.observation import (
    Effects,
    LevelProgress,
    Location,
    Observation,
    Progress,
)

ABOUT_FILTER = "filter"


@dataclass(frozen=True)
class Filtered:
    observation: Observation
    warnings: list[Warn]
    """For the run's own effects: the planner learns what it asked for in vain."""


def apply_filter(
    observation: Observation, wanted: ContextFilter, kernel_summaries: Mapping[str, Any]
) -> Filtered:
    """The observation cut to what the filter names. Nothing that it leaves out gets through."""
    warnings: list[Warn] = []
    context = observation.context
    variables = _variables(context.variables, wanted, kernel_summaries, warnings)
    effects = context.effects
    if wanted.effects_config is not None:
        effects = _effects(effects, wanted.effects_config, warnings)
    elif warnings:
        current, history = with_cells(effects)
        effects = effects_view([*current, *_lines(warnings)], history)
    location = _location(observation.location, wanted)
    filtered = Observation(
        location=location,
        context=context.model_copy(update={"variables": variables, "effects": effects}),
    )
    return Filtered(filtered, warnings)


def _variables(
    variables: Mapping[str, Any],
    wanted: ContextFilter,
    kernel_summaries: Mapping[str, Any],
    warnings: list[Warn],
) -> dict[str, Any]:
    """What is to be summarised is not told in full, also where it is named in both lists."""
    strategies = wanted.variables_to_summarize
    if wanted.variables_to_include is None:
        result = {k: v for k, v in variables.items() if k not in strategies}
    else:
        result = {k: variables[k] for k in wanted.variables_to_include if k in variables}
        warnings.extend(
            Warn(f"Variable '{name}' requested but not found in context", about_name(name))
            for name in wanted.variables_to_include
            if name not in variables
        )
    for name, strategy in strategies.items():
        if name in kernel_summaries and is_strategy(strategy):
            result[name] = kernel_summaries[name]
        elif name not in variables:
            if name in (wanted.variables_to_include or ()):
                continue  # It has been said already.
            text = f"Variable '{name}' to be summarised but not found in context"
            warnings.append(Warn(text, about_name(name)))
        elif is_strategy(strategy):
            result[name] = summarize_json(variables[name], strategy)
        else:
            text = f"unknown summary '{strategy}' for variable '{name}'"
            warnings.append(Warn(text, ABOUT_FILTER))
    return result


def _lines(warnings: list[Warn]) -> list[Told]:
    return [(WARN + warning.text, None) for warning in warnings]


def _effects(effects: Effects, config: EffectsConfig, warnings: list[Warn]) -> Effects:
    include = PatternSet(config.patterns.include)
    exclude = PatternSet(config.patterns.exclude)

    def chosen(entries: list[Told], *, wanted: bool, limit: int | None) -> list[Told]:
        return _last(select(entries, include, exclude), limit) if wanted else []

    current, history = with_cells(effects)
    told = effects_view(
        chosen(
            [*current, *_lines(warnings)],
            wanted=config.include_current,
            limit=config.current_limit,
        ),
        chosen(history, wanted=config.include_history, limit=config.history_limit),
    )
    found = (*include.warnings, *exclude.warnings)
    warnings.extend(Warn(text, ABOUT_FILTER) for text in found)
    return told


def _last(lines: list[Told], limit: int | None) -> list[Told]:
    """The latest lines: they say most about what comes next."""
    if limit is None:
        return lines
    return lines[-limit:] if limit else []


def _location(location: Location, wanted: ContextFilter) -> Location:
    progress = location.progress
    if progress is None:
        return location
    if wanted.outputs_tracking is not None:
        progress = _with_expected_outputs(progress, wanted.outputs_tracking)
    if wanted.focus_to_include is not None:
        levels = {
            level: _focus_only(getattr(progress, level))
            for level in dict.fromkeys(wanted.focus_to_include)
        }
        progress = Progress.model_validate(levels)
    return Location(current=location.current, progress=progress, goals=location.goals)


def _focus_only(level: LevelProgress) -> dict[str, Any]:
    return {
        "current": level.current,
        "focus": level.focus,
        "current_outputs": level.current_outputs.to_wire(),
    }


def _with_expected_outputs(progress: Progress, tracking: OutputsTracking) -> Progress:
    behaviors = progress.behaviors
    names = [*behaviors.current_outputs.expected, *tracking.expected_variables]
    outputs = {
        **behaviors.current_outputs.to_wire(),
        "expected": list(dict.fromkeys(names)),
    }
    if tracking.validation_required:
        outputs["validation_required"] = tracking.validation_required
    changed = type(behaviors).model_validate({**behaviors.to_wire(), "current_outputs": outputs})
    return progress.model_copy(update={"behaviors": changed})
