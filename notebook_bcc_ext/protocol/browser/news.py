"""What all news of a run have in common."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field

from notebook_bcc_ext.protocol.base import BrowserModel
from notebook_bcc_ext.protocol.clock import utc_now

Json = dict[str, Any]
PlannerCall = Literal["planning", "feedback", "generating"]
Levels = Literal["stages", "steps", "behaviors"]
When = Literal["before", "beside", "after"]
"""Whether an answer came before a behavior, with its actions, or after they ran."""


class Dated(BrowserModel):
    """Small, typed and dated; never changed."""

    model_config = ConfigDict(frozen=True, populate_by_name=True)

    time: str = Field(default_factory=utc_now)
