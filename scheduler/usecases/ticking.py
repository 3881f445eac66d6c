"""One tick: rounds of isolated steps until the budget is spent or nothing is left."""

from __future__ import annotations

import contextlib
import json
import logging
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from django.db import Error as DatabaseError
from django.db import connection

from clinicbot import clock, nudge
from clinicbot.errors import summary_of
from clinicbot.ticks import Deadline, StepReport, TickStep, list_steps
from scheduler.conf import STEP_FAILURES_PER_TICK, longest_wait_seconds
from scheduler.models import TickRun
from scheduler.usecases.rare_steps import RareSteps
from scheduler.usecases.stopping import StopSignal

logger = logging.getLogger(__name__)

# Below this a wait costs more than it saves.
_SHORTEST_WAIT_SECONDS = 0.05


class Source(StrEnum):
    """Who started the tick."""

    CRON = "cron"
    LOOP = "loop"
    HTTP = "http"


@dataclass(slots=True, kw_only=True)
class TickSummary:
    """What one tick did: the line it prints and the row it leaves."""

    tick_id: int
    budget_seconds: float
    seconds: float = 0.0
    rounds: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    errors: dict[str, str] = field(default_factory=dict)

    def as_json(self) -> str:
        return json.dumps(
            {
                "tick": self.tick_id,
                "seconds": round(self.seconds, 3),
                "budget_seconds": self.budget_seconds,
                "rounds": self.rounds,
                "counts": {word: count for word, count in sorted(self.counts.items()) if count},
                "errors": self.errors,
            }
        )


def run_tick(*, budget_seconds: float, source: Source, stop: StopSignal | None = None) -> TickSummary:
    """Do what is due. Overlapping ticks, here or elsewhere, are harmless; a failing step spoils no other.

    stop: ends the tick at once, as if the budget were spent.
    """
    _drop_old_connection()
    began = time.monotonic()
    deadline = Deadline(budget_seconds)
    stop = stop or StopSignal()
    stop.on_stop(deadline.end_now)
    row = TickRun.objects.create(started_at=clock.real(), budget_seconds=budget_seconds, source=source)
    tick = _Tick(TickSummary(tick_id=row.pk, budget_seconds=budget_seconds), deadline=deadline, stop=stop)
    with nudge.held_back():  # The rounds do it all; a thread that outlived the tick would be cut off in a call.
        tick.run()
    tick.summary.seconds = time.monotonic() - began
    row.finished_at, row.counts, row.errors = clock.real(), dict(tick.summary.counts), tick.summary.errors
    row.save(update_fields=["finished_at", "counts", "errors"])
    _drop_old_connection()
    return tick.summary


def _drop_old_connection() -> None:
    """A broken connection must not outlive a tick. Inside a transaction, closing it would lose the transaction."""
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()


class _Tick:
    def __init__(self, summary: TickSummary, *, deadline: Deadline, stop: StopSignal) -> None:
        self.summary = summary
        self._deadline, self._stop = deadline, stop
        self._rare = RareSteps()
        self._failures: Counter[str] = Counter()

    def run(self) -> None:
        while not self._deadline.is_over():
            began = time.monotonic()
            reports = self._run_round()
            if any(report.more for report in reports):
                continue
            waits = [report.next_due_in_seconds for report in reports if report.next_due_in_seconds is not None]
            wait = max(_SHORTEST_WAIT_SECONDS, min(waits) - (time.monotonic() - began)) if waits else None
            if wait is None or wait >= self._deadline.remaining_seconds():
                return
            self._stop.wait(min(wait, longest_wait_seconds()))

    def _run_round(self) -> list[StepReport]:
        self.summary.rounds += 1
        reading = clock.read()
        reports = []
        for step in list_steps():
            if self._deadline.is_over():
                break
            if self._failures[step.name] < STEP_FAILURES_PER_TICK:
                reports.append(self._run_step(step, now=reading.now, real=reading.real))
        return reports

    def _run_step(self, step: TickStep, *, now: datetime, real: datetime) -> StepReport:
        try:
            if step.every_seconds and not self._rare.take(step, real=real):
                return StepReport()
            report = step.run(now=now, real=real, deadline=self._deadline)
        except Exception as error:  # noqa: BLE001  # A step that raises spoils no other; the row and the health page tell.
            self._note_failure(step, error)
            return StepReport()
        self.summary.counts.update(report.counts)
        if step.every_seconds and report.more:
            self._rare.keep(step)
        return report

    def _note_failure(self, step: TickStep, error: Exception) -> None:
        self._failures[step.name] += 1
        self.summary.errors[step.name] = summary_of(error)
        logger.error("A tick step failed.", exc_info=error, extra={"step": step.name})
        if isinstance(error, DatabaseError):
            _drop_old_connection()
        if step.every_seconds:
            with contextlib.suppress(
                DatabaseError
            ):  # Then the database is the trouble, and the step is the least of it.
                self._rare.give_back(step)
