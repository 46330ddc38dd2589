"""The short form of `make soak`: two runs with constant output come to their ends."""

import pytest

from tests.soak.campaign import soak


@pytest.mark.timeout(280)
async def test_a_short_soak(tmp_path):
    samples = await soak(0.2, tmp_path)
    assert samples[-1].sizes["endless.ipynb"] > 100_000
