"""What others may ask, and that a clinic hears only of its own."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from clinicbot.contracts import Backlog
from clinicbot.models import Clinic
from scheduler import queries
from scheduler.models import JobState, ScheduledJob, TickRun
from tests.factories import ClinicFactory
from tests.scheduler.bench import claim, queue_deeds, set_queue, work
from tests.scheduler.deeds import PLAIN_QUEUE
from tests.scheduler.schedules import madrid_nine

HOUR = timedelta(hours=1)


def test_the_last_tick_is_the_newest_finished_or_not(now: datetime, db: None) -> None:
    assert queries.last_tick() is None
    TickRun.objects.create(started_at=now, budget_seconds=1, source="http")
    TickRun.objects.create(started_at=now - HOUR, finished_at=now, budget_seconds=1, source="cron")

    last = queries.last_tick()

    assert last is not None
    assert (last.started_at, last.finished_at) == (now, None)


def test_the_backlog_is_what_is_due_and_waits_in_open_queues(clinic: Clinic, now: datetime) -> None:
    assert queries.backlog(now) == Backlog(due=0, oldest_due_at=None)
    queue_deeds(clinic, "write", now=now, due=-2 * HOUR)
    queue_deeds(clinic, "write", now=now)
    queue_deeds(clinic, "write", now=now, due=HOUR)

    assert queries.backlog(now) == Backlog(due=2, oldest_due_at=now - 2 * HOUR)
    set_queue(paused_at=now)
    assert queries.backlog(now) == Backlog(due=0, oldest_due_at=None)


def test_the_backlog_is_told_even_when_nothing_finishes(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, "write", now=now)

    assert queries.backlog(now + 5 * HOUR).oldest_due_at == now


def test_a_visits_jobs_are_found_by_the_beginning_of_their_key(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, "skip", now=now, key="tests.remind_x:5:v1:r1")
    work(now=now)
    queue_deeds(clinic, "write", now=now, due=HOUR, key="tests.remind_x:5:v2:r1")
    queue_deeds(clinic, "write", now=now, key="tests.remind_x:55:v1:r1")
    queue_deeds(clinic, "write", now=now, key="tests.remindax:5:v1:r1")
    queue_deeds(ClinicFactory.create(), "write", now=now, key="tests.remind_x:5:v1:r1")

    found = queries.jobs_of_subject(clinic, unique_key_prefix="tests.remind_x:5:")

    assert [(one.state, one.reason, one.run_at) for one in found] == [
        (JobState.SKIPPED, "moved", now),
        (JobState.QUEUED, "", now + HOUR),
    ]
    assert found[0].args["deed"] == "skip"


def test_a_visits_jobs_are_found_by_index(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, *["write"] * 3000, now=now)
    for number in range(20):
        queue_deeds(clinic, "write", now=now, key=f"visit:{number}:v1")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE scheduler_scheduledjob")
        jobs = ScheduledJob.objects.for_clinic(clinic).filter(unique_key__startswith="visit:7:")

        assert "scheduler_jobs_by_key" in jobs.explain()


def test_the_next_thing_planned_is_a_job_or_an_occurrence(clinic: Clinic, now: datetime) -> None:
    assert queries.next_run_at(now=now) is None
    schedule = madrid_nine(clinic, now=now)
    assert queries.next_run_at(now=now) == schedule.next_due_at

    queue_deeds(clinic, "write", now=now, due=-HOUR)
    queue_deeds(clinic, "write", now=now, due=3 * HOUR)
    queue_deeds(ClinicFactory.create(), "write", now=now, due=2 * HOUR)

    assert queries.next_run_at(now=now) == now + 2 * HOUR


def test_depths_tell_waiting_later_running_and_dead(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, "refused", now=now)
    work(now=now)
    queue_deeds(clinic, "write", "write", now=now - HOUR)
    claim(now=now, size=1)
    queue_deeds(clinic, "write", now=now, due=HOUR)
    queue_deeds(ClinicFactory.create(), "write", now=now)

    of_all, of_clinic = (
        next(one for one in queries.list_queue_depths(clinic=whose, now=now) if one.name == PLAIN_QUEUE)
        for whose in (None, clinic)
    )

    assert (of_all.waiting, of_all.delayed, of_all.running, of_all.dead) == (2, 1, 1, 1)
    assert (of_clinic.waiting, of_clinic.delayed, of_clinic.running, of_clinic.dead) == (1, 1, 1, 1)
    assert of_all.oldest_due_at == of_clinic.oldest_due_at == now - HOUR


def test_depths_of_all_queues_are_one_query(
    now: datetime, db: None, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(1):
        assert {depth.waiting for depth in queries.list_queue_depths(now=now)} == {0}


@pytest.mark.parametrize("whose", ["all", "clinic"])
def test_counts_stop_at_their_limit(clinic: Clinic, now: datetime, whose: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "COUNT_LIMIT", 11)
    queue_deeds(clinic, *["write"] * 30, now=now)

    depths = queries.list_queue_depths(clinic=clinic if whose == "clinic" else None, now=now)

    assert max(depth.waiting for depth in depths) == 11
    assert queries.backlog(now).due == 11
