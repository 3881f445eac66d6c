"""What is old goes, in batches; what lives or is dead stays."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta

import pytest
from django.db import transaction
from django.db.utils import IntegrityError

from clinicbot.models import Clinic
from scheduler.models import JobState, Queue, ScheduledJob, TickRun
from scheduler.usecases.planning import plan_schedules
from scheduler.usecases.purging import purge_finished_jobs, purge_occurrences, purge_ticks
from tests.scheduler.bench import beside, claim, job, queue_deeds, work
from tests.scheduler.schedules import madrid_nine, runs

MONTH = timedelta(days=30)


def finish_all(ids: list[int], *, state: JobState, at: datetime) -> None:
    ScheduledJob.unscoped.filter(pk__in=ids).update(state=state, finished_at=at)


def test_only_what_has_ended_well_and_long_ago_goes(clinic: Clinic, now: datetime) -> None:
    long_ago = now - timedelta(days=31)
    planned = queue_deeds(clinic, "write", now=now, due=timedelta(days=90))
    running, dead, done, fresh = queue_deeds(clinic, *["write"] * 4, now=now)
    ScheduledJob.unscoped.update(created_at=now - timedelta(days=400))
    finish_all([dead], state=JobState.DEAD, at=now - timedelta(days=400))
    finish_all([done], state=JobState.DONE, at=long_ago)
    finish_all([fresh], state=JobState.DONE, at=now - timedelta(days=29))
    claim(now=now)

    assert purge_finished_jobs(before=now - MONTH, limit=1000) == 1
    assert set(ScheduledJob.unscoped.values_list("pk", flat=True)) == {*planned, running, dead, fresh}


@pytest.mark.parametrize("state", [JobState.DONE, JobState.SKIPPED, JobState.CANCELLED])
def test_every_good_end_is_purged(clinic: Clinic, now: datetime, state: JobState) -> None:
    finish_all(queue_deeds(clinic, "write", now=now), state=state, at=now - 2 * MONTH)

    assert purge_finished_jobs(before=now - MONTH, limit=10) == 1


def test_batches_take_the_oldest_first(clinic: Clinic, now: datetime) -> None:
    queued = queue_deeds(clinic, *["write"] * 5, now=now)
    for age, one in enumerate(queued):
        finish_all([one], state=JobState.DONE, at=now - 2 * MONTH - timedelta(days=age))

    assert purge_finished_jobs(before=now - MONTH, limit=2) == 2
    assert set(ScheduledJob.unscoped.values_list("pk", flat=True)) == set(queued[:3])


@pytest.mark.django_db(transaction=True)
def test_a_row_that_is_held_does_not_stop_the_rest(clinic: Clinic, now: datetime) -> None:
    queued = queue_deeds(clinic, *["write"] * 3, now=now)
    finish_all(queued, state=JobState.DONE, at=now - 2 * MONTH)
    held, purged = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            list(ScheduledJob.unscoped.select_for_update().filter(pk=queued[0]))
            held.set()
            purged.wait(30)

    with beside(hold):
        held.wait(30)
        assert purge_finished_jobs(before=now - MONTH, limit=10) == 2
        purged.set()


@pytest.mark.parametrize(
    "wrong",
    [
        {"state": JobState.QUEUED, "finished_at": datetime.fromisoformat("2026-04-14T07:00:00Z")},
        {"state": JobState.DEAD, "finished_at": None},
        {"state": "vanished"},
        {"state": JobState.RUNNING, "finished_at": None, "leased_until": None},
    ],
)
def test_no_state_contradicts_its_times(clinic: Clinic, now: datetime, wrong: dict[str, object]) -> None:
    (done,) = queue_deeds(clinic, "write", now=now)
    work(now=now)

    with pytest.raises(IntegrityError), transaction.atomic():
        ScheduledJob.unscoped.filter(pk=done).update(**wrong)
    assert job(done).state == JobState.DONE


def test_ticks_go_by_age(now: datetime, db: None) -> None:
    for days in range(10):
        TickRun.objects.create(started_at=now - timedelta(days=days), budget_seconds=1, source="cron")

    assert purge_ticks(before=now - timedelta(days=6, hours=1), limit=2) == 2
    assert purge_ticks(before=now - timedelta(days=6, hours=1), limit=2) == 1
    assert TickRun.objects.count() == 7


def test_occurrences_go_by_age_and_their_jobs_stay(clinic: Clinic, now: datetime) -> None:
    schedule = madrid_nine(clinic, now=now - timedelta(days=3))
    plan_schedules(now=now)
    assert len(runs(schedule)) == 3

    assert purge_occurrences(before=now + MONTH, limit=10) == 3
    assert ScheduledJob.unscoped.count() == 1


def test_queues_are_never_purged(db: None) -> None:
    assert {"appointment-reminders", "daily-agenda", "dental-messages", "maintenance"} <= set(
        Queue.objects.values_list("name", flat=True)
    )
