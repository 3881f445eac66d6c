"""The scheduler's own steps of a tick."""

from __future__ import annotations

from datetime import datetime

from clinicbot.ticks import Deadline, StepReport, tick_step
from scheduler.conf import RESCUE_BATCH, SAMPLE_EVERY_SECONDS, SCHEDULES_PER_ROUND
from scheduler.usecases.planning import plan_schedules
from scheduler.usecases.rederiving import rederive_schedules
from scheduler.usecases.rescuing import rescue_jobs
from scheduler.usecases.sampling import sample_queues
from scheduler.usecases.working import run_due_jobs


@tick_step(order=10)
def rescue_lapsed_jobs(*, now: datetime, real: datetime, deadline: Deadline) -> StepReport:
    """Take back the jobs of processes that died. One query."""
    counts = rescue_jobs(now=now, real=real)
    return StepReport(counts=counts, more=counts["jobs_rescued"] == RESCUE_BATCH)


@tick_step(order=15, every_seconds=30)
def rederive_recurring_jobs(*, now: datetime, real: datetime, deadline: Deadline) -> StepReport:
    """Schedules keep their clock times when a clinic's zone or the time zone data changed."""
    rederived = rederive_schedules()
    return StepReport(counts={"schedules_rederived": rederived}, more=rederived == SCHEDULES_PER_ROUND)


@tick_step(order=20)
def plan_recurring_jobs(*, now: datetime, real: datetime, deadline: Deadline) -> StepReport:
    """Give each occurrence that has come due its job."""
    planned = plan_schedules(now=now)
    counts = {"occurrences_planned": planned.planned, "occurrences_missed": planned.missed}
    return StepReport(counts=counts, more=planned.more)


@tick_step(order=40)
def run_jobs(*, now: datetime, real: datetime, deadline: Deadline) -> StepReport:
    """Run what is due, in batches, for its share of the round."""
    return run_due_jobs(now=now, real=real, deadline=deadline)


@tick_step(order=90, every_seconds=SAMPLE_EVERY_SECONDS)
def look_at_queues(*, now: datetime, real: datetime, deadline: Deadline) -> StepReport:
    """Keep how much waits and how long it had to, for the charts."""
    sample_queues(now=now, real=real)
    return StepReport()
