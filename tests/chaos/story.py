"""One run: patients are booked and reminded while everything around them dies, then it grows calm, then the books are read."""

from __future__ import annotations

import json
import random
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.chaos.steps import STEPS
from tests.chaos.world import ACCOUNTS, TOKEN, World, new_world

TICKS_AT_ONCE = 3
TICK_BUDGET_SECONDS = 20
SHORT_TICK_SECONDS = 8
LIVES = -1
LOOK_SECONDS = 0.1
WEB_KILL_EVERY_SECONDS = 9.0
TEMPLATE_TICKS = 20
TEMPLATES_NEEDED = 2 * len(ACCOUNTS)
OPEN_DELIVERIES, OPEN_JOBS = ("pending",), ("queued", "running")
OPEN_MESSAGES = ("queued", "held", "sending")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to do, and how long at most.

    withhold_receipts: the provider never says what became of anything, so what is in doubt must stay in doubt.
    """

    messages: int
    seed: int
    chaos_seconds: float
    calm_seconds: float
    withhold_receipts: bool = False

    @property
    def grace_seconds(self) -> float:
        """Longer than the simulator takes to tell a receipt again that our killed web server did not take."""
        return 12.0

    @property
    def patience_seconds(self) -> float:
        return 20.0 if self.withhold_receipts else 120.0


@dataclass(slots=True)
class Figures:
    """What happened, from the simulator's own ledger first; `ours` is how our rows stand at the end."""

    expected: int = 0
    accepted: Counter[str] = field(default_factory=Counter)
    deaths: Counter[str] = field(default_factory=Counter)
    random_kills: int = 0
    web_kills: int = 0
    seconds: float = 0.0
    ours: Mapping[str, Any] = field(default_factory=dict)

    @property
    def lost(self) -> int:
        """Patients who were to get a message and for whom the provider took none."""
        return self.expected - len(self.accepted)

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
            f"  {self.lost} lost, {self.doubled} doubled, {self.in_doubt} in doubt and held for a person",
            f"  {self.ours['marked_possibly_twice']} sent once more on evidence, {self.seconds:.0f} s in all",
            f"  ticks killed at random {self.random_kills}, web workers killed {self.web_kills}, database restarted once,",
            f"  ticks killed at a named step {sum(self.deaths.values())}:",
            *died,
            f"  our rows: {json.dumps(self.ours)}",
        ]


def tell(plan: Plan, *, say: Callable[[str], None]) -> Figures:
    """Run it, and say what came of it."""
    begun = time.monotonic()
    with new_world(grace_seconds=plan.grace_seconds, patience_seconds=plan.patience_seconds) as world:
        figures = Figures(expected=plan.messages)
        _set_up(world, plan)
        say("  set up; now everything dies")
        _chaos(world, plan, figures)
        say("  calm again")
        _calm(world, plan)
        figures.ours = _left(world)
        figures.deaths = Counter(_diary(world))
        figures.accepted = _taken(world)
    figures.seconds = time.monotonic() - begun
    return figures


def _set_up(world: World, plan: Plan) -> None:
    world.simulator.provision(accounts=[_account(account) for account in ACCOUNTS])
    world.run("tests.chaos.crowd", "set-up", str(plan.messages))
    for _ in range(TEMPLATE_TICKS):
        world.run("tests.chaos.mortal_tick", str(LIVES), "0", "0", _diary_path(world), "1")
        if _left(world)["approved_templates"] == TEMPLATES_NEEDED:
            break
    world.run("tests.chaos.crowd", "import")
    receipts = {"instant": True, "twice": True, "reversed": True, "before_answer": True}
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


def _account(account: Any) -> dict[str, Any]:
    number = {"id": account.number_id, "number": account.number, "verified_name": "Clinic"}
    return {"id": account.business_id, "name": "Clinic", "tokens": [TOKEN], "numbers": [number], "templates": []}


def _chaos(world: World, plan: Plan, figures: Figures) -> None:
    """Ticks that die at one step after the other, or at a random moment; the database is restarted half-way."""
    dice = random.Random(plan.seed)
    ends = time.monotonic() + plan.chaos_seconds
    restart_at = time.monotonic() + plan.chaos_seconds / 2
    web_kill_at = time.monotonic() + WEB_KILL_EVERY_SECONDS
    crowd = world.start("tests.chaos.crowd", "book")
    ticks: list[_Tick] = []
    turn = 0
    while time.monotonic() < ends or crowd.poll() is None:
        ticks = [tick for tick in ticks if tick.is_running(figures)]
        while len(ticks) < TICKS_AT_ONCE:
            ticks.append(_Tick.started(world, dice=dice, turn=turn))
            turn += 1
        if time.monotonic() >= web_kill_at:
            world.kill_web_worker()
            figures.web_kills += 1
            web_kill_at += WEB_KILL_EVERY_SECONDS
        if restart_at and time.monotonic() >= restart_at:
            world.restart_database()
            restart_at = 0.0
        _look_later(ticks[0].process)
    for tick in ticks:
        tick.process.wait()
    assert crowd.returncode == 0, world.log_tail()


@dataclass(slots=True)
class _Tick:
    """One mortal process; `killed_at` is when it is killed at random, if it is one of those."""

    process: subprocess.Popen[bytes]
    killed_at: float | None

    @classmethod
    def started(cls, world: World, *, dice: random.Random, turn: int) -> _Tick:
        is_random = turn % 4 == 3
        step = LIVES if is_random else turn % len(STEPS)
        process = world.start(
            "tests.chaos.mortal_tick",
            str(step),
            str(dice.randint(1, 12)),
            str(dice.randrange(10_000)),
            _diary_path(world),
            str(TICK_BUDGET_SECONDS),
        )
        return cls(process, time.monotonic() + dice.uniform(2.0, 8.0) if is_random else None)

    def is_running(self, figures: Figures) -> bool:
        if self.killed_at is not None and time.monotonic() >= self.killed_at and self.process.poll() is None:
            self.process.kill()
            figures.random_kills += 1
        return self.process.poll() is None


def _calm(world: World, plan: Plan) -> None:
    """Nothing dies any more: tick until nothing is open, or until time is up. Doubts are no open work."""
    world.simulator.clear_faults()
    ends = time.monotonic() + plan.calm_seconds
    while time.monotonic() < ends:
        ticks = [
            world.start("tests.chaos.mortal_tick", str(LIVES), "0", "0", _diary_path(world), str(SHORT_TICK_SECONDS))
            for _ in range(2)
        ]
        for tick in ticks:
            tick.wait()
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
    path = world.folder / "diary"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def _diary_path(world: World) -> str:
    return str(world.folder / "diary")


def _look_later(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(LOOK_SECONDS)
    except subprocess.TimeoutExpired:
        return
