"""Jobs of dead processes come back, and a job that kills its process cannot do so for ever."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from clinicbot.models import Clinic
from scheduler.contracts import Reason
from scheduler.models import JobState, ScheduledJob
from scheduler.usecases.rescuing import rescue_jobs
from tests.scheduler.bench import claim, job, queue_deeds, rescue_lapsed, set_queue, states, work


def test_a_lapsed_lease_comes_back_with_its_attempt(clinic: Clinic, now: datetime) -> None:
    queued = queue_deeds(clinic, "write", "write", now=now)
    claim(now=now)

    counts = rescue_lapsed(now=now)

    assert counts["jobs_rescued"] == 2
    assert states(queued) == [JobState.QUEUED] * 2
    assert [job(one).attempt for one in queued] == [0, 0]
    work(now=now)
    assert states(queued) == [JobState.DONE] * 2


def test_a_lease_that_holds_is_left_alone(clinic: Clinic, now: datetime) -> None:
    queued = queue_deeds(clinic, "write", now=now)
    claim(now=now)

    assert rescue_jobs(now=now, real=now + timedelta(minutes=1))["jobs_rescued"] == 0
    assert states(queued) == [JobState.RUNNING]


def test_a_crash_of_several_charges_nobody_but_parts_them(clinic: Clinic, now: datetime) -> None:
    queued = queue_deeds(clinic, "write", "write", now=now)
    claim(now=now)

    rescue_lapsed(now=now)

    assert [(job(one).crash_count, job(one).runs_alone) for one in queued] == [(0, True)] * 2
    assert len(claim(now=now).jobs) == 1


def test_a_neighbours_crash_does_not_end_a_job_that_failed_twice(clinic: Clinic, now: datetime) -> None:
    unlucky, neighbour = queue_deeds(clinic, "write", "write", now=now)
    ScheduledJob.unscoped.filter(pk=unlucky).update(attempt=2)

    for _ in range(5):
        claim(now=now)
        rescue_lapsed(now=now)
        ScheduledJob.unscoped.update(runs_alone=False)

    assert job(unlucky).attempt == 2
    work(now=now)
    assert states([unlucky, neighbour]) == [JobState.DONE] * 2


def test_three_crashes_alone_are_the_last(clinic: Clinic, now: datetime) -> None:
    (queued,) = queue_deeds(clinic, "write", now=now)

    seen = []
    for _ in range(3):
        claim(now=now)
        rescue_lapsed(now=now)
        seen.append((job(queued).state, job(queued).crash_count))

    assert seen == [(JobState.QUEUED, 1), (JobState.QUEUED, 2), (JobState.DEAD, 3)]
    assert (job(queued).reason, job(queued).finished_at) == (Reason.CRASHED, now)


def test_what_is_left_of_a_batch_was_not_alone(clinic: Clinic, now: datetime) -> None:
    queued = queue_deeds(clinic, "write", "write", now=now)
    claim(now=now)
    ScheduledJob.unscoped.filter(pk=queued[0]).update(state=JobState.DONE, finished_at=now)

    rescue_lapsed(now=now)

    assert job(queued[1]).crash_count == 0


def test_one_query_rescues_any_number(
    clinic: Clinic, now: datetime, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    queue_deeds(clinic, *["write"] * 100, now=now)
    claim(now=now)

    with django_assert_num_queries(1):
        assert rescue_lapsed(now=now)["jobs_rescued"] == 100


def test_a_page_of_long_leases_does_not_hide_a_lapsed_one(clinic: Clinic, now: datetime) -> None:
    queued = queue_deeds(clinic, *["write"] * 2001, now=now)
    set_queue(concurrency=99)
    for _ in range(21):
        claim(now=now)
    ScheduledJob.unscoped.update(leased_until=now + timedelta(days=1))
    ScheduledJob.unscoped.filter(pk=queued[-1]).update(leased_until=now)

    assert rescue_jobs(now=now, real=now + timedelta(seconds=1))["jobs_rescued"] == 1


@pytest.mark.parametrize("waits", [timedelta(0), timedelta(days=400)])
def test_the_demos_clock_lapses_no_lease(clinic: Clinic, now: datetime, waits: timedelta) -> None:
    queued = queue_deeds(clinic, "write", now=now)
    claim(now=now)

    rescue_jobs(now=now + waits, real=now)

    assert states(queued) == [JobState.RUNNING]
