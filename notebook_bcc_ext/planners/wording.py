"""What the embedded planner says to people, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Mapping

_SENTENCES: Mapping[str, Mapping[str, str]] = {
    "plan_ready": {
        "en": "The plan '{title}' has {stages} stages.",
        "zh": "计划“{title}”共有 {stages} 个阶段。",
    },
    "stage_begins": {"en": "{name}: {goal}", "zh": "{name}：{goal}"},
    "not_needed": {"en": "{name} is not needed: {reason}", "zh": "无需“{name}”：{reason}"},
    "nothing_applies": {
        "en": "{name}: nothing in it applies to this data.",
        "zh": "{name}：其中没有适用于该数据的内容。",
    },
    "goal_met": {"en": "{name}: the goal is met.", "zh": "{name}：目标已达成。"},
    "repairing": {
        "en": "A cell failed ({error}). {goal}",
        "zh": "有单元格运行失败（{error}）。{goal}",
    },
    "cannot_repair": {
        "en": "A cell of '{name}' failed ({error}) and the playbook knows no repair for it.",
        "zh": "“{name}”中有单元格运行失败（{error}），剧本中没有对应的修复办法。",
    },
    "goal_missed": {
        "en": "All behaviors of '{name}' ran, but its goal is not met ({check}).",
        "zh": "“{name}”的所有行为都已执行，但目标仍未达成（{check}）。",
    },
    "proposal": {
        "en": "An added step is proposed. {reasons}",
        "zh": "建议增加步骤。{reasons}",
    },
    "remaining": {"en": "{count} to go: {ids}", "zh": "还剩 {count} 项：{ids}"},
    "unanswered": {
        "en": "The report is complete, but your question was not answered; the report says why.",
        "zh": "报告已完成，但你的问题没有得到回答；原因见报告。",
    },
    "goal_not_read": {
        "en": "The plan is done. This playbook reads no questions: yours was not answered.",
        "zh": "计划已完成。该剧本不读取问题，因此你的问题没有得到回答。",
    },
    "all_done": {"en": "All planned work is done.", "zh": "计划中的工作已全部完成。"},
    "foreign_step": {
        "en": "Not done: the playbook has nothing for the step “{name}”; it is left to you.",
        "zh": "未执行：剧本中没有步骤“{name}”的内容，请自行完成。",
    },
}


def say(sentence: str, language: str, **values: object) -> str:
    texts = _SENTENCES[sentence]
    return texts.get(language, texts["en"]).format(**values)


def normalise_language(value: object) -> str:
    """`zh-CN`, `zh_Hans`, `Chinese`, `中文` -> `zh`; whatever else is not known -> `en`."""
    text = str(value or "").strip().lower()
    if text.startswith(("zh", "chinese", "中")):
        return "zh"
    return "en"


def language_of(question: object) -> str:
    """The language in which something was asked, as far as it can be told from its characters."""
    return "zh" if re.search(r"[\u4e00-\u9fff]", str(question or "")) else "en"
