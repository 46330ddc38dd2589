"""The short form of `make fuzz`: some hundred answers that no sane planner gives."""

import random

import pytest

from tests.fuzz.campaign import FuzzCampaign


@pytest.mark.timeout(280)
async def test_strange_answers_break_nothing():
    seed = random.SystemRandom().randrange(10**6)
    tally = await FuzzCampaign(400, seed).carry_out()
    assert not tally.unhandled, (seed, tally.unhandled[:5])
    assert not tally.hung, seed
