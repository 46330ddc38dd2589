"""Answers that no sane planner gives, made from a seed: values, bodies, headers, chunks."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

Json = dict[str, Any]

WORDS = (
    "", "a", "s1", "stage", "__proto__", "constructor", "lastAddedCellId", "behavior_001",
    "é中文🙂", "\u0000", "\ud800", "\u202e", "<script>alert(1)</script>", "{{7*7}}",
    "../../etc/passwd", "x" * 5_000, "\n", "None", "true", "-1", "1e999", "(a+)+$", "[", "**",
    "# title",
)  # fmt: skip
NUMBERS = (0, -1, 1, 2**31, 2**63, -(2**70), 1e308, 0.1, 10**400, float("nan"), float("inf"))
DEEP = 5_000
SANE_BYTES = 0.7
ANSWER_FIELDS = (
    "targetAchieved", "target_achieved", "transition", "context_update", "contextUpdate",
    "context_filter", "behavior", "metadata", "workflow_update", "stage_steps_update", "variables",
    "todo_list_update", "section_progress", "workflow_progress", "progress_update",
    "effects_update", "outputs", "continue_behaviors", "next_stage_id", "next_step_id",
    "updated_workflow", "updated_steps", "stages", "steps", "id", "goal", "focus", "level",
    "variables_to_include", "variables_to_summarize", "effects_config", "patterns", "include",
    "expected", "promote", "estimated_remaining_behaviors",
)  # fmt: skip
ACTION_TYPES = (
    "add", "add-text", "exec", "execute_code", "is_thinking", "finish_thinking", "new_chapter",
    "new_section", "add_section", "new_step", "update_title", "update_workflow", "next_event",
    "update_stage_steps", "end_phase", "comment_result", "update_last_text",
    "set_effect_as_thinking", "promote_artifact", "no_such_action",
)  # fmt: skip
ACTION_FIELDS = (
    "content", "shot_type", "shotType", "codecell_id", "codecellId", "store_id", "need_output",
    "auto_debug", "keep_debug_button_visible", "agent_name", "custom_text", "thinking_text",
    "text_array", "title", "metadata", "updated_workflow", "stage_id", "updated_steps", "step_id",
    "event_type", "section_id", "section_number", "variable_name", "artifact_id", "description",
)  # fmt: skip


class Strange:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def value(self, depth: int = 0) -> Any:
        kinds = ["word", "word", "number", "flag", "nothing"]
        if depth < 4:
            kinds += ["list", "object", "object"]
        match self.chance.choice(kinds):
            case "word":
                return self.chance.choice(WORDS)
            case "number":
                return self.chance.choice(NUMBERS)
            case "flag":
                return self.chance.random() < 0.5
            case "list":
                return [self.value(depth + 1) for _ in range(self.chance.randrange(4))]
            case "object":
                return self.object(ANSWER_FIELDS, depth + 1)
            case _:
                return None

    def object(self, fields: tuple[str, ...], depth: int = 0) -> Json:
        names = self.chance.sample(fields, self.chance.randrange(min(5, len(fields) + 1)))
        return {name: self.value(depth) for name in names}

    def spoiled(self, value: Any) -> Any:
        """A sane value with something wrong in it, somewhere."""
        if isinstance(value, dict) and value and self.chance.random() < 0.8:
            name = self.chance.choice(list(value))
            return {**value, name: self.spoiled(value[name])}
        if isinstance(value, list) and value and self.chance.random() < 0.7:
            index = self.chance.randrange(len(value))
            return [self.spoiled(v) if i == index else v for i, v in enumerate(value)]
        return self.value()

    def action(self) -> Json:
        kind = self.chance.choice(ACTION_TYPES)
        key = self.chance.choice(("action", "type"))
        sane = {"content": "print(1)", "codecell_id": "lastAddedCellId", "title": "t"}
        action = {**sane, **self.object(ACTION_FIELDS), key: kind}
        return {"action": action} if self.chance.random() < 0.5 else action

    def bytes_of(self, value: Any) -> bytes:
        """As JSON, and sometimes not quite."""
        text = json.dumps(value, ensure_ascii=self.chance.random() < 0.5)
        data = text.encode("utf-8", "surrogatepass")
        if self.chance.random() < SANE_BYTES:
            return data
        return self.chance.choice(
            (
                data[: self.chance.randrange(len(data) + 1)],
                b"\xef\xbb\xbf" + data,
                text.encode("utf-16", "surrogatepass"),
                b"[" * DEEP + data,
                b'{"a":' * DEEP + b"1" + b"}" * DEEP,
                self.chance.randbytes(self.chance.randrange(200)),
                b'{"targetAchieved": true, "targetAchieved": "no", "n": ' + b"9" * 6_000 + b"}",
            )
        )

    def chunks(self, data: bytes) -> list[bytes]:
        cuts = sorted(self.chance.randrange(len(data) + 1) for _ in range(self.chance.randrange(4)))
        edges = [0, *cuts, len(data)]
        return [data[a:b] for a, b in itertools.pairwise(edges)]

    def status(self) -> int:
        return self.chance.choice((200,) * 40 + (100, 204, 301, 400, 404, 418, 429, 500, 503, 599))

    def headers(self) -> dict[str, str]:
        match self.chance.randrange(30):
            case 0:
                return {"Content-Encoding": "gzip"}
            case 1:
                return {"Content-Type": "text/html; charset=utf-7"}
            case 2:
                return {"Content-Length": str(self.chance.choice((0, 1, 10**9)))}
            case 3:
                return {"Retry-After": self.chance.choice(("-1", "soon", "99999999", "nan"))}
            case _:
                return {"Content-Type": "application/x-ndjson"}
