"""What the tick does for the practice."""

from __future__ import annotations

from datetime import datetime

from appointments.usecases.holidays import write_due_holidays
from clinicbot.ticks import Deadline, StepReport, tick_step


@tick_step(order=90, every_seconds=60)
def write_public_holidays(*, now: datetime, real: datetime, deadline: Deadline) -> StepReport:
    """Of a new clinic, of one that says another country or region, and of a new year: within a minute."""
    written = write_due_holidays(now=now)
    return StepReport(counts={"holiday_calendars": written}, more=written > 0)
