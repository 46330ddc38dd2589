"""A planner that tries to run script in the page, through every field that somebody sees.

Each vector calls `__hit(number)`, which the test defines in the page. All of them together are one
text, and that text is everywhere.
"""

from __future__ import annotations

from typing import Any

from tests.support.planner_answers import RUN, Stream, add, say
from tests.support.planner_server import ScriptedPlanner

Json = dict[str, Any]

TEMPLATES = (
    "<script>@</script>",
    "<img src=x onerror=@>",
    "<svg onload=@></svg>",
    "<svg><script>@</script></svg>",
    "<svg><animate onbegin=@ attributeName=x dur=1s></animate></svg>",
    '<svg><a xlink:href="javascript:@"><text y=9>x</text></a></svg>',
    '<iframe src="javascript:parent.@"></iframe>',
    '<iframe srcdoc="<script>parent.@</script>"></iframe>',
    '<a href="javascript:@">click</a>',
    '<a href="java&#x09;script:@">click</a>',
    '<a href="vbscript:@">click</a>',
    '<a href="data:text/html,<script>opener.@</script>" target=_blank>click</a>',
    "[click](javascript:@)",
    "![x](javascript:@)",
    '![x](x "onerror=@")',
    "[click]: javascript:@\n[click]",
    "<javascript:@>",
    '<object data="javascript:@"></object>',
    '<embed src="javascript:@">',
    "<math><mtext><img src=x onerror=@></mtext></math>",
    '<math href="javascript:@"><mi>x</mi></math>',
    "<details open ontoggle=@></details>",
    "<input autofocus onfocus=@>",
    "<video><source onerror=@></video>",
    "<audio src=x onerror=@></audio>",
    "<body onload=@>",
    '<div style="width:expression(@)">x</div>',
    "<div style=\"background:url('javascript:@')\">x</div>",
    "<style>@import 'javascript:@';</style>",
    "<marquee onstart=@>x</marquee>",
    '<form action="javascript:@"><button>go</button></form>',
    '<base href="javascript:@//">',
    '<meta http-equiv="refresh" content="0;url=javascript:@">',
    '<link rel=stylesheet href="javascript:@">',
    "{{constructor.constructor('@')()}}",
    "${@}",
    "<scr<script>ipt>@</scr</script>ipt>",
    "＜script＞@＜/script＞",
    "\u202e<ScRiPt>@</ScRiPt>",
    "<scr\u0000ipt>@</script>",
    '"><img src=x onerror=@>',
    "'-@-'",
    "<template><script>@</script></template>",
    '<noscript><p title="</noscript><img src=x onerror=@>"></noscript>',
    "</textarea></title><img src=x onerror=@>",
    "$$\\href{javascript:@}{x}$$",
    "$\\unicode{<img src=x onerror=@>}$",
    '<img src="x" onerror="@ ',
)
VECTORS = [
    template.replace("@", f"__hit({number})") for number, template in enumerate(TEMPLATES, start=1)
]
ALL = "\n\n".join(VECTORS)
LINE = " ".join(VECTORS).replace("\n", " ")


def step_of(step_id: str) -> Json:
    return {"id": step_id, "name": LINE, "goal": LINE, "description": LINE}


def plan(*step_ids: str) -> Json:
    stage = {"id": "stage", "name": LINE, "goal": LINE, "description": LINE,
             "steps": [step_of(step) for step in step_ids],
             "expected_outputs": [LINE]}  # fmt: skip
    return {"name": LINE, "description": LINE, "stages": [stage], "sections": [LINE]}


CONTEXT: Json = {
    "variables": {LINE[:200]: LINE, "nested": {LINE[:100]: [LINE]}},
    "todo_list_update": {"operation": "replace", "items": [LINE, ALL]},
    "progress_update": {"level": "steps", "focus": LINE},
    "section_progress": {"current_section_id": LINE},
    "workflow_progress": {"words": LINE},
    "effects_update": {"current": [LINE], "history": [ALL]},
}


def hostile(planner: ScriptedPlanner) -> None:
    """Thinks, writes, proposes another workflow, and ends in a failing cell."""
    steps = ("first", "second")
    planner.workflow(plan(*steps))
    begin = {
        "targetAchieved": False,
        "context_update": {**CONTEXT, "workflow_update": plan(*steps)},
    }
    planner.on("planning", begin, state="IDLE", times=None)
    planner.on(
        "planning",
        {"targetAchieved": False, "context_update": CONTEXT,
         "behavior": {"id": LINE[:300], "target": LINE}},
        state="STEP_RUNNING",
        times=None,
    )  # fmt: skip
    metadata = {"section_id": LINE, "thinking_text": LINE, "extra": {"note": LINE}}
    first = [
        {"action": "is_thinking", "agent_name": LINE, "custom_text": LINE, "thinking_text": ALL,
         "text_array": VECTORS},
        {"action": "finish_thinking"},
        {"action": "update_title", "title": LINE},
        {"action": "new_chapter", "content": LINE, "metadata": metadata},
        {"action": "new_section", "content": LINE, "metadata": metadata},
        {"action": LINE},
        *(say(vector, metadata=metadata) for vector in VECTORS),
        add(f"text = {ALL!r}", metadata=metadata),
        {"action": "next_event", "event_type": LINE},
        {"action": "update_workflow", "updated_workflow": plan("first", "third", "second")},
    ]  # fmt: skip
    lines = [{"action": action} for action in first]
    planner.on("generating", Stream(f"no JSON: {LINE}", *lines), step="first", times=None)
    fails = [add(f"raise RuntimeError({LINE!r})"), RUN]
    for step in ("third", "second"):
        planner.step(step, [fails])
