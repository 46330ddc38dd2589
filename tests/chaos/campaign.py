"""Kills a Jupyter server at random moments of a run and starts it again, until the run is done;
then counts the damage.

    python -m tests.chaos.campaign [--moments 200] [--seed N]

Printed: moments tried, cells lost, cells doubled, code run twice, proposals lost, and what else
must not be. All must be 0.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.chaos import moments as moment
from tests.chaos.person import Person
from tests.chaos.story import NOTEBOOK, Answers, Damage, count_damage, script
from tests.support.planner_server import ScriptedPlanner
from tests.support.real_server import RealServer

RUN_GUARD_SECONDS = 900
KILLED_WHEN_DONE = 0.25


async def campaign(moments: int, seed: int) -> Damage:
    print(f"seed {seed}", flush=True)
    chance = random.Random(seed)
    damage = Damage()
    began = time.monotonic()
    while damage.moments < moments:
        folder = Path(tempfile.mkdtemp(prefix="chaos-"))
        before = str(damage)
        async with asyncio.timeout(RUN_GUARD_SECONDS), ScriptedPlanner() as planner:
            await OneRun(folder, planner, chance, damage, moments).to_its_end()
        print(f"  {time.monotonic() - began:5.0f} s  {damage}", flush=True)
        if damage.none or before == str(damage):
            shutil.rmtree(folder)
        else:
            print(f"  what is left: {folder}", flush=True)
    return damage


class OneRun:
    def __init__(
        self,
        folder: Path,
        planner: ScriptedPlanner,
        chance: random.Random,
        damage: Damage,
        moments: int,
    ) -> None:
        self._planner = planner
        self._chance = chance
        self._damage = damage
        self._moments = moments
        self._answers = Answers()
        self._server = RealServer(folder)
        self._known = False
        script(planner, self._server.notebooks)

    async def to_its_end(self) -> None:
        done = False
        try:
            while not done:
                await self._server.start()
                done = await self._one_life()
        finally:
            await self._server.stop()
        self._damage.runs += 1
        count_damage(self._server.notebooks, self._answers, self._damage)

    async def _one_life(self) -> bool:
        """Until the run is done, or the moment to kill has come."""
        person = await self._open_the_page()
        to_the_end = asyncio.create_task(person.see_it_through())
        if self._damage.moments >= self._moments:
            await to_the_end
            return True
        kind = moment.choose(self._chance)
        its_time = asyncio.create_task(moment.wait_for(kind, self._server, person, self._chance))
        await asyncio.wait({to_the_end, its_time}, return_when=asyncio.FIRST_COMPLETED)
        done = to_the_end.done()
        if done:
            to_the_end.result()
            its_time.cancel()
            if self._chance.random() > KILLED_WHEN_DONE:
                return True
            # Whoever sees the run done may pull the plug.
            kind = "done"
        self._server.kill()
        for task in (to_the_end, its_time):
            task.cancel()
        await asyncio.gather(to_the_end, its_time, return_exceptions=True)
        self._damage.moments += 1
        self._damage.kinds[kind] += 1
        self._damage.states[person.sees.get("state", "before the first look")] += 1
        return done

    async def _open_the_page(self) -> Person:
        runs = (await self._server.get("runs"))["runs"]
        if not runs:
            self._damage.runs_lost += self._known
            self._known = True
            address = {"kind": "http", "url": self._planner.url}
            runs = [await self._server.start_run({"notebook": NOTEBOOK, "planner": address})]
        [run] = runs
        waiting = self._answers.open_proposal
        if waiting is not None:
            # It is asked again a moment after the store was read.
            run = await self._server.until(run["id"], "waiting")
            self._damage.proposals_lost += run["pending"]["id"] != waiting
            self._answers.open_proposal = None
        return Person(self._server, run["id"], self._answers, self._chance)


def report(damage: Damage) -> None:
    print(f"\n{damage}")
    for title, counted in (("killed while", damage.kinds), ("in state", damage.states)):
        print(f"{title}: " + ", ".join(f"{name} {n}" for name, n in counted.most_common()))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--moments", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options = parser.parse_args()
    damage = asyncio.run(campaign(options.moments, options.seed))
    report(damage)
    return 0 if damage.none else 1


if __name__ == "__main__":
    sys.exit(main())
