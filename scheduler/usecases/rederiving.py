"""Schedules keep their clock times when the clinic's zone, or what is known of zones, changes."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F

from clinicbot.tz_data import tz_version
from scheduler.conf import SCHEDULES_PER_ROUND
from scheduler.models import Schedule
from scheduler.usecases.planning import recurrence_of


@transaction.atomic
def rederive_schedules() -> int:
    """Derive again what another zone or edition derived. Answers how many, at most a round's worth.

    Begins where planning stopped: a date that ran keeps its name and is not repeated, one that the change jumped over
    is as late as after an outage.
    """
    is_current = {"zone": F("clinic__zone"), "tz_version": tz_version()}
    outdated = Schedule.unscoped.exclude(**is_current).select_related("clinic").order_by("pk")
    # A planner at work on a row ends first: what it wrote is what we read.
    schedules = list(outdated.select_for_update(of=("self",), no_key=True)[:SCHEDULES_PER_ROUND])
    for schedule in schedules:
        schedule.zone, schedule.tz_version = schedule.clinic.zone, tz_version()
        schedule.next_due_at = recurrence_of(schedule).first_after(schedule.planned_until)
    Schedule.unscoped.bulk_update(schedules, ["zone", "tz_version", "next_due_at"])
    return len(schedules)
