"""Every fault has its defined outcome (`make faults` prints them as a table)."""

import pytest

from tests.faults.campaign import inject
from tests.faults.lab import FAULTS


@pytest.mark.parametrize("name", FAULTS)
async def test_fault(tmp_path, name):
    await inject(name, tmp_path)
