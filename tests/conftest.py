"""Fixtures that every test may use."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings

# A busy machine is slow; that is not what the properties are about.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

pytest_plugins = ("pytest_jupyter.jupyter_server",)


@pytest.fixture
def jp_server_config() -> dict[str, Any]:
    return {"ServerApp": {"jpserver_extensions": {"notebook_bcc_ext": True}}}
