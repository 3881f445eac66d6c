"""The register of tick steps. Houses add theirs in `ticks.py`; the scheduler runs them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol


class Deadline:
    """When this tick must have ended, on the monotonic clock, which no one can set. A share ends no later than its whole."""

    def __init__(
        self,
        budget_seconds: float,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        whole: Deadline | None = None,
    ) -> None:
        self.budget_seconds = budget_seconds
        self._monotonic = monotonic
        self._ends = monotonic() + budget_seconds
        self._whole = whole

    def remaining_seconds(self) -> float:
        own = max(0.0, self._ends - self._monotonic())
        return own if self._whole is None else min(own, self._whole.remaining_seconds())

    def is_over(self) -> bool:
        return self.remaining_seconds() <= 0.0

    def end_now(self) -> None:
        """What SIGTERM asks for: nothing more is claimed, what was not started goes back."""
        self._ends = self._monotonic()

    def share(self, seconds: float) -> Deadline:
        """A part of what is left, for one step that must not take it all."""
        return Deadline(min(seconds, self.remaining_seconds()), monotonic=self._monotonic, whole=self)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepReport:
    """What one run of a step did.

    counts: what the tick's JSON line adds up, by name.
    more: another round may find work at once.
    next_due_in_seconds: something will become claimable then (real time); None when nothing is known.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    more: bool = False
    next_due_in_seconds: float | None = None


class Step(Protocol):
    def __call__(self, *, now: datetime, real: datetime, deadline: Deadline) -> StepReport: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TickStep:
    """`every_seconds` 0: each round. Otherwise at most once in so many seconds of real time, over all hosts."""

    name: str
    order: int
    every_seconds: int
    run: Step


_steps: dict[str, TickStep] = {}


def tick_step(*, order: int, every_seconds: int = 0) -> Callable[[Step], Step]:
    """Register a step. Orders: 10 rescue, 20 plan, 30 deliver events, 40 run jobs, 50 send, 60 resolve, 90 housekeeping."""

    def register(step: Step) -> Step:
        name = f"{step.__module__.split('.')[0]}.{step.__name__}"  # type: ignore[attr-defined]
        _steps[name] = TickStep(name=name, order=order, every_seconds=every_seconds, run=step)
        return step

    return register


def list_steps() -> list[TickStep]:
    """In the order in which a round runs them."""
    return sorted(_steps.values(), key=lambda step: (step.order, step.name))
