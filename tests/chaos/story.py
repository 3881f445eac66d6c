"""One run: patients are booked and reminded while everything around them dies, then it grows calm, then the books are read."""

from __future__ import annotations

import random
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.chaos.deaths import Ticks, WebWorkers, read_diary
from tests.chaos.figures import Figures, left_open
from tests.chaos.nursery import Fate, Nursery
from tests.chaos.steps import STEPS
from tests.chaos.world import ACCOUNTS, TOKEN, Account, Books, World, new_world

CALM_TICKS, CALM_TICK_SECONDS = 2, 8
GRACE_SECONDS = 12.0
"""Longer than the simulator takes to tell a receipt again that our killed web server did not take."""
CROWD_PATIENCE_SECONDS = 180
LOOK_SECONDS = 0.05
PAUSE = threading.Event()
RESTART_SECONDS = 4.0
TEMPLATE_TICKS = 20
TEMPLATES_NEEDED = 2 * len(ACCOUNTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to do, and how long at most.

    extra_seconds: the chaos goes on for so long, if a named step lacks deaths.
    withhold_receipts: the provider never says what became of anything, so what is in doubt must stay in doubt. Then the
    database is restarted amid the deaths, and web workers die all the time. With receipts both come by themselves: whatever
    is in doubt when our webhook was away is a person's to decide, by design, and the rest is to be seen too.
    """

    messages: int
    seed: int
    chaos_seconds: float
    extra_seconds: float = 60.0
    calm_seconds: float
    deaths_a_step: int = 1
    web_kills: int = 4
    web_bout_seconds: float = 10.0
    withhold_receipts: bool = False

    @property
    def patience_seconds(self) -> float:
        return 20.0 if self.withhold_receipts else 400.0


def tell(plan: Plan, *, say: Callable[[str], None]) -> Figures:
    """Run it, and say what came of it."""
    begun = time.monotonic()
    with (
        new_world(grace_seconds=GRACE_SECONDS, patience_seconds=plan.patience_seconds) as world,
        world.books() as books,
    ):
        # Without receipts nobody calls our webhook.
        steps = [step for step in STEPS if step.dies == "tick" or not plan.withhold_receipts]
        with world.nursery() as nursery:
            figures = Figures(phones=_set_up(world, plan, nursery, books), steps=steps)
            say(f"  set up after {time.monotonic() - begun:.0f} s; now everything dies")
            _Chaos(world, plan, nursery).run(figures)
            say(f"  calm again after {time.monotonic() - begun:.0f} s")
            _calm(world, plan, nursery, books)
        figures.ours = books.read()
        figures.deaths = read_diary(world)
        figures.accepted = _taken(world)
    figures.seconds = time.monotonic() - begun
    return figures


def _set_up(world: World, plan: Plan, nursery: Nursery, books: Books) -> frozenset[str]:
    """The phones that are to get one message each."""
    world.simulator.provision(accounts=[_provisioned(account) for account in ACCOUNTS])
    phones = frozenset(world.run("tests.chaos.crowd", "set-up", str(plan.messages)).split())
    for _ in range(TEMPLATE_TICKS):
        if books.read()["approved_templates"] == TEMPLATES_NEEDED:
            break
        _tick_in_peace(nursery, count=1)
    world.run("tests.chaos.crowd", "import")
    receipts: dict[str, Any] = {"instant": True, "twice": True, "reversed": True, "before_answer": True}
    if plan.withhold_receipts:
        receipts |= {"withhold": ["all"]}
    world.simulator.knobs(
        receipts=receipts,
        limits={"throughput": False, "pair": False, "tier": False},
        webhook={"retry_first_seconds": 1, "retry_longest_seconds": 3, "timeout_seconds": 5},
    )
    dice = random.Random(plan.seed)
    world.simulator.fault("slow", seconds=0.15, probability=0.5, seed=dice.randrange(10_000))
    world.simulator.fault("drop", when="after", probability=0.03, seed=dice.randrange(10_000))
    world.simulator.fault("reset", when="after", probability=0.02, seed=dice.randrange(10_000))
    world.simulator.fault("html", status=502, when="after", probability=0.02, seed=dice.randrange(10_000))
    world.simulator.fault("answer", code=131016, probability=0.03, seed=dice.randrange(10_000))
    return phones


def _provisioned(account: Account) -> dict[str, Any]:
    number = {"id": account.number_id, "number": account.number, "verified_name": "Clinic"}
    return {"id": account.business_id, "name": "Clinic", "tokens": [TOKEN], "numbers": [number], "templates": []}


class _Chaos:
    """Ticks and web workers die, and the database is restarted on the way, while patients are booked."""

    def __init__(self, world: World, plan: Plan, nursery: Nursery) -> None:
        self._world, self._plan = world, plan
        dice = random.Random(plan.seed)
        self._begins_at = time.monotonic()
        self._restart_at = self._begins_at + (plan.chaos_seconds / 2 if plan.withhold_receipts else RESTART_SECONDS)
        self._was_restarted = False
        self._ends_at = self._begins_at + plan.chaos_seconds
        self._ticks = Ticks(world, nursery, dice, deaths_a_step=plan.deaths_a_step)
        bout_at = self._begins_at + (0 if plan.withhold_receipts else plan.chaos_seconds / 4)
        bout_seconds = plan.chaos_seconds if plan.withhold_receipts else plan.web_bout_seconds
        self._workers = WebWorkers(
            world,
            dice,
            kills=plan.web_kills,
            deaths_a_step=0 if plan.withhold_receipts else plan.deaths_a_step,
            begins_at=bout_at,
            ends_at=bout_at + bout_seconds,
        )

    def run(self, figures: Figures) -> None:
        crowd = self._world.start("tests.chaos.crowd", "visits", str(self._plan.chaos_seconds))
        while self._goes_on(crowd):
            self._look()
            PAUSE.wait(LOOK_SECONDS)
        self._workers.leave_alone()
        while self._ticks.await_the_last():
            PAUSE.wait(LOOK_SECONDS)
        _end(crowd, self._world)
        figures.random_kills, figures.web_kills = self._ticks.random_kills, self._workers.random_kills

    def _look(self) -> None:
        self._ticks.look(are_safe=not self._was_restarted and not self._plan.withhold_receipts)
        self._workers.look()
        if not self._was_restarted and time.monotonic() >= self._restart_at:
            self._world.restart_database()
            self._was_restarted = True

    def _goes_on(self, crowd: subprocess.Popen[bytes]) -> bool:
        now = time.monotonic()
        if crowd.poll() is None:
            return now < self._ends_at + CROWD_PATIENCE_SECONDS
        is_lacking = bool(self._ticks.lacking() or self._workers.lacking())
        return now < self._ends_at or (is_lacking and now < self._ends_at + self._plan.extra_seconds)


def _end(crowd: subprocess.Popen[bytes], world: World) -> None:
    """Raises: AssertionError: it failed, or has not come to its end in all this time."""
    if crowd.poll() is None:
        crowd.kill()
        crowd.wait()
    assert crowd.returncode == 0, f"Not all patients were booked: {world.log_tail()}"


def _calm(world: World, plan: Plan, nursery: Nursery, books: Books) -> None:
    """Nothing dies any more: tick until nothing is open, or until time is up."""
    world.simulator.clear_faults()
    ends_at = time.monotonic() + plan.calm_seconds
    while time.monotonic() < ends_at and left_open(books.read()):
        _tick_in_peace(nursery, count=CALM_TICKS)


def _tick_in_peace(nursery: Nursery, *, count: int) -> None:
    ticks = [nursery.bear(Fate(budget_seconds=CALM_TICK_SECONDS)) for _ in range(count)]
    while not all(nursery.has_gone(pid) for pid in ticks):
        PAUSE.wait(LOOK_SECONDS)


def _taken(world: World) -> Counter[str]:
    """By phone, how many messages the provider took, by its own ledger."""
    return Counter(message["addressed"] for message in world.simulator.messages(direction="out"))
