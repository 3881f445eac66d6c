"""Who dies when: ticks at a named step or at a random moment, and the worker that answers webhooks."""

from __future__ import annotations

import itertools
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.chaos.nursery import Fate, Nursery
from tests.chaos.steps import STEPS, TICK_STEPS, WEB_STEPS, Step
from tests.chaos.world import World

TICKS_AT_ONCE = 4
TICK_BUDGET_SECONDS, SAFE_BUDGET_SECONDS = 8, 5
SHARE_KILLED_AT_RANDOM = 0.25
SHARE_AT_A_LACKING_STEP = 0.8


def read_diary(world: World) -> Counter[str]:
    """How often a process has died at each named step."""
    return Counter(world.diary.read_text(encoding="utf-8").splitlines() if world.diary.exists() else [])


@dataclass(slots=True)
class _Tick:
    """`killed_at`: when it is killed at random, if it is one of those."""

    pid: int
    killed_at: float | None


@dataclass(slots=True)
class Ticks:
    """A few at a time, in processes of their own. deaths_a_step: as many deaths at each step are sought first."""

    world: World
    nursery: Nursery
    dice: random.Random
    deaths_a_step: int
    random_kills: int = 0
    _living: list[_Tick] = field(default_factory=list)
    _steps: Iterator[int] = field(init=False)

    def __post_init__(self) -> None:
        self._steps = itertools.cycle(self.dice.sample(TICK_STEPS, len(TICK_STEPS)))

    def look(self, *, are_safe: bool) -> None:
        """Kill whose time has come, and let others take the place of the dead."""
        self._kill()
        while len(self._living) < TICKS_AT_ONCE:
            self._living.append(self._bear_safe() if are_safe else self._bear())

    def await_the_last(self) -> bool:
        """Whether any is still there."""
        self._kill()
        return bool(self._living)

    def lacking(self) -> list[int]:
        """Steps with too few deaths yet."""
        deaths = read_diary(self.world)
        return [number for number in TICK_STEPS if deaths[STEPS[number].name] < self.deaths_a_step]

    def _kill(self) -> None:
        self._living = [tick for tick in self._living if not self.nursery.has_gone(tick.pid)]
        for tick in self._living:
            if tick.killed_at is not None and time.monotonic() >= tick.killed_at:
                os.kill(tick.pid, signal.SIGKILL)
                tick.killed_at = None
                self.random_kills += 1

    def _bear_safe(self) -> _Tick:
        return _Tick(self.nursery.bear(Fate(budget_seconds=SAFE_BUDGET_SECONDS)), None)

    def _bear(self) -> _Tick:
        lacking = self.lacking()
        if lacking and self.dice.random() < SHARE_AT_A_LACKING_STEP:
            return self._bear_mortal(lacking, passes=1)
        if self.dice.random() < SHARE_KILLED_AT_RANDOM:
            pid = self.nursery.bear(Fate(budget_seconds=TICK_BUDGET_SECONDS))
            return _Tick(pid, time.monotonic() + self.dice.uniform(0.2, 5.0))
        return self._bear_mortal([next(self._steps)], passes=self.dice.randint(1, 3))

    def _bear_mortal(self, steps: Sequence[int], *, passes: int) -> _Tick:
        seed = self.dice.randrange(10_000)
        fate = Fate(steps=steps, passes=passes, seed=seed, budget_seconds=TICK_BUDGET_SECONDS)
        return _Tick(self.nursery.bear(fate), None)


@dataclass(slots=True)
class WebWorkers:
    """In one bout, from `begins_at` to `ends_at` at the latest: killed `kills` times at random, in between at the named steps."""

    world: World
    dice: random.Random
    kills: int
    deaths_a_step: int
    begins_at: float
    ends_at: float
    random_kills: int = 0
    _kill_at: list[float] = field(init=False)

    def __post_init__(self) -> None:
        moments = (self.dice.uniform(self.begins_at, self.ends_at) for _ in range(self.kills))
        self._kill_at = sorted(moments)

    def look(self) -> None:
        now = time.monotonic()
        if self._kill_at and now >= self._kill_at[0] and (killed := self.world.kill_web_worker()):
            self.random_kills += killed
            del self._kill_at[0]
        lacking = self.lacking() if now >= self.begins_at else []
        for step in WEB_STEPS:
            self.world.order_death(step, is_wanted=step in lacking)

    def lacking(self) -> list[Step]:
        """Steps with too few deaths yet."""
        deaths = read_diary(self.world)
        return [step for step in WEB_STEPS if deaths[step.name] < self.deaths_a_step]

    def leave_alone(self) -> None:
        for step in WEB_STEPS:
            self.world.order_death(step, is_wanted=False)
