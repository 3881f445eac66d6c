"""Reminders follow the clock times of visits whose instants have moved, and none comes twice."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import pytest

from appointments.models import Appointment, ReminderRule
from appointments.models.visits import DerivedTimes
from appointments.ticks import rederive_times_of_visits
from clinicbot import clock
from clinicbot.ticks import Deadline
from messaging.models import Message
from scheduler.models import JobState, ScheduledJob
from scheduler.usecases.working import run_due_jobs
from tests.appointments.making import make_practice
from tests.drive import deliver_all
from tests.factories import ClinicFactory
from tests.tz_files import own_zones, write_zone

TOWN = "Test/Town"
HOUR = timedelta(hours=1)


def waiting_reminders(visit: Appointment) -> set[datetime]:
    """When the reminders come that still stand: of two plans of one the later made counts."""
    jobs = ScheduledJob.unscoped.filter(state=JobState.QUEUED, args__appointment_id=visit.pk).order_by("pk")
    return set({job.args["rule_id"]: job.run_at for job in jobs}.values())


@pytest.mark.django_db
def test_reminders_follow_their_visits_and_none_comes_twice(tmp_path: Path, now: datetime) -> None:
    """clinics C03: the offset changes next month."""
    with own_zones(tmp_path):
        write_zone(tmp_path, TOWN, HOUR)
        town = make_practice(ClinicFactory.create(zone=TOWN), now=now)
        ReminderRule.objects.create(clinic=town.clinic, days_before=1, at_time=time(10))
        ReminderRule.objects.create(clinic=town.clinic, hours_before=24 * 5)
        visit = town.book(now=now, day=date(2026, 5, 12))
        deliver_all(now=now)

        write_zone(tmp_path, TOWN, HOUR, changes=[(datetime(2026, 5, 1, tzinfo=UTC), timedelta(0))])
        DerivedTimes.unscoped.update(tz_version="2025.1")
        rederive_times_of_visits(now=now, real=clock.real(), deadline=Deadline(20))

        day_before, days_before = datetime(2026, 5, 11, 10, tzinfo=UTC), datetime(2026, 5, 7, 10, 30, tzinfo=UTC)
        assert waiting_reminders(visit) == {day_before, days_before}
        reminded = []
        for moment in (day_before - HOUR, day_before, day_before + HOUR):
            run_due_jobs(now=moment, real=clock.real(), deadline=Deadline(20))
            reminded.append(Message.unscoped.filter(kind="appointments.reminder").count())
        assert reminded == [1, 2, 2]
