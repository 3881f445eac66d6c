"""Batches run in one transaction with their finish; one job's error costs no other its work."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

import pytest
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from clinicbot.logs import JsonLines
from clinicbot.models import Clinic
from clinicbot.ticks import Deadline
from scheduler.contracts import Reason
from scheduler.models import JobState, Queue, ScheduledJob
from scheduler.usecases.running import run_batch
from tests.scheduler.bench import Gate, beside, claim, job, queue_deeds, rescue_lapsed, set_queue, states, work
from tests.scheduler.deeds import PATIENT, PLAIN_QUEUE, QUEUE, Act, Call, Other, deeds_done


@pytest.mark.parametrize("size", [1, 100])
def test_a_batch_runs_with_the_same_queries_whatever_its_size(
    clinic: Clinic, now: datetime, size: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    queue_deeds(clinic, *["write"] * size, now=now)
    batch = claim(now=now)

    with django_assert_num_queries(5):  # Begin, lock, the handler's own, finish, commit.
        counts = run_batch(batch, now=now, deadline=Deadline(60))

    assert counts == {"jobs_done": size}


def test_kinds_of_one_batch_run_apart(clinic: Clinic, now: datetime) -> None:
    queued = queue_deeds(clinic, Act(number=1), Other(number=2), Act(number=3), now=now)

    work(now=now)

    assert states(queued) == [JobState.DONE] * 3
    assert sorted(deeds_done()) == ["1", "2", "3"]


def test_an_error_costs_no_other_job_its_work(clinic: Clinic, now: datetime) -> None:
    queued = queue_deeds(clinic, "write", "rude", "write", now=now)

    report = work(now=now)

    assert states(queued) == [JobState.DONE, JobState.QUEUED, JobState.DONE]
    assert deeds_done() == ["0", "2"]
    assert [job(one).attempt for one in queued] == [1, 1, 1]
    assert report.counts == {"jobs_claimed": 3, "batches_split": 1, "jobs_done": 2, "jobs_retried": 1}


def test_an_error_is_tried_three_times_and_then_rests(clinic: Clinic, now: datetime) -> None:
    (queued,) = queue_deeds(clinic, "rude", now=now)

    for minutes in range(4):
        work(now=now + timedelta(minutes=minutes))

    stored = job(queued)
    assert (stored.state, stored.attempt, stored.reason) == (JobState.DEAD, 3, Reason.TRANSIENT)


def test_an_errors_words_are_neither_stored_nor_logged(
    clinic: Clinic, now: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    (queued,) = queue_deeds(clinic, "rude", now=now)

    with caplog.at_level(logging.DEBUG):
        work(now=now)

    assert job(queued).last_error == "RudeError"
    logged = " ".join(JsonLines().format(record) for record in caplog.records)
    assert "RudeError" in logged
    assert not any(word in logged + job(queued).last_error for word in PATIENT.split())


NEXT_STEPS = pytest.mark.parametrize(
    ("deed", "state", "reason", "attempt"),
    [
        ("skip", JobState.SKIPPED, "moved", 1),
        ("refused", JobState.DEAD, "address_refused", 1),
        ("cancel", JobState.CANCELLED, "gone", 1),
        ("retry", JobState.QUEUED, "busy", 1),
        ("snooze", JobState.QUEUED, "later", 0),
        ("rate_limited", JobState.QUEUED, Reason.RATE_LIMITED, 0),
        ("rude", JobState.QUEUED, Reason.TRANSIENT, 1),
    ],
)


@NEXT_STEPS
def test_each_kind_of_failure_has_its_next_step(
    clinic: Clinic, now: datetime, deed: str, state: JobState, reason: str, attempt: int
) -> None:
    (queued,) = queue_deeds(clinic, Act(deed=deed, seconds=60), now=now)

    work(now=now)

    stored = job(queued)
    assert (stored.state, stored.reason, stored.attempt) == (state, reason, attempt)


@NEXT_STEPS
@pytest.mark.django_db(transaction=True)
def test_a_call_to_the_outside_has_the_same_next_steps_and_no_transaction(
    clinic: Clinic, now: datetime, deed: str, state: JobState, reason: str, attempt: int
) -> None:
    (queued,) = queue_deeds(clinic, Call(deed=deed, seconds=60), now=now)

    work(now=now)

    stored = job(queued)
    assert (stored.state, stored.reason, stored.attempt) == (state, reason, attempt)


def test_unreadable_arguments_end_the_job_at_once(clinic: Clinic, now: datetime) -> None:
    queued = queue_deeds(clinic, "write", "write", now=now)
    ScheduledJob.unscoped.filter(pk=queued[0]).update(args={"number": "x"})

    work(now=now)

    assert states(queued) == [JobState.DEAD, JobState.DONE]
    assert (job(queued[0]).reason, job(queued[0]).last_error) == (Reason.BAD_ARGS, "BadJobArgsError bad_job_args")


def test_a_former_name_still_runs(clinic: Clinic, now: datetime) -> None:
    (queued,) = queue_deeds(clinic, "write", now=now)
    ScheduledJob.unscoped.filter(pk=queued).update(kind="tests.do_old_deed")

    work(now=now)

    assert job(queued).state == JobState.DONE


def test_an_unknown_kind_is_kept_and_reported_and_spends_nothing(
    clinic: Clinic, now: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    queued = queue_deeds(clinic, "write", "write", now=now)
    ScheduledJob.unscoped.filter(pk=queued[0]).update(kind="tests.be_ghost")

    report = work(now=now)

    ghost = job(queued[0])
    assert (ghost.state, ghost.attempt, ghost.reason) == (JobState.QUEUED, 0, Reason.UNKNOWN_KIND)
    assert ghost.run_at == now + timedelta(minutes=10)
    assert report.counts["unknown_kind"] == 1
    assert job(queued[1]).state == JobState.DONE
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


def test_an_unknown_kind_is_dead_a_day_after_it_was_first_met(clinic: Clinic, now: datetime) -> None:
    (queued,) = queue_deeds(clinic, "write", now=now)
    ScheduledJob.unscoped.filter(pk=queued).update(kind="tests.be_ghost", created_at=now - timedelta(days=30))

    work(now=now)
    work(now=now + timedelta(hours=23))
    assert job(queued).state == JobState.QUEUED
    work(now=now + timedelta(hours=24))

    assert (job(queued).state, job(queued).reason) == (JobState.DEAD, Reason.UNKNOWN_KIND)


def test_a_kind_that_comes_back_runs(clinic: Clinic, now: datetime) -> None:
    (queued,) = queue_deeds(clinic, "write", now=now)
    ScheduledJob.unscoped.filter(pk=queued).update(kind="tests.be_ghost")
    work(now=now)

    ScheduledJob.unscoped.filter(pk=queued).update(kind="tests.do_deed")
    work(now=now + timedelta(minutes=10))

    assert job(queued).state == JobState.DONE


# Leases


def test_jobs_whose_lease_is_lost_do_not_run(clinic: Clinic, now: datetime) -> None:
    queued = queue_deeds(clinic, "write", "write", now=now)
    late = claim(now=now)
    rescue_lapsed(now=now)
    second = claim(now=now, size=1)

    counts = run_batch(late, now=now, deadline=Deadline(60))

    assert counts == {"stale_results": 2}
    assert deeds_done() == []
    run_batch(second, now=now, deadline=Deadline(60))
    assert deeds_done() == ["0"]
    assert states(queued) == [JobState.DONE, JobState.QUEUED]


@pytest.mark.django_db(transaction=True)
def test_a_batch_that_still_runs_is_not_rescued_however_old_its_lease(clinic: Clinic, now: datetime) -> None:
    (queued,) = queue_deeds(clinic, "write", now=now)
    gate = Gate("clinicbot_auditentry")

    def slow_tick() -> None:
        with connection.execute_wrapper(gate):
            work(now=now)

    with beside(slow_tick):
        assert gate.reached.wait(30)
        assert rescue_lapsed(now=now)["jobs_rescued"] == 0
        assert work(now=now).counts == {}
        gate.opened.set()

    assert (job(queued).state, deeds_done()) == (JobState.DONE, ["0"])


@pytest.mark.django_db(transaction=True)
def test_a_process_that_wakes_after_its_rescue_does_nothing(clinic: Clinic, now: datetime) -> None:
    (queued,) = queue_deeds(clinic, "write", now=now)
    gate = Gate("JOIN unnest")

    def zombie() -> None:
        with connection.execute_wrapper(gate):
            work(now=now)

    with beside(zombie):
        assert gate.reached.wait(30)
        rescue_lapsed(now=now)
        work(now=now)
        gate.opened.set()

    assert (job(queued).state, job(queued).attempt, deeds_done()) == (JobState.DONE, 1, ["0"])


@pytest.mark.django_db(transaction=True)
def test_an_outside_calls_late_result_is_dropped(clinic: Clinic, now: datetime) -> None:
    (queued,) = queue_deeds(clinic, Call(deed="refused"), now=now)
    late = claim(now=now, queue=QUEUE)
    rescue_lapsed(now=now)

    counts = run_batch(late, now=now, deadline=Deadline(60))

    assert counts == {"stale_results": 1}
    assert job(queued).state == JobState.QUEUED


# Budget


class Steps:
    """A monotonic clock that moves on by so much at each look."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._now = seconds, 0.0

    def __call__(self) -> float:
        self._now += self._seconds
        return self._now


def test_what_there_is_no_time_to_start_goes_back_uncharged(clinic: Clinic, now: datetime) -> None:
    queued = queue_deeds(clinic, Act(number=0), Other(number=1), now=now)
    set_queue(rate_per_second=10)
    batch = claim(now=now)

    counts = run_batch(batch, now=now, deadline=Deadline(1.5, monotonic=Steps(1)))

    assert counts == {"jobs_done": 1, "jobs_released": 1}
    assert states(queued) == [JobState.DONE, JobState.QUEUED]
    assert [job(one).attempt for one in queued] == [1, 0]
    assert Queue.objects.get(name=PLAIN_QUEUE).tokens == 9


def test_a_batch_run_one_by_one_stops_at_the_deadline_too(clinic: Clinic, now: datetime) -> None:
    queued = queue_deeds(clinic, "write", "rude", "write", now=now)
    batch = claim(now=now)

    run_batch(batch, now=now, deadline=Deadline(2.5, monotonic=Steps(1)))

    assert states(queued) == [JobState.DONE, JobState.QUEUED, JobState.QUEUED]
    assert [job(one).attempt for one in queued] == [1, 0, 0]


def test_nothing_is_claimed_when_the_budget_is_spent(clinic: Clinic, now: datetime) -> None:
    queued = queue_deeds(clinic, "write", now=now)
    over = Deadline(60)
    over.end_now()

    assert work(now=now, deadline=over).counts == {}
    assert states(queued) == [JobState.QUEUED]


def test_running_a_job_twice_is_seen_by_its_attempts(clinic: Clinic, now: datetime) -> None:
    (queued,) = queue_deeds(clinic, "retry", now=now)

    work(now=now)
    work(now=now + timedelta(minutes=1))

    assert job(queued).attempt == 2
    assert deeds_done() == ["0", "0"]
