"""One run: patients are booked and reminded while everything around them dies, then it grows calm, then the books are read."""

from __future__ import annotations

import itertools
import json
import math
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.chaos.nursery import LIVES, Nursery
from tests.chaos.steps import STEPS
from tests.chaos.world import ACCOUNTS, TOKEN, World, new_world

TICKS_AT_ONCE = 3
TICK_BUDGET_SECONDS = 10
SHORT_TICK_SECONDS = 8
SHARE_KILLED_AT_RANDOM = 0.25
RESTART_AFTER_SHARE = 0.8
LOOK_SECONDS = 0.05
PAUSE = threading.Event()
WEB_KILL_EVERY_SECONDS = 9.0
TEMPLATE_TICKS = 20
TEMPLATES_NEEDED = 2 * len(ACCOUNTS)
OPEN_DELIVERIES, OPEN_JOBS = ("pending",), ("queued", "running")
OPEN_MESSAGES = ("queued", "held", "sending")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to do, and how long at most.

    deaths_a_step: go on, for as long again at most, until each named step has killed so many.
    withhold_receipts: the provider never says what became of anything, so what is in doubt must stay in doubt. Only then are
    web workers killed too: whatever is in doubt when our webhook was away is a person's to decide, by design.
    """

    messages: int
    seed: int
    chaos_seconds: float
    calm_seconds: float
    deaths_a_step: int = 0
    withhold_receipts: bool = False

    @property
    def grace_seconds(self) -> float:
        """Longer than the simulator takes to tell a receipt again that our killed web server did not take."""
        return 12.0

    @property
    def truce_seconds(self) -> float:
        """Nobody dies for so long before the database is restarted: a webhook that cannot be stored counts as down, and what is
        in doubt then is a person's to decide. So doubts are given the time to end first."""
        return 0.0 if self.withhold_receipts else TICK_BUDGET_SECONDS + self.grace_seconds + 4

    @property
    def patience_seconds(self) -> float:
        return 20.0 if self.withhold_receipts else 400.0


@dataclass(slots=True)
class Figures:
    """What happened, from the simulator's own ledger first; `ours` is how our rows stand at the end."""

    phones: frozenset[str] = frozenset()
    accepted: Counter[str] = field(default_factory=Counter)
    deaths: Counter[str] = field(default_factory=Counter)
    random_kills: int = 0
    web_kills: int = 0
    seconds: float = 0.0
    ours: Mapping[str, Any] = field(default_factory=dict)

    @property
    def expected(self) -> int:
        return len(self.phones)

    @property
    def lost(self) -> frozenset[str]:
        """Whose message the provider never took."""
        return self.phones - set(self.accepted)

    @property
    def lost_unseen(self) -> frozenset[str]:
        """Of these, whose message is not in doubt with a task for a person: nobody would ever know."""
        return self.lost - set(self.ours["phones_in_doubt"])

    @property
    def never_died_at(self) -> list[str]:
        return [step.name for step in STEPS if not self.deaths[step.name]]

    @property
    def doubled(self) -> int:
        """Messages that the provider took beyond the first for a patient."""
        return sum(count - 1 for count in self.accepted.values())

    @property
    def in_doubt(self) -> int:
        """Messages that we say we do not know about; each is a task for a person."""
        return sum(count for state, count in self.ours["messages"].items() if state.startswith("unknown"))

    def lines(self) -> list[str]:
        died = [f"    {self.deaths[step.name]:4}  {step.name}" for step in STEPS]
        return [
            f"  {self.expected} patients were to get one message each; {sum(self.accepted.values())} were taken",
            f"  {len(self.lost)} lost, {self.doubled} doubled, {self.in_doubt} in doubt and held for a person",
            f"  {self.ours['marked_possibly_twice']} sent once more on evidence, {self.seconds:.0f} s in all",
            f"  ticks killed at random {self.random_kills}, web workers killed {self.web_kills}, the database restarted once,",
            f"  ticks killed at a named step {sum(self.deaths.values())}:",
            *died,
            f"  our rows: {json.dumps({name: stand for name, stand in self.ours.items() if name != 'phones_in_doubt'})}",
        ]


def tell(plan: Plan, *, say: Callable[[str], None]) -> Figures:
    """Run it, and say what came of it."""
    begun = time.monotonic()
    with new_world(grace_seconds=plan.grace_seconds, patience_seconds=plan.patience_seconds) as world:
        figures = Figures(phones=_set_up(world, plan))
        say("  set up; now everything dies")
        with world.nursery() as nursery:
            _chaos(world, plan, figures, nursery)
            say("  calm again")
            _calm(world, plan, nursery)
        figures.ours = _left(world)
        figures.deaths = Counter(_diary(world))
        figures.accepted = _taken(world)
    figures.seconds = time.monotonic() - begun
    return figures


def _set_up(world: World, plan: Plan) -> frozenset[str]:
    """The phones that are to get one message each."""
    world.simulator.provision(accounts=[_account(account) for account in ACCOUNTS])
    phones = frozenset(world.run("tests.chaos.crowd", "set-up", str(plan.messages)).split())
    for _ in range(TEMPLATE_TICKS):
        world.run("django", "run_tick", "--budget", "5")
        if _left(world)["approved_templates"] == TEMPLATES_NEEDED:
            break
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


def _account(account: Any) -> dict[str, Any]:
    number = {"id": account.number_id, "number": account.number, "verified_name": "Clinic"}
    return {"id": account.business_id, "name": "Clinic", "tokens": [TOKEN], "numbers": [number], "templates": []}


def _chaos(world: World, plan: Plan, figures: Figures, nursery: Nursery) -> None:
    """Ticks that die at one step after the other, or at a random moment; the database is restarted on the way."""
    dice = random.Random(plan.seed)
    steps = itertools.cycle(dice.sample(range(len(STEPS)), len(STEPS)))
    ends = time.monotonic() + plan.chaos_seconds
    restart_at = time.monotonic() + plan.chaos_seconds * RESTART_AFTER_SHARE
    web_kill_at = time.monotonic() + WEB_KILL_EVERY_SECONDS if plan.withhold_receipts else math.inf
    crowd = world.start("tests.chaos.crowd", "book", str(plan.chaos_seconds))
    ticks: list[_Tick] = []
    while crowd.poll() is None or time.monotonic() < ends or _wants_more_deaths(world, plan, since=ends):
        ticks = [tick for tick in ticks if tick.is_running(nursery, figures)]
        while len(ticks) < TICKS_AT_ONCE:
            is_truce = 0 < restart_at - time.monotonic() < plan.truce_seconds
            ticks.append(_Tick.born(nursery, dice=dice, steps=steps, is_safe=is_truce))
        if time.monotonic() >= web_kill_at:
            world.kill_web_worker()
            figures.web_kills += 1
            web_kill_at += WEB_KILL_EVERY_SECONDS
        if restart_at and time.monotonic() >= restart_at:
            world.restart_database()
            restart_at = 0.0
        PAUSE.wait(LOOK_SECONDS)
    while any(tick.is_running(nursery, figures) for tick in ticks):
        PAUSE.wait(LOOK_SECONDS)
    assert crowd.returncode == 0, world.log_tail()


def _wants_more_deaths(world: World, plan: Plan, *, since: float) -> bool:
    deaths = Counter(_diary(world))
    is_covered = all(deaths[step.name] >= plan.deaths_a_step for step in STEPS)
    return not is_covered and time.monotonic() < since + plan.chaos_seconds


@dataclass(slots=True)
class _Tick:
    """One mortal process; `killed_at` is when it is killed at random, if it is one of those."""

    pid: int
    killed_at: float | None

    @classmethod
    def born(cls, nursery: Nursery, *, dice: random.Random, steps: Iterator[int], is_safe: bool) -> _Tick:
        if is_safe:
            return cls(nursery.bear(budget_seconds=SHORT_TICK_SECONDS), None)
        is_random = dice.random() < SHARE_KILLED_AT_RANDOM
        pid = nursery.bear(
            step=LIVES if is_random else next(steps),
            passes=dice.randint(1, 3),
            seed=dice.randrange(10_000),
            budget_seconds=TICK_BUDGET_SECONDS,
        )
        return cls(pid, time.monotonic() + dice.uniform(0.2, 5.0) if is_random else None)

    def is_running(self, nursery: Nursery, figures: Figures) -> bool:
        if nursery.has_gone(self.pid):
            return False
        if self.killed_at is not None and time.monotonic() >= self.killed_at:
            os.kill(self.pid, signal.SIGKILL)
            self.killed_at = None
            figures.random_kills += 1
        return True


def _calm(world: World, plan: Plan, nursery: Nursery) -> None:
    """Nothing dies any more: tick until nothing is open, or until time is up. Doubts are no open work."""
    world.simulator.clear_faults()
    ends = time.monotonic() + plan.calm_seconds
    while time.monotonic() < ends:
        ticks = [nursery.bear(budget_seconds=SHORT_TICK_SECONDS) for _ in range(2)]
        while not all(nursery.has_gone(pid) for pid in ticks):
            PAUSE.wait(LOOK_SECONDS)
        if not _is_open(_left(world), plan):
            return


def _is_open(left: Mapping[str, Any], plan: Plan) -> bool:
    messages = {state.split(":")[0]: count for state, count in left["messages"].items()}
    doubts = messages.get("unknown", 0)
    are_tasks = left["tasks"].get("not_known_whether_sent", 0) >= doubts if plan.withhold_receipts else doubts == 0
    return (
        any(left["deliveries"].get(state) for state in OPEN_DELIVERIES)
        or any(left["due_jobs"].get(state) for state in OPEN_JOBS)
        or any(messages.get(state) for state in OPEN_MESSAGES)
        or not are_tasks
    )


def _left(world: World) -> dict[str, Any]:
    left: dict[str, Any] = json.loads(world.run("tests.chaos.crowd", "left"))
    return left


def _taken(world: World) -> Counter[str]:
    """By phone, how many messages the provider took, by its own ledger."""
    return Counter(message["addressed"] for message in world.simulator.messages(direction="out"))


def _diary(world: World) -> list[str]:
    return world.diary.read_text(encoding="utf-8").splitlines() if world.diary.exists() else []
