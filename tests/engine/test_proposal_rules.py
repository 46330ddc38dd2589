"""U4-U7: what a proposed update would change, whether it is sound, and what applying it keeps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_bcc_ext.engine.proposals import (
    check_update,
    describe_changes,
    parse_update,
    with_update,
)
from notebook_bcc_ext.errors import InvalidProposalError
from notebook_bcc_ext.observation.progress import ProgressState
from notebook_bcc_ext.protocol.plan import StageStepsUpdate, WorkflowTemplate, WorkflowUpdate


def template(**stages):
    return {
        "name": "W",
        "stages": [
            {"id": stage, "steps": [{"id": s} if isinstance(s, str) else s for s in steps]}
            for stage, steps in stages.items()
        ],
    }


def progress_in(plan, stage="a", step=None):
    progress = ProgressState(WorkflowTemplate.parse(plan)).in_stage(stage)
    return progress.in_step(step or progress.stage.steps[0].id)


def with_template(update, progress):
    after, _ = with_update(update, progress)
    return after


def changes_of(update, progress):
    return [
        (c.change, c.level, c.id, c.before, c.after) for c in describe_changes(update, progress)
    ]


def workflow(plan, **fields):
    return WorkflowUpdate.parse({"updated_workflow": plan, **fields})


def steps(*items, **fields):
    listed = [{"id": item} if isinstance(item, str) else item for item in items]
    return StageStepsUpdate.parse({"stage_id": "a", "updated_steps": listed, **fields})


PLAN = template(a=["s1", "s2", "s3"], b=["s4"])


@pytest.mark.parametrize(
    ("update", "changes"),
    [
        (steps("s1", "new", "s2", "s3"), [("added", "step", "new", None, None)]),
        (steps("s1", "s3"), [("removed", "step", "s2", None, None)]),
        (
            steps("s1", {"id": "s2", "name": "Look"}, "s3"),
            [("renamed", "step", "s2", "s2", "Look")],
        ),
        (steps("s1", "s3", "s2"), [("moved", "step", "s2", "2", "3")]),
        (
            steps("s1", {"id": "s2", "goal": "g"}, "s3"),
            [("changed", "step", "s2", "", "goal: g")],
        ),
        (
            steps("s1", "s2", {"id": "s3", "expected_outputs": ["df", "fit"]}),
            [("changed", "step", "s3", "", "expected_outputs: df, fit")],
        ),
        (steps("s1", "s2", "s3"), []),
        (workflow(template(a=["s1", "s2", "s3"])), [("removed", "stage", "b", None, None)]),
        (
            workflow(template(b=["s4"], a=["s1", "s2", "s3"])),
            [("moved", "stage", "a", "1", "2")],
        ),
        (
            workflow({**PLAN, "name": "Other", "goal": "more"}),
            [
                ("renamed", "workflow", "", "W", "Other"),
                ("changed", "workflow", "", "", "goal: more"),
            ],
        ),
        (
            workflow(template(a=["s1", "s2", "s3"], b=["s5"])),
            [("added", "step", "s5", None, None), ("removed", "step", "s4", None, None)],
        ),
        (workflow({"stages": PLAN["stages"]}), []),
    ],
)
def test_u5_every_kind_of_change_is_named(update, changes):
    assert changes_of(update, progress_in(PLAN)) == changes


def test_u5_one_item_moved_is_one_change():
    progress = progress_in(template(a=["1", "2", "3", "4", "5"]))
    moved = describe_changes(steps("5", "1", "2", "3", "4"), progress)
    assert [(c.change, c.id) for c in moved] == [("moved", "5")]


@pytest.mark.parametrize(
    ("update", "reason"),
    [
        (workflow({"stages": []}), "the workflow has no stages"),
        (workflow(template(a=[])), "stage 'a' has no steps"),
        (workflow({"stages": [{"id": "a", "steps": [{"id": "s"}]}] * 2}), "'a' is used twice"),
        (workflow(PLAN, nextStageId="z"), "next_stage_id 'z' is not a stage"),
        (workflow(template(done=["s"])), "no stage is left to go on with"),
        (steps(), "would have no steps"),
        (steps("s1", "s1"), "'s1' is used twice"),
        (steps("s1", next_step_id="z"), "next_step_id 'z' is not in the new steps"),
        (steps("s0"), "no step is left to go on with"),
        (StageStepsUpdate.parse({"stage_id": "z", "steps": [{"id": "s"}]}), "has no stage 'z'"),
    ],
)
def test_u4_an_unsound_update_is_refused_with_the_reason(update, reason):
    progress = progress_in(template(done=["s"], a=["s0", "s1"]), "done")
    progress = progress.stage_ended([], judged=True).in_stage("a").in_step("s0")
    progress = progress.step_ended([], confirmed=True).in_step("s1")
    with pytest.raises(InvalidProposalError, match=reason):
        check_update(update, progress)


@pytest.mark.parametrize(
    "update",
    [
        workflow(template(z=["s"])),
        workflow(template(done=["s"]), nextStageId="done"),
        steps("s2"),
        steps("s0", next_step_id="s0"),
    ],
)
def test_u4_with_somewhere_to_go_on_it_is_sound(update):
    progress = progress_in(template(done=["s"], a=["s0", "s1"]), "done")
    progress = progress.stage_ended([], judged=True).in_stage("a").in_step("s1")
    check_update(update, progress)


def test_u6_where_the_run_goes_on():
    plan = template(a=["s1"], b=["s2"])
    still_there = workflow(template(a=["s9"], c=["s"]))
    gone = workflow(template(b=["s2"], c=["s"]))
    to_c = workflow(template(b=["s2"], c=["s"]), nextStageId="c")
    places = [with_update(update, progress_in(plan))[1] for update in (still_there, gone, to_c)]
    assert places == [None, ("b", None), ("c", None)]


def test_u6_a_name_that_is_not_repeated_is_kept():
    progress = progress_in({**PLAN, "goal": "know it"})
    progress = with_template(workflow({"stages": PLAN["stages"][:1]}), progress)
    assert (progress.template.name, progress.template.goal) == ("W", "know it")


def test_u5_an_edited_proposal_is_read_like_a_proposal():
    edited = parse_update("workflow", {"stages": [{"id": "a", "steps": [{"id": "s"}]}]})
    assert isinstance(edited, WorkflowUpdate)
    assert parse_update("steps", {"stageId": "a", "steps": [{"id": "s"}]}).stage_id == "a"


# -- properties -------------------------------------------------------------------------------

TEXT = st.sampled_from(["", "x", "y"])
STEP = st.fixed_dictionaries(
    {"id": st.sampled_from("pqrs")},
    optional={"name": TEXT, "goal": TEXT, "expected_outputs": st.lists(TEXT, max_size=2)},
)
STEPS = st.lists(STEP, min_size=1, max_size=4, unique_by=lambda step: step["id"])
STAGE = st.fixed_dictionaries(
    {"id": st.sampled_from("abcd"), "steps": STEPS}, optional={"goal": TEXT}
)
STAGES = st.lists(STAGE, min_size=1, max_size=4, unique_by=lambda stage: stage["id"])
PLANS = st.fixed_dictionaries({"stages": STAGES, "name": TEXT})


def visible(plan):
    """What a person could notice of a plan."""
    return (
        plan.name,
        [
            (s.id, s.label, s.goal, [(t.id, t.label, t.goal, t.expected_outputs) for t in s.steps])
            for s in plan.stages
        ],
    )


@given(old=PLANS, new=PLANS)
def test_u5_no_change_is_told_exactly_when_nothing_changed(old, new):
    progress = ProgressState(WorkflowTemplate.parse(old))
    told = describe_changes(workflow(new), progress)
    same = visible(progress.template) == visible(WorkflowTemplate.parse(new))
    assert (told == []) == same


@given(old=PLANS, new=PLANS)
def test_u6_applying_keeps_history_and_then_nothing_is_left_to_change(old, new):
    progress = ProgressState(WorkflowTemplate.parse(old))
    first = progress.template.stages[0]
    progress = progress.in_stage(first.id).in_step(first.steps[0].id).in_behavior()
    progress = progress.behavior_ended(["df"]).step_ended(["df"], confirmed=True)
    progress = progress.stage_ended(["df"], judged=True)
    before = progress.location().progress
    progress = with_template(workflow(new), progress)
    after = progress.location().progress
    for level in ("stages", "steps", "behaviors"):
        assert getattr(after, level).completed == getattr(before, level).completed
    assert describe_changes(workflow(new), progress) == []


@given(plan=PLANS, new=STEPS)
def test_u7_applying_steps_changes_that_stage_only(plan, new):
    progress = ProgressState(WorkflowTemplate.parse(plan))
    target = progress.template.stages[-1].id
    others = [visible(WorkflowTemplate(stages=[s])) for s in progress.template.stages[:-1]]
    update = StageStepsUpdate.parse({"stage_id": target, "steps": new})
    progress = with_template(update, progress)
    assert [step.id for step in progress.template.stages[-1].steps] == [s["id"] for s in new]
    assert [visible(WorkflowTemplate(stages=[s])) for s in progress.template.stages[:-1]] == others
