"""An occurrence is planned once, with its job; what an outage missed is recorded, and at most one runs late."""

from __future__ import annotations

import threading
from datetime import datetime

import pytest
from django.db import connection, transaction
from django.db.utils import IntegrityError
from pytest_django import DjangoAssertNumQueries

from clinicbot.models import Clinic
from scheduler.models import RunState, Schedule, ScheduledJob, ScheduleRun
from scheduler.usecases.occurrences import Recurrence
from scheduler.usecases.planning import Planned, plan_schedules
from scheduler.usecases.scheduling import create_schedule, edit_schedule, enable_schedule
from tests.factories import ClinicFactory
from tests.scheduler.bench import Gate, at_once, beside, work
from tests.scheduler.deeds import Daily, deeds_done
from tests.scheduler.schedules import SYSTEM, madrid_nine, runs, utc


def test_an_occurrence_gets_its_job_with_the_date_and_time_meant(clinic: Clinic) -> None:
    schedule = madrid_nine(clinic, now=utc("2026-06-01T05:00"))

    planned = plan_schedules(now=utc("2026-06-01T07:00"))

    job = ScheduledJob.unscoped.get()
    assert planned == Planned(planned=1)
    assert (job.kind, job.queue, job.priority) == ("tests.write_daily", "daily-agenda", 2)
    assert job.args == {"number": 4, "local_at": "2026-06-01T09:00"}
    assert job.run_at == utc("2026-06-01T07:00")
    assert ScheduleRun.unscoped.get().job_id == job.pk
    schedule.refresh_from_db()
    assert schedule.next_due_at == utc("2026-06-02T07:00")


def test_the_planned_job_runs(clinic: Clinic) -> None:
    madrid_nine(clinic, now=utc("2026-06-01T05:00"))
    plan_schedules(now=utc("2026-06-01T07:00"))

    work(now=utc("2026-06-01T07:00"))

    assert deeds_done() == ["daily 2026-06-01T09:00"]


def test_nothing_is_planned_before_its_time_or_twice(clinic: Clinic) -> None:
    madrid_nine(clinic, now=utc("2026-06-01T05:00"))

    at = [plan_schedules(now=utc(f"2026-06-01T{time}")) for time in ("06:59:59", "07:00:00", "07:00:00", "07:01:00")]

    assert [one.planned for one in at] == [0, 1, 0, 0]


def test_an_occurrence_missed_while_deploying_is_made_good(clinic: Clinic) -> None:
    schedule = madrid_nine(clinic, now=utc("2026-06-01T05:00"))
    plan_schedules(now=utc("2026-06-01T06:58"))

    plan_schedules(now=utc("2026-06-01T07:47"))

    assert runs(schedule) == [("2026-06-01T09:00", RunState.PLANNED)]
    assert ScheduleRun.unscoped.get().late_seconds == 2820


def test_after_four_days_one_runs_and_the_others_are_recorded(clinic: Clinic) -> None:
    schedule = madrid_nine(clinic, now=utc("2026-04-30T12:00"))

    planned = plan_schedules(now=utc("2026-05-05T08:00"))

    assert planned == Planned(planned=1, missed=4)
    assert runs(schedule) == [
        *[(f"2026-05-0{day}T09:00", RunState.MISSED) for day in range(1, 5)],
        ("2026-05-05T09:00", RunState.PLANNED),
    ]


def test_past_its_grace_nothing_runs(clinic: Clinic) -> None:
    schedule = madrid_nine(clinic, now=utc("2026-06-01T05:00"), grace_hours=1)

    plan_schedules(now=utc("2026-06-01T08:00:01"))

    assert runs(schedule) == [("2026-06-01T09:00", RunState.MISSED)]
    assert not ScheduledJob.unscoped.exists()


def test_of_several_within_the_grace_only_the_latest_runs(clinic: Clinic) -> None:
    hourly = Recurrence(cron="0 * * * *", zone="Europe/Madrid")
    schedule = create_schedule(
        clinic.pk, Daily(), key="h", recurrence=hourly, actor=SYSTEM, now=utc("2026-06-01T05:30")
    )

    plan_schedules(now=utc("2026-06-01T08:10"))

    assert [state for _, state in runs(schedule)] == [RunState.MISSED, RunState.MISSED, RunState.PLANNED]


def test_switched_on_again_it_begins_with_the_next(clinic: Clinic) -> None:
    schedule = madrid_nine(clinic, now=utc("2026-06-01T05:00"))
    Schedule.unscoped.update(is_enabled=False)
    assert plan_schedules(now=utc("2026-06-01T07:30")) == Planned()

    enable_schedule(clinic.pk, key="agenda", actor=SYSTEM, now=utc("2026-06-01T13:00"))
    for time in ("2026-06-01T13:00", "2026-06-01T23:00", "2026-06-02T06:59"):
        assert plan_schedules(now=utc(time)) == Planned()
    plan_schedules(now=utc("2026-06-02T07:00"))

    assert runs(schedule) == [("2026-06-02T09:00", RunState.PLANNED)]


def test_a_frequent_schedule_that_slept_for_long_keeps_only_the_newest_misses(clinic: Clinic) -> None:
    every_minute = Recurrence(cron="* * * * *", zone="Europe/Madrid")
    schedule = create_schedule(
        clinic.pk, Daily(), key="m", recurrence=every_minute, actor=SYSTEM, now=utc("2026-06-01T00:00")
    )

    planned = plan_schedules(now=utc("2026-06-05T00:00"))

    assert (planned.planned, planned.missed) == (1, 499)
    assert runs(schedule)[-1] == ("2026-06-05T02:00", RunState.PLANNED)


def test_after_its_end_nothing_is_planned(clinic: Clinic) -> None:
    ended = Recurrence(cron="0 9 * * *", zone="Europe/Madrid", ends_at=utc("2026-06-01T07:00"))
    create_schedule(clinic.pk, Daily(), key="e", recurrence=ended, actor=SYSTEM, now=utc("2026-06-01T05:00"))

    planned = [plan_schedules(now=utc(f"2026-06-0{day}T08:00")).planned for day in (1, 2, 3)]

    assert planned == [1, 0, 0]


def test_an_hour_that_clocks_skip_does_not_double_an_hourly_job(clinic: Clinic) -> None:
    hourly = Recurrence(cron="0 * * * *", zone="Europe/Madrid")
    create_schedule(clinic.pk, Daily(), key="h", recurrence=hourly, actor=SYSTEM, now=utc("2026-03-28T23:30"))

    planned = [plan_schedules(now=utc(f"2026-03-29T0{hour}:00")).planned for hour in range(4)]

    assert planned == [1, 1, 1, 1]


def test_many_schedules_are_planned_with_the_queries_of_one(
    clinic: Clinic, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(50):
        madrid_nine(clinic, now=utc("2026-05-30T05:00"), key=f"agenda-{number}")

    with django_assert_num_queries(6):  # Begin, lock, misses, jobs with their runs, move on, commit.
        planned = plan_schedules(now=utc("2026-06-01T07:00"))

    assert (planned.planned, planned.missed) == (50, 100)


@pytest.mark.django_db(transaction=True)
def test_eight_planners_make_one(clinic: Clinic) -> None:
    schedule = madrid_nine(clinic, now=utc("2026-06-01T05:00"))

    planned = at_once(8, lambda: plan_schedules(now=utc("2026-06-01T07:00")).planned)

    assert sum(planned) == 1
    assert (len(runs(schedule)), ScheduledJob.unscoped.count()) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_a_cron_edited_while_the_planner_reads_waits_for_it(clinic: Clinic) -> None:
    schedule = madrid_nine(clinic, now=utc("2026-06-01T05:00"))
    gate = Gate("INSERT INTO scheduler_scheduledjob")
    edited = threading.Event()

    def plan() -> Planned:
        with connection.execute_wrapper(gate):
            return plan_schedules(now=utc("2026-06-01T07:00"))

    def edit() -> None:
        ten = Recurrence(cron="0 10 * * *", zone="Europe/Madrid")
        edit_schedule(clinic.pk, key="agenda", recurrence=ten, actor=SYSTEM, now=utc("2026-06-01T07:00"))
        edited.set()

    with beside(plan) as planning:
        assert gate.reached.wait(30)
        with beside(edit):
            assert not edited.wait(0.3)
            gate.opened.set()
        assert planning.result(timeout=30).planned == 1

    assert plan_schedules(now=utc("2026-06-01T08:00")).planned == 1
    assert [name for name, _ in runs(schedule)] == ["2026-06-01T09:00", "2026-06-01T10:00"]


@pytest.mark.django_db(transaction=True)
def test_a_cron_edited_before_the_planner_reads_never_runs_the_old_time(clinic: Clinic) -> None:
    schedule = madrid_nine(clinic, now=utc("2026-06-01T05:00"))

    ten = Recurrence(cron="0 10 * * *", zone="Europe/Madrid")
    with transaction.atomic():
        edit_schedule(clinic.pk, key="agenda", recurrence=ten, actor=SYSTEM, now=utc("2026-06-01T07:00"))
        with beside(lambda: plan_schedules(now=utc("2026-06-01T07:00"))) as planning:
            assert planning.result(timeout=30) == Planned()

    assert plan_schedules(now=utc("2026-06-01T07:00")) == Planned()
    assert runs(schedule) == []


def test_an_occurrence_without_a_job_cannot_be_stored(clinic: Clinic, now: datetime) -> None:
    schedule = madrid_nine(clinic, now=now)

    with pytest.raises(IntegrityError), transaction.atomic():
        ScheduleRun.unscoped.create(
            clinic=clinic,
            schedule=schedule,
            local_at="2026-06-01T09:00",
            due_at=now,
            state=RunState.PLANNED,
            planned_at=now,
        )


@pytest.mark.django_db(transaction=True)
def test_an_occurrence_belongs_to_the_clinic_of_its_schedule(clinic: Clinic, now: datetime) -> None:
    schedule = madrid_nine(clinic, now=now)

    with pytest.raises(IntegrityError):
        ScheduleRun.unscoped.create(
            clinic=ClinicFactory.create(),
            schedule=schedule,
            local_at="2026-06-01T09:00",
            due_at=now,
            state=RunState.MISSED,
            planned_at=now,
        )


def test_a_run_that_stands_already_is_not_repeated_by_an_edit_back(clinic: Clinic) -> None:
    schedule = madrid_nine(clinic, now=utc("2026-06-01T05:00"))
    plan_schedules(now=utc("2026-06-01T07:00"))
    work(now=utc("2026-06-01T07:00"))
    Schedule.unscoped.update(planned_until=utc("2026-06-01T05:00"), next_due_at=utc("2026-06-01T07:00"))

    plan_schedules(now=utc("2026-06-01T07:10"))

    assert (len(runs(schedule)), ScheduledJob.unscoped.count()) == (1, 1)
