"""Schedules keep their clock times when a clinic's zone or the time zone data changes."""

from __future__ import annotations

import pytest

from clinicbot.models import Clinic
from clinicbot.tz_data import tz_version
from scheduler.models import Schedule, ScheduledJob
from scheduler.usecases.occurrences import Recurrence
from scheduler.usecases.planning import plan_schedules
from scheduler.usecases.rederiving import rederive_schedules
from scheduler.usecases.scheduling import create_schedule
from tests.scheduler.deeds import Daily
from tests.scheduler.schedules import SYSTEM, madrid_nine, runs, utc


def move_clinic(clinic: Clinic, *, zone: str) -> None:
    clinic.zone = zone
    clinic.save(update_fields=["zone"])


def test_a_schedule_follows_its_clinic_to_another_zone(clinic: Clinic) -> None:
    schedule = madrid_nine(clinic, now=utc("2026-06-01T05:00"))
    assert rederive_schedules() == 0
    move_clinic(clinic, zone="America/Mexico_City")

    assert (rederive_schedules(), rederive_schedules()) == (1, 0)

    schedule.refresh_from_db()
    assert (schedule.zone, schedule.next_due_at) == ("America/Mexico_City", utc("2026-06-01T15:00"))


def test_a_date_that_ran_in_the_old_zone_does_not_run_again_in_the_new_one(clinic: Clinic) -> None:
    schedule = madrid_nine(clinic, now=utc("2026-06-01T05:00"))
    plan_schedules(now=utc("2026-06-01T07:00"))
    move_clinic(clinic, zone="America/Mexico_City")
    rederive_schedules()

    at = [plan_schedules(now=utc(moment)).planned for moment in ("2026-06-01T15:00", "2026-06-02T15:00")]

    assert at == [0, 1]
    assert runs(schedule) == [("2026-06-01T09:00", "planned"), ("2026-06-02T09:00", "planned")]


def test_a_date_that_the_change_jumps_over_runs_late(clinic: Clinic) -> None:
    move_clinic(clinic, zone="America/Mexico_City")
    nine = Recurrence(cron="0 9 * * *", zone="America/Mexico_City")
    schedule = create_schedule(
        clinic.pk, Daily(), key="agenda", recurrence=nine, actor=SYSTEM, now=utc("2026-06-01T06:00")
    )
    move_clinic(clinic, zone="Europe/Madrid")
    rederive_schedules()

    plan_schedules(now=utc("2026-06-01T10:00"))

    assert runs(schedule) == [("2026-06-01T09:00", "planned")]


def test_what_older_time_zone_data_derived_is_derived_again(clinic: Clinic) -> None:
    schedule = madrid_nine(clinic, now=utc("2026-06-01T05:00"))
    assert schedule.tz_version == tz_version()
    # As an edition in which Madrid kept winter time would have left it.
    Schedule.unscoped.update(tz_version="2025.1", next_due_at=utc("2026-06-01T08:00"))

    assert (rederive_schedules(), rederive_schedules()) == (1, 0)

    schedule.refresh_from_db()
    assert (schedule.next_due_at, schedule.tz_version) == (utc("2026-06-01T07:00"), tz_version())


@pytest.mark.parametrize("moments", [["03:00"], ["00:31", "03:00"], ["00:29", "00:30", "01:29", "01:30", "01:31"]])
@pytest.mark.parametrize(("day", "instant"), [("2026-03-29", "01:30"), ("2026-10-25", "00:30")])
def test_however_often_the_planner_runs_while_clocks_change_it_plans_once(
    clinic: Clinic, moments: list[str], day: str, instant: str
) -> None:
    """clinics C08, job-engines C12."""
    half_past_two = Recurrence(cron="30 2 * * *", zone="Europe/Madrid")
    schedule = create_schedule(
        clinic.pk, Daily(), key="d", recurrence=half_past_two, actor=SYSTEM, now=utc(f"{day}T00:00")
    )

    for moment in moments:
        plan_schedules(now=utc(f"{day}T{moment}"))

    assert runs(schedule) == [(f"{day}T02:30", "planned")]
    assert ScheduledJob.unscoped.get().run_at == utc(f"{day}T{instant}")
