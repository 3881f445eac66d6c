"""Who has lost the lease writes nothing; who has it writes all outcomes at once."""

from __future__ import annotations

import statistics
from datetime import datetime, timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from clinicbot.models import Clinic
from scheduler.contracts import Reason, Result
from scheduler.models import JobState
from scheduler.usecases.claiming import Batch
from scheduler.usecases.finishing import Outcome, finish_jobs, lock_held, release_jobs
from tests.scheduler.bench import claim, job, queue_deeds, rescue_lapsed, set_queue


def finish(batch: Batch, result: Result, *, now: datetime) -> dict[str, int]:
    return finish_jobs([Outcome(job=one, result=result) for one in batch.jobs], policy=batch.policy, now=now)


def claim_again(*, now: datetime) -> Batch:
    """What happens to a job whose process was given up: rescued, and claimed by another."""
    rescue_lapsed(now=now)
    return claim(now=now)


def test_a_late_failure_does_not_overwrite_the_second_runs_success(clinic: Clinic, now: datetime) -> None:
    (queued,) = queue_deeds(clinic, "write", now=now)
    late = claim(now=now)
    finish(claim_again(now=now), Result.done(), now=now)

    counts = finish(late, Result.retry("late"), now=now)

    assert counts == {"stale_results": 1}
    assert (job(queued).state, job(queued).reason) == (JobState.DONE, "")


def test_a_late_success_does_not_end_the_second_run(clinic: Clinic, now: datetime) -> None:
    (queued,) = queue_deeds(clinic, "write", now=now)
    late = claim(now=now)
    claim_again(now=now)

    counts = finish(late, Result.done(), now=now)

    assert counts == {"stale_results": 1}
    assert (job(queued).state, job(queued).lease_no) == (JobState.RUNNING, 2)


def test_a_late_release_takes_nothing_from_the_second_run(clinic: Clinic, now: datetime) -> None:
    (queued,) = queue_deeds(clinic, "write", now=now)
    late = claim(now=now)
    claim_again(now=now)

    assert release_jobs(late.jobs, policy=late.policy) == {"jobs_released": 0}
    assert (job(queued).state, job(queued).attempt) == (JobState.RUNNING, 1)


def test_a_lapsed_lease_holds_nothing(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, "write", now=now)
    late = claim(now=now)
    second = claim_again(now=now)

    assert lock_held(late.jobs) == []
    assert lock_held(second.jobs) == list(second.jobs)


@pytest.mark.parametrize("size", [1, 100])
def test_one_statement_finishes_any_number(
    clinic: Clinic, now: datetime, size: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    queue_deeds(clinic, *["write"] * size, now=now)
    batch = claim(now=now)

    with django_assert_num_queries(1):
        counts = finish(batch, Result.done(visits=2), now=now)

    assert counts == {"jobs_done": size}
    assert job(batch.jobs[0].job_id).result == {"visits": 2}


@pytest.mark.parametrize(
    ("result", "state"),
    [
        (Result.done(), JobState.DONE),
        (Result.skipped("moved"), JobState.SKIPPED),
        (Result.cancelled("moved"), JobState.CANCELLED),
        (Result.dead("moved"), JobState.DEAD),
    ],
)
def test_a_final_result_ends_the_job(clinic: Clinic, now: datetime, result: Result, state: JobState) -> None:
    (queued,) = queue_deeds(clinic, "write", now=now)

    finish(claim(now=now), result, now=now)

    stored = job(queued)
    assert (stored.state, stored.reason, stored.finished_at) == (state, result.reason, now)
    assert (stored.claim_id, stored.leased_until) == (None, None)


def test_a_retry_spends_an_attempt_and_waits_longer_each_time(clinic: Clinic, now: datetime) -> None:
    (queued,) = queue_deeds(clinic, "write", now=now)
    waits = []

    for _ in range(2):
        finish(claim(now=now), Result.retry("busy"), now=now)
        waits.append((job(queued).run_at - now).total_seconds())
        now = job(queued).run_at
    finish(claim(now=now), Result.retry("busy"), now=now)

    assert 5 <= waits[0] <= 6.25
    assert 10 <= waits[1] <= 12.5
    assert (job(queued).state, job(queued).attempt, job(queued).reason) == (JobState.DEAD, 3, "busy")


def test_the_queue_says_how_often_and_how_soon(clinic: Clinic, now: datetime) -> None:
    (queued,) = queue_deeds(clinic, "write", now=now)
    set_queue(max_attempts=1, backoff_base_seconds=60)

    finish(claim(now=now), Result.retry("busy"), now=now)

    assert job(queued).state == JobState.DEAD


def test_a_snooze_gives_the_attempt_back_and_waits_as_told(clinic: Clinic, now: datetime) -> None:
    (queued,) = queue_deeds(clinic, "write", now=now)

    for _ in range(5):
        finish(claim(now=now), Result.snooze("later", after_seconds=1), now=now)
        now += timedelta(seconds=1)
    counts = finish(claim(now=now), Result.snooze("later", after_seconds=90), now=now)

    stored = job(queued)
    assert counts == {"jobs_snoozed": 1}
    assert (stored.state, stored.attempt, stored.reason) == (JobState.QUEUED, 0, "later")
    assert stored.run_at == now + timedelta(seconds=90)


def test_retry_after_is_a_floor(clinic: Clinic, now: datetime) -> None:
    (queued,) = queue_deeds(clinic, "write", now=now)

    finish(claim(now=now), Result.retry("busy", after_seconds=120), now=now)

    assert timedelta(seconds=120) <= job(queued).run_at - now <= timedelta(seconds=150)


@pytest.mark.parametrize(("asked", "least"), [(120.0, 120), (None, 5), (0.5, 5)])
def test_a_rate_limited_job_spends_no_attempt(clinic: Clinic, now: datetime, asked: float | None, least: float) -> None:
    (queued,) = queue_deeds(clinic, "write", now=now)

    finish(claim(now=now), Result.rate_limited(after_seconds=asked), now=now)

    stored = job(queued)
    assert (stored.state, stored.attempt, stored.reason) == (JobState.QUEUED, 0, Reason.RATE_LIMITED)
    assert stored.run_at - now >= timedelta(seconds=least)


def test_a_crowd_that_fails_together_comes_back_dispersed(clinic: Clinic, now: datetime) -> None:
    queued = queue_deeds(clinic, *["write"] * 100, now=now)

    finish(claim(now=now), Result.retry("busy"), now=now)

    waits = [(job(one).run_at - now).total_seconds() for one in queued]
    assert max(waits) - min(waits) >= 0.2 * 5
    assert statistics.pstdev(waits) > 0.1


def test_reasons_and_errors_are_cut_to_their_columns(clinic: Clinic, now: datetime) -> None:
    (queued,) = queue_deeds(clinic, "write", now=now)
    batch = claim(now=now)

    outcome = Outcome(job=batch.jobs[0], result=Result.dead("x" * 100), error="y" * 1000)
    finish_jobs([outcome], policy=batch.policy, now=now)

    assert (len(job(queued).reason), len(job(queued).last_error)) == (64, 500)
