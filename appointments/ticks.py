"""What the tick does for the practice."""

from __future__ import annotations

from datetime import datetime

from appointments.usecases.coming_of_age import ask_who_came_of_age
from appointments.usecases.holidays import write_due_holidays
from appointments.usecases.rederiving import rederive_visits
from clinicbot.ticks import Deadline, StepReport, tick_step

REDERIVES_FOR_SECONDS = 20


@tick_step(order=15, every_seconds=30)
def rederive_times_of_visits(*, now: datetime, real: datetime, deadline: Deadline) -> StepReport:
    """Visits keep their clock times when a clinic's zone or the time zone data changed. Otherwise one query."""
    done = rederive_visits(now=now, real=real, deadline=deadline.share(REDERIVES_FOR_SECONDS))
    counts = {"visits_rederived": done.visits, "visits_without_time": done.stuck}
    return StepReport(counts=counts, more=not done.is_complete)


@tick_step(order=91, every_seconds=3600)
def ask_for_own_numbers(*, now: datetime, real: datetime, deadline: Deadline) -> StepReport:
    """Who comes of age is reached where their guardian is until somebody has asked them."""
    asked = ask_who_came_of_age(now=now)
    return StepReport(counts={"came_of_age": asked}, more=False)


@tick_step(order=90, every_seconds=60)
def write_public_holidays(*, now: datetime, real: datetime, deadline: Deadline) -> StepReport:
    """Of a new clinic, of one that says another country or region, and of a new year: within a minute."""
    written = write_due_holidays(now=now)
    return StepReport(counts={"holiday_calendars": written}, more=written > 0)
