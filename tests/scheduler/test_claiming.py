"""A claim takes what is due, no more than asked, in fair turns, within the queue's limits."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from clinicbot.models import Clinic
from scheduler.models import JobState, Queue, ScheduledJob
from scheduler.queries import list_due_pairs
from scheduler.usecases.claiming import ClaimedJob
from scheduler.usecases.finishing import release_jobs
from scheduler.usecases.rotation import Rotation
from tests.factories import ClinicFactory
from tests.scheduler.bench import at_once, beside, claim, job, queue_deeds, set_queue, states
from tests.scheduler.deeds import PLAIN_QUEUE, QUEUE, Act, Call, Other

SECOND = timedelta(seconds=1)


def numbers(jobs: Sequence[ClaimedJob]) -> list[int]:
    return [int(one.payload["number"]) for one in jobs]


def clinics_of(jobs: Sequence[ClaimedJob]) -> set[int]:
    return {one.clinic_id for one in jobs}


def test_a_claim_counts_the_attempt_and_the_lease(clinic: Clinic, now: datetime) -> None:
    (queued,) = queue_deeds(clinic, "write", now=now)

    batch = claim(now=now)

    stored = job(queued)
    assert [one.job_id for one in batch.jobs] == [queued]
    assert (stored.state, stored.attempt, stored.lease_no) == (JobState.RUNNING, 1, 1)
    assert stored.claim_id is not None


def test_the_lease_covers_the_rest_of_the_tick_and_the_kinds_time_limit(clinic: Clinic, now: datetime) -> None:
    short, long = queue_deeds(clinic, "write", Other(number=1), now=now)

    claim(now=now)

    ends_at = now + timedelta(minutes=1)
    assert [job(one).leased_until for one in (short, long)] == [ends_at + 15 * SECOND, ends_at + 25 * SECOND]


def test_what_is_not_due_stays(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, "write", now=now, due=SECOND)

    assert not claim(now=now).jobs
    assert claim(now=now + SECOND).jobs


def test_two_statements_claim_a_hundred_as_they_claim_one(
    clinic: Clinic, now: datetime, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    queue_deeds(clinic, *["write"] * 100, now=now)
    rotation = Rotation.starting_at(0, list_due_pairs([PLAIN_QUEUE], now=now)[PLAIN_QUEUE])

    with django_assert_num_queries(4):  # Begin, the queue, the claim, commit.
        batch = claim(now=now, rotation=rotation)

    assert len(batch.jobs) == 100


@pytest.mark.parametrize("every_fifth", [False, True])
def test_no_plan_makes_a_claim_take_more_than_asked(clinic: Clinic, now: datetime, every_fifth: bool) -> None:
    queued = queue_deeds(clinic, *["write"] * 100, now=now)
    set_queue(claims=4 if every_fifth else 0)
    with connection.cursor() as cursor:
        for path in ("hashjoin", "mergejoin", "hashagg", "sort", "material", "incremental_sort"):
            cursor.execute(f"SET LOCAL enable_{path} = off")

    batch = claim(now=now, size=5)

    assert len(batch.jobs) == 5
    assert states(queued).count(JobState.QUEUED) == 95


@pytest.mark.django_db(transaction=True)
def test_a_row_that_another_holds_is_passed_over(clinic: Clinic, now: datetime) -> None:
    queued = queue_deeds(clinic, "write", "write", now=now)
    held, claimed = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            list(ScheduledJob.unscoped.select_for_update().filter(pk=queued[0]))
            held.set()
            claimed.wait(30)

    with beside(hold):
        held.wait(30)
        batch = claim(now=now)
        claimed.set()

    assert [one.job_id for one in batch.jobs] == [queued[1]]


def test_a_paused_queue_is_left_alone(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, "write", now=now)
    set_queue(paused_at=now)

    assert not claim(now=now).jobs


def test_a_cancelled_job_is_not_claimed(clinic: Clinic, now: datetime) -> None:
    (queued,) = queue_deeds(clinic, "write", now=now)
    rotation = Rotation.starting_at(0, list_due_pairs([PLAIN_QUEUE], now=now)[PLAIN_QUEUE])
    ScheduledJob.unscoped.filter(pk=queued).update(state=JobState.CANCELLED, finished_at=now)

    assert not claim(now=now, rotation=rotation).jobs
    assert job(queued).state == JobState.CANCELLED


@pytest.mark.parametrize(
    ("job_of", "rate", "waits"),
    [(Act, None, False), (Call, None, True), (Act, 10, True)],
    ids=["plain", "call", "rate"],
)
def test_a_claim_waits_for_the_disk_only_where_something_leaves_the_database_under_it(
    clinic: Clinic, now: datetime, job_of: type[Act], rate: float | None, waits: bool
) -> None:
    queue = QUEUE if job_of is Call else PLAIN_QUEUE
    queue_deeds(clinic, job_of(deed="quiet"), now=now)
    set_queue(queue, rate_per_second=rate)

    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = on")
        assert claim(now=now, queue=queue).jobs
        cursor.execute("SHOW synchronous_commit")
        assert cursor.fetchone() == ("on" if waits else "off",)


# Limits


def test_a_queue_runs_no_more_batches_than_its_concurrency(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, *["write"] * 10, now=now)
    set_queue(concurrency=2)

    sizes = [len(claim(now=now, size=2).jobs) for _ in range(3)]

    assert sizes == [2, 2, 0]


def test_a_batch_is_in_progress_until_its_last_job_ends(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, *["write"] * 4, now=now)
    set_queue(concurrency=1)
    first = claim(now=now, size=2)

    release_jobs(first.jobs[:1], policy=first.policy)
    assert not claim(now=now, size=2).jobs
    release_jobs(first.jobs[1:], policy=first.policy)
    assert len(claim(now=now, size=2).jobs) == 2


def test_a_lapsed_lease_is_no_batch_in_progress(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, "write", "write", now=now)
    set_queue(concurrency=1)
    claim(now=now, size=1)

    assert claim(now=now + timedelta(hours=1), size=1).jobs


@pytest.mark.django_db(transaction=True)
def test_concurrency_holds_when_all_claim_at_once(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, *["write"] * 40, now=now)
    set_queue(concurrency=3)

    sizes = at_once(8, lambda: len(claim(now=now, size=5).jobs))

    assert sorted(sizes) == [0, 0, 0, 0, 0, 5, 5, 5]


def test_a_rate_lets_through_a_seconds_worth_and_then_its_pace(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, *["write"] * 100, now=now)
    set_queue(rate_per_second=10, concurrency=9)

    at_first = claim(now=now)
    too_early = claim(now=now)
    half_a_second_later = claim(now=now + SECOND / 2)
    much_later = claim(now=now + timedelta(hours=1))

    assert len(at_first.jobs) == 10
    assert (len(too_early.jobs), too_early.wait_seconds) == (0, 0.5)
    assert len(half_a_second_later.jobs) == 5
    assert len(much_later.jobs) == 10


def test_a_slow_rate_says_when_to_come_back(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, "write", "write", now=now)
    set_queue(rate_per_second=0.1)

    assert len(claim(now=now).jobs) == 1
    assert claim(now=now).wait_seconds == pytest.approx(10)
    assert len(claim(now=now + 10 * SECOND).jobs) == 1


def test_the_rate_is_charged_for_what_was_claimed_and_returned_for_what_was_not_started(
    clinic: Clinic, now: datetime
) -> None:
    queue_deeds(clinic, *["write"] * 4, now=now)
    set_queue(rate_per_second=10)

    batch = claim(now=now)
    assert Queue.objects.get(name=PLAIN_QUEUE).tokens == 6

    release_jobs(batch.jobs[:3], policy=batch.policy)
    assert Queue.objects.get(name=PLAIN_QUEUE).tokens == 9


@pytest.mark.django_db(transaction=True)
def test_the_rate_holds_when_all_claim_at_once(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, *["write"] * 100, now=now)
    set_queue(rate_per_second=20, concurrency=99)

    sizes = at_once(6, lambda: len(claim(now=now, size=7).jobs))

    assert sum(sizes) == 20


# Fairness


def test_one_clinics_flood_takes_one_place_of_each_batch(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, *["write"] * 2000, now=now - timedelta(hours=1))
    others = ClinicFactory.create_batch(199)
    for other in others:
        queue_deeds(other, *["write"] * 10, now=now)
    set_queue(concurrency=99)
    rotation = Rotation.starting_at(0, list_due_pairs([PLAIN_QUEUE], now=now)[PLAIN_QUEUE])

    batches = [claim(now=now, size=50, rotation=rotation).jobs for _ in range(4)]

    assert all(len(batch) == 50 for batch in batches)
    assert {other.pk for other in others} <= set.union(*[clinics_of(batch) for batch in batches])
    assert sum(one.clinic_id == clinic.pk for batch in batches for one in batch) == 1


def test_small_rounds_do_not_always_begin_with_the_same_clinics(now: datetime, db: None) -> None:
    clinics = ClinicFactory.create_batch(6)
    for one in clinics:
        queue_deeds(one, *["write"] * 20, now=now)
    set_queue(concurrency=99)

    served: set[int] = set()
    for _ in range(6):
        turn = Queue.objects.get(name=PLAIN_QUEUE).claims
        rotation = Rotation.starting_at(turn, list_due_pairs([PLAIN_QUEUE], now=now)[PLAIN_QUEUE])
        served |= clinics_of(claim(now=now, size=1, rotation=rotation).jobs)

    assert len(served) >= 5


def test_a_low_priority_does_not_starve(clinic: Clinic, now: datetime) -> None:
    (low,) = queue_deeds(clinic, "write", now=now - timedelta(hours=1), priority=9)
    set_queue(concurrency=99)

    for _ in range(5):
        queue_deeds(clinic, *["write"] * 10, now=now, priority=0)
        claim(now=now, size=5)

    assert job(low).state == JobState.RUNNING


def test_a_higher_priority_goes_first_otherwise(clinic: Clinic, now: datetime) -> None:
    low = queue_deeds(clinic, *["write"] * 3, now=now - timedelta(hours=1), priority=9)
    high = queue_deeds(clinic, *["write"] * 3, now=now, priority=0)

    claim(now=now, size=4)

    assert states(high) == [JobState.RUNNING] * 3
    assert states(low).count(JobState.RUNNING) == 1


def test_future_jobs_of_a_higher_priority_do_not_slow_the_claim(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, *["write"] * 5000, now=now, due=timedelta(days=30), priority=0)
    queue_deeds(clinic, *["write"] * 5, now=now, priority=3)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE scheduler_scheduledjob")

    batch = claim(now=now, size=5)

    assert len(batch.jobs) == 5
    assert rows_read_by_a_claim(now=now) < 500


def test_another_clinics_flood_is_not_read_through(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, *["write"] * 5000, now=now - timedelta(hours=1))
    small = ClinicFactory.create()
    queue_deeds(small, *["write"] * 20, now=now)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE scheduler_scheduledjob")
    rotation = Rotation.starting_at(0, [(5, small.pk)])

    before = rows_read()
    batch = claim(now=now, size=5, rotation=rotation)

    assert clinics_of(batch.jobs) == {small.pk}
    assert rows_read() - before < 500


def test_a_claim_in_turn_reads_the_index_of_turns(clinic: Clinic, now: datetime) -> None:
    """The planner, asked by equality, took the index by age: fast here, and a walk through everything due in a flood."""
    queue_deeds(clinic, *["write"] * 3000, now=now)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE scheduler_scheduledjob")
        with CaptureQueriesContext(connection) as queries:
            claim(now=now)
        (claiming,) = [query["sql"] for query in queries if "WITH ORDINALITY" in query["sql"]]
        cursor.execute(f"EXPLAIN {claiming}")
        plan = " ".join(line for (line,) in cursor.fetchall())

    assert "using scheduler_jobs_to_claim" in plan
    assert "using scheduler_jobs_by_age" not in plan


def rows_read_by_a_claim(*, now: datetime) -> int:
    """What the database's own statistics say of one more claim."""
    before = rows_read()
    claim(now=now, size=5)
    return rows_read() - before


def rows_read() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'scheduler_scheduledjob'"
        )
        return int(cursor.fetchone()[0])


# Jobs that run alone


def test_a_job_that_runs_alone_is_claimed_alone_in_its_turn(clinic: Clinic, now: datetime) -> None:
    queued = queue_deeds(clinic, *["write"] * 5, now=now)
    ScheduledJob.unscoped.filter(pk=queued[2]).update(runs_alone=True)
    set_queue(concurrency=99)

    batches = [numbers(claim(now=now).jobs) for _ in range(4)]

    assert batches == [[0, 1], [2], [3, 4], []]
    assert [job(one).claimed_alone for one in queued] == [False, False, True, False, False]


def test_calls_to_the_outside_are_claimed_one_by_one(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, Call(number=0), Call(number=1), now=now)

    batches = [numbers(claim(now=now, queue=QUEUE).jobs) for _ in range(2)]

    assert batches == [[0], [1]]
