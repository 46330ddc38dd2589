"""The short form of `make chaos`: a run killed a few times loses nothing and doubles nothing."""

import random

import pytest

from tests.chaos.campaign import campaign


@pytest.mark.timeout(280)
async def test_a_run_survives_being_killed():
    damage = await campaign(moments=5, seed=random.SystemRandom().randrange(10**6))
    assert damage.moments == 5
    assert damage.none, damage
