"""People cancel, retry, pause and limit; each act leaves its entry."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from pytest_django import DjangoAssertNumQueries

from clinicbot.actors import Actor, ActorKind
from clinicbot.models import AuditEntry, Clinic
from scheduler.errors import BadQueueLimitsError
from scheduler.models import JobState, Queue, ScheduledJob
from scheduler.usecases.enqueueing import enqueue
from scheduler.usecases.operating import cancel_jobs, pause_queue, resume_queue, retry_jobs, set_queue_limits
from tests.factories import ClinicFactory
from tests.scheduler.bench import beside, claim, job, queue_deeds, rescue_lapsed, set_queue, states, work
from tests.scheduler.deeds import PLAIN_QUEUE, Act

STAFF = Actor(ActorKind.STAFF, 7)


def dead_jobs(clinic: Clinic, count: int = 1, *, now: datetime, key: str | None = None) -> list[int]:
    queued = queue_deeds(clinic, *["refused"] * count, now=now, key=key)
    while work(now=now).more:
        pass
    assert set(states(queued)) == {JobState.DEAD}
    return queued


def crashed_job(clinic: Clinic, *, now: datetime) -> int:
    (queued,) = queue_deeds(clinic, "write", now=now)
    for _ in range(3):
        claim(now=now)
        rescue_lapsed(now=now)
    assert job(queued).state == JobState.DEAD
    return queued


def test_a_retry_sets_every_counter_to_zero(clinic: Clinic, now: datetime) -> None:
    dead = crashed_job(clinic, now=now)
    later = now + timedelta(days=1)

    assert retry_jobs([dead], actor=STAFF, now=later).count == 1

    stored = job(dead)
    assert (stored.state, stored.attempt, stored.crash_count, stored.finished_at) == (JobState.QUEUED, 0, 0, None)
    assert (stored.run_at, stored.runs_alone) == (later, True)
    work(now=later)
    assert job(dead).state == JobState.DONE


@pytest.mark.parametrize("state", ["write", "skip"])
def test_what_has_ended_well_is_not_repeated(clinic: Clinic, now: datetime, state: str) -> None:
    queued = queue_deeds(clinic, state, now=now)
    work(now=now)

    assert retry_jobs(queued, actor=STAFF, now=now).count == 0


def test_many_retries_are_spread(clinic: Clinic, now: datetime) -> None:
    dead = dead_jobs(clinic, 200, now=now)

    retry_jobs(dead, actor=STAFF, now=now)

    offsets = sorted((job(one).run_at - now).total_seconds() for one in dead)
    assert offsets[0] == 0
    assert 15 < offsets[-1] < 18
    assert max(later - sooner for sooner, later in pairwise(offsets)) < 0.2


def test_a_retry_names_the_job_that_took_its_place(clinic: Clinic, now: datetime) -> None:
    (dead,) = dead_jobs(clinic, now=now, key="visit:5")
    live = enqueue(clinic.pk, Act(), run_at=now, unique_key="visit:5", now=now)

    retried = retry_jobs([dead], actor=STAFF, now=now)

    assert (retried.count, retried.superseded) == (0, {dead: live.job_id})
    assert job(dead).state == JobState.DEAD


def test_of_two_dead_jobs_with_one_key_the_newer_lives_again(clinic: Clinic, now: datetime) -> None:
    (older,) = dead_jobs(clinic, now=now, key="visit:5")
    (newer,) = dead_jobs(clinic, now=now, key="visit:5")

    retried = retry_jobs([older, newer], actor=STAFF, now=now)

    assert (retried.count, retried.superseded) == (1, {older: newer})


@pytest.mark.django_db(transaction=True)
def test_a_retry_and_an_enqueue_of_one_key_at_once_make_one_live_job(clinic: Clinic, now: datetime) -> None:
    (dead,) = dead_jobs(clinic, now=now, key="visit:5")

    def enqueue_it() -> bool:
        return enqueue(clinic.pk, Act(), run_at=now, unique_key="visit:5", now=now).is_new

    with beside(enqueue_it) as enqueuing:
        retried = retry_jobs([dead], actor=STAFF, now=now).count

    assert retried + enqueuing.result() == 1
    assert ScheduledJob.unscoped.filter(state=JobState.QUEUED).count() == 1


def test_cancelling_ends_what_waits_and_what_is_dead_and_nothing_else(clinic: Clinic, now: datetime) -> None:
    (dead,) = dead_jobs(clinic, now=now)
    (done,) = queue_deeds(clinic, "write", now=now)
    work(now=now)
    (running,) = queue_deeds(clinic, "write", now=now)
    claim(now=now)
    (waiting,) = queue_deeds(clinic, "write", now=now)

    count = cancel_jobs([dead, done, running, waiting], actor=STAFF, reason="Told twice", now=now)

    assert count == 2
    assert states([dead, waiting]) == [JobState.CANCELLED] * 2
    assert states([done, running]) == [JobState.DONE, JobState.RUNNING]
    assert job(waiting).reason == "cancelled_by_staff"


def test_acts_on_many_jobs_leave_one_entry_a_clinic(
    clinic: Clinic, now: datetime, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    queued = queue_deeds(clinic, *["write"] * 40, now=now)
    elsewhere = queue_deeds(ClinicFactory.create(), "write", now=now)

    with django_assert_num_queries(7):  # Begin, lock, update, clinics, two entries, commit.
        cancel_jobs([*queued, *elsewhere], actor=STAFF, reason="Told twice", now=now)

    entry = AuditEntry.objects.get(clinic=clinic)
    assert (entry.action, entry.actor_id, entry.reason) == ("scheduler.cancel_jobs", 7, "Told twice")
    assert entry.detail == {"jobs": queued, "count": 40}


def test_an_act_on_nothing_leaves_no_entry(clinic: Clinic, now: datetime) -> None:
    retry_jobs([], actor=STAFF, now=now)
    cancel_jobs([0], actor=STAFF, now=now)

    assert not AuditEntry.objects.exists()


def test_a_queue_is_paused_and_resumed_once(now: datetime, db: None) -> None:
    queue = set_queue()

    changes = [
        pause_queue(queue, actor=STAFF, now=now),
        pause_queue(queue, actor=STAFF, now=now),
        resume_queue(queue, actor=STAFF, now=now),
        resume_queue(queue, actor=STAFF, now=now),
    ]

    assert changes == [True, False, True, False]
    actions = AuditEntry.objects.order_by("id").values_list("action", "subject_id")
    assert list(actions) == [("scheduler.pause_queue", str(queue.pk)), ("scheduler.resume_queue", str(queue.pk))]


def test_new_limits_hold_from_the_next_claim_on(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, *["write"] * 10, now=now)
    set_queue_limits(
        set_queue(),
        concurrency=1,
        rate_per_second=4,
        max_attempts=1,
        backoff_base_seconds=9,
        actor=STAFF,
        now=now,
    )

    batch = claim(now=now)

    assert (len(batch.jobs), batch.policy.max_attempts, batch.policy.backoff_base_seconds) == (4, 1, 9)


@pytest.mark.parametrize(
    "bad", [{"concurrency": 0}, {"rate_per_second": 0.0}, {"max_attempts": 0}, {"backoff_base_seconds": 0}]
)
def test_limits_that_stop_everything_are_refused(now: datetime, db: None, bad: dict[str, float]) -> None:
    good = {"concurrency": 2, "rate_per_second": None, "max_attempts": 3, "backoff_base_seconds": 5}

    with pytest.raises(BadQueueLimitsError):
        set_queue_limits(set_queue(), **{**good, **bad}, actor=STAFF, now=now)  # type: ignore[arg-type]
    assert Queue.objects.get(name=PLAIN_QUEUE).concurrency == 2
