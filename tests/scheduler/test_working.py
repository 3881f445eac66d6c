"""One round of jobs: all queues have their turn, and what will not finish is not begun."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from clinicbot.models import Clinic
from clinicbot.ticks import Deadline
from scheduler.models import JobState, Queue, ScheduledJob
from scheduler.usecases.working import Pace, run_due_jobs
from tests.factories import ClinicFactory
from tests.scheduler.bench import job, queue_deeds, set_queue, states, work
from tests.scheduler.deeds import PLAIN_QUEUE, QUEUE, Call, Daily, deeds_done


class Clock:
    """A monotonic clock that stands still until told."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def count_queries(run: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as queries:
        run()
    return len(queries)


def test_a_round_runs_everything_that_is_due(clinic: Clinic, now: datetime) -> None:
    queued = queue_deeds(clinic, *["write"] * 250, Daily(local_at="2026-04-14T09:00"), now=now)

    report = work(now=now)

    assert set(states(queued)) == {JobState.DONE}
    assert (report.counts["jobs_done"], report.more, report.next_due_in_seconds) == (251, False, None)


@pytest.mark.parametrize("clinics", [1, 20])
def test_queries_grow_with_batches_not_with_jobs_or_clinics(now: datetime, db: None, clinics: int) -> None:
    for one in ClinicFactory.create_batch(clinics):
        queue_deeds(one, *["write"] * (80 // clinics), now=now)

    # Queues, whose turn; begin, queue, claim, commit; begin, lock, handler, finish, commit; what is due next.
    assert count_queries(lambda: work(now=now)) == 12


def test_an_empty_round_asks_three_questions(now: datetime, db: None) -> None:
    assert count_queries(lambda: work(now=now)) == 3


def test_a_round_says_when_more_will_be_due(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, "write", now=now, due=timedelta(seconds=30))

    due = work(now=now).next_due_in_seconds

    assert due is not None
    assert 25 < due <= 30


def test_a_rate_is_waited_for(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, *["write"] * 30, now=now)
    set_queue(rate_per_second=10)

    report = work(now=now)

    assert report.counts["jobs_done"] == 10
    assert report.next_due_in_seconds == pytest.approx(0.5, abs=0.4)
    assert not report.more


def test_a_paused_queue_is_neither_run_nor_waited_for(clinic: Clinic, now: datetime) -> None:
    queued = queue_deeds(clinic, "write", now=now) + queue_deeds(clinic, "write", now=now, due=timedelta(seconds=5))
    set_queue(paused_at=now)

    report = work(now=now)

    assert states(queued) == [JobState.QUEUED] * 2
    assert (report.counts, report.more, report.next_due_in_seconds) == ({}, False, None)


def test_a_queue_at_its_limit_of_batches_does_not_keep_the_tick_busy(clinic: Clinic, now: datetime) -> None:
    running, waiting = queue_deeds(clinic, "write", "write", now=now)
    set_queue(concurrency=1)
    work(now=now, size=1)
    ScheduledJob.unscoped.filter(pk=running).update(
        state=JobState.RUNNING,
        finished_at=None,
        claim_id="0190b3f0-0000-7000-8000-000000000001",
        leased_until=now + timedelta(hours=1),
    )
    ScheduledJob.unscoped.filter(pk=waiting).update(state=JobState.QUEUED, finished_at=None)

    report = work(now=now)

    assert job(waiting).state == JobState.QUEUED
    assert not report.more


def test_a_low_priority_runs_within_ten_rounds_of_an_endless_high_one(clinic: Clinic, now: datetime) -> None:
    (low,) = queue_deeds(clinic, "write", now=now, priority=9)
    set_queue(rate_per_second=1)

    for second in range(10):
        later = now + timedelta(seconds=second + 1)
        queue_deeds(clinic, *["write"] * 3, now=later, priority=0)
        work(now=later)

    assert job(low).state == JobState.DONE


def test_a_small_clinic_does_not_wait_for_a_flood(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, *["write"] * 300, now=now - timedelta(hours=1))
    small = queue_deeds(ClinicFactory.create(), "write", now=now)
    set_queue(rate_per_second=2)

    work(now=now)

    assert states(small) == [JobState.DONE]


def test_a_job_that_snoozes_for_no_time_does_not_keep_the_round_busy(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, "snooze", now=now)

    report = work(now=now)

    assert (report.counts["jobs_snoozed"], report.more) == (1, False)


# Budget


@pytest.mark.django_db(transaction=True)
def test_slow_calls_end_in_time_and_what_was_not_begun_waits_uncharged(
    clinic: Clinic, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Budget 10 s, 3 s each, 20 due: three are made, and no one is left half-way."""
    clock = Clock()
    monkeypatch.setattr("scheduler.usecases.working.time.monotonic", clock)
    queued = queue_deeds(clinic, *[Call(number=number) for number in range(20)], now=now)

    def take_three_seconds(*arguments: object) -> object:
        execute, sql, *rest = arguments
        if isinstance(sql, str) and "clinicbot_auditentry" in sql:
            clock.seconds += 3
        assert callable(execute)
        return execute(sql, *rest)

    with connection.execute_wrapper(take_three_seconds):
        run_due_jobs(now=now, real=now, deadline=Deadline(10, monotonic=clock), pace=Pace())
        run_due_jobs(now=now, real=now, deadline=Deadline(10 - clock.seconds, monotonic=clock), pace=Pace())

    done = states(queued).count(JobState.DONE)
    assert done >= 3
    assert clock.seconds <= 13
    assert states(queued).count(JobState.QUEUED) == 20 - done
    assert {job(one).attempt for one in queued if job(one).state == JobState.QUEUED} == {0}


def test_what_was_never_seen_is_expected_to_use_its_time_limit_or_half_the_budget() -> None:
    pace = Pace()

    assert pace.expected_seconds(PLAIN_QUEUE, budget_seconds=1000) == 20
    assert pace.expected_seconds(PLAIN_QUEUE, budget_seconds=10) == 5


def test_what_was_seen_is_expected_again_with_room_to_spare() -> None:
    pace = Pace()

    pace.note(QUEUE, seconds=2, jobs=1)
    assert pace.expected_seconds(QUEUE, budget_seconds=50) == 4
    for _ in range(20):
        pace.note(QUEUE, seconds=0.1, jobs=1)
    assert pace.expected_seconds(QUEUE, budget_seconds=50) == pytest.approx(0.2)


def test_batches_grow_while_they_are_full_and_quick_and_no_longer() -> None:
    pace = Pace()
    sizes = []
    for seconds, jobs in [
        (0.1, 100),
        (0.1, 200),
        (0.1, 400),
        (0.2, 800),
        (0.3, 800),
        (0.1, 400),
        (0.1, 799),
        (0.3, 100),
    ]:
        pace.note(QUEUE, seconds=seconds, jobs=jobs)
        sizes.append(pace.size(QUEUE))

    assert sizes == [200, 400, 800, 800, 400, 800, 100, 100]
    assert pace.size(PLAIN_QUEUE) == 100


def test_a_flood_is_claimed_in_fewer_batches(clinic: Clinic, now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr("scheduler.usecases.working.time.monotonic", clock)
    queued = queue_deeds(clinic, *["quiet"] * 700, now=now)

    run_due_jobs(now=now, real=now, deadline=Deadline(60, monotonic=clock), pace=Pace())

    assert states(queued) == [JobState.DONE] * 700
    assert Queue.objects.get(name=PLAIN_QUEUE).claims == 3  # Of 100, 200 and 400.


def test_a_batch_that_will_not_finish_is_not_claimed(clinic: Clinic, now: datetime) -> None:
    queued = queue_deeds(clinic, "write", now=now)
    slow = Pace()
    slow.note(PLAIN_QUEUE, seconds=9, jobs=1)
    clock = Clock()
    deadline = Deadline(10, monotonic=clock)
    clock.seconds = 6

    run_due_jobs(now=now, real=now, deadline=deadline, pace=slow)

    assert states(queued) == [JobState.QUEUED]
    assert deeds_done() == []


def test_a_batch_is_as_small_as_the_time_that_is_left() -> None:
    clock, pace = Clock(), Pace()
    pace.note(QUEUE, seconds=4, jobs=100)
    deadline = Deadline(50, monotonic=clock)

    sizes = []
    for clock.seconds in (0, 42, 46, 49.9, 49.95):
        sizes.append(pace.size_in_time(QUEUE, deadline=deadline))

    assert sizes == [100, 100, 50, 1, 0]


def test_what_is_slow_has_one_job_at_least_in_the_first_half_of_a_short_tick() -> None:
    clock, pace = Clock(), Pace()
    pace.note(QUEUE, seconds=9, jobs=1)
    deadline = Deadline(8, monotonic=clock)

    sizes = []
    for clock.seconds in (0, 4, 4.1):
        sizes.append(pace.size_in_time(QUEUE, deadline=deadline))

    assert sizes == [1, 1, 0]


@pytest.mark.django_db(transaction=True)
def test_in_short_ticks_each_slow_queue_has_its_turn(
    clinic: Clinic, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each job takes five of a tick's eight seconds, so that there is one a tick."""
    # Given
    clock, pace = Clock(), Pace()
    monkeypatch.setattr("scheduler.usecases.working.time.monotonic", clock)
    plain = queue_deeds(clinic, "write", "write", now=now)
    calls = queue_deeds(clinic, Call(), Call(), now=now)

    def take_five_seconds(execute: Callable[..., object], sql: str, *rest: object) -> object:
        if "clinicbot_auditentry" in sql:
            clock.seconds += 5
        return execute(sql, *rest)

    # When
    done = []
    with connection.execute_wrapper(take_five_seconds):
        for tick in range(4):
            real = now + timedelta(minutes=tick)
            run_due_jobs(now=now, real=real, deadline=Deadline(8, monotonic=clock), size=1, pace=pace)
            done.append([states(queued).count(JobState.DONE) for queued in (plain, calls)])

    # Then
    assert done == [[1, 0], [1, 1], [2, 1], [2, 2]]
