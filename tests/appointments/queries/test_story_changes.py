from __future__ import annotations

from datetime import date, datetime, time

import pytest
from django.db.models import QuerySet

from appointments.models import Appointment, ReminderRule
from appointments.queries.story_changes import entries_of_plan
from appointments.usecases.booking import cancel_appointment, reschedule_appointment
from scheduler.contracts import PlannedJob
from scheduler.models import ScheduledJob
from tests.appointments.making import DESK, Practice
from tests.drive import deliver_all

pytestmark = pytest.mark.usefixtures("default_rules")

TUESDAY = date(2026, 4, 21)


def waiting_jobs(practice: Practice) -> QuerySet[ScheduledJob]:
    return ScheduledJob.objects.for_clinic(practice.clinic).filter(state="queued", kind="appointments.send_reminder")


def said_of_before(visit: Appointment, jobs: QuerySet[ScheduledJob], *, now: datetime) -> set[str]:
    """What stands after the reminders that were planned for an older state of the visit."""
    visit.refresh_from_db()
    planned = [
        PlannedJob(job_id=job.pk, kind=job.kind, args=job.args, run_at=job.run_at, state=job.state, reason=job.reason)
        for job in jobs
    ]
    rules = {str(rule.pk): rule for rule in ReminderRule.objects.for_clinic(visit.clinic)}
    entries = entries_of_plan(visit, plan=[], jobs=planned, queued_rules=set(), rules=rules, outlook={}, now=now)
    return {entry.more for entry in entries}


def test_reminders_of_a_moved_visit_say_that_it_moved(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, day=TUESDAY)
    deliver_all(now=now)

    reschedule_appointment(
        practice.clinic, appointment_id=visit.pk, slot=practice.slot(TUESDAY, time(12)), actor=DESK, now=now
    )

    assert said_of_before(visit, waiting_jobs(practice), now=now) == {
        "for the time before will not be sent: the visit moved to another time"
    }


def test_reminders_of_a_cancelled_visit_say_that_it_was_cancelled(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, day=TUESDAY)
    deliver_all(now=now)

    cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=now)

    assert said_of_before(visit, waiting_jobs(practice), now=now) == {"will not be sent: the visit was cancelled"}
