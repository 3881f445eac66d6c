"""Jobs enter with what they follow from, once per key."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

import pytest
from django.db import connection, transaction
from django.db.utils import IntegrityError
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from clinicbot.models import Clinic
from scheduler.contracts import JobArgs, NewJob
from scheduler.errors import BadJobArgsError, JobArgsTooLargeError, NaiveTimeError, UnknownJobKindError
from scheduler.models import JobState, ScheduledJob
from scheduler.usecases.enqueueing import enqueue, enqueue_many
from tests.factories import ClinicFactory
from tests.scheduler.bench import at_once, beside, claim, job, queue_deeds, work
from tests.scheduler.deeds import Act


@dataclass(frozen=True, slots=True, kw_only=True)
class Ghost(JobArgs):
    kind: ClassVar[str] = "tests.be_ghost"


def test_a_job_is_queued_with_the_queue_and_priority_of_its_kind(clinic: Clinic, now: datetime) -> None:
    queued = enqueue(clinic.pk, Act(number=3), run_at=now, now=now)

    stored = job(queued.job_id)
    assert queued.is_new
    assert (stored.queue, stored.kind, stored.priority) == ("tests", "tests.do_deed", 5)
    assert (stored.state, stored.attempt, stored.args["number"]) == (JobState.QUEUED, 0, 3)


def test_a_priority_of_its_own_wins(clinic: Clinic, now: datetime) -> None:
    queued = enqueue(clinic.pk, Act(), run_at=now, priority=0, now=now)

    assert job(queued.job_id).priority == 0


def test_a_key_is_queued_once_and_nothing_breaks_the_callers_transaction(clinic: Clinic, now: datetime) -> None:
    with transaction.atomic():
        first = enqueue(clinic.pk, Act(), run_at=now, unique_key="visit:5:v1", now=now)
        second = enqueue(clinic.pk, Act(), run_at=now, unique_key="visit:5:v1", now=now)
        clinic.phone = "1"
        clinic.save()

    assert first.is_new
    assert (second.is_new, second.job_id) == (False, first.job_id)
    assert ScheduledJob.unscoped.count() == 1


def test_another_clinic_may_use_the_same_key(clinic: Clinic, now: datetime) -> None:
    enqueue(clinic.pk, Act(), run_at=now, unique_key="visit:5:v1", now=now)

    elsewhere = enqueue(ClinicFactory.create().pk, Act(), run_at=now, unique_key="visit:5:v1", now=now)

    assert elsewhere.is_new


def test_a_finished_job_gives_its_key_free(clinic: Clinic, now: datetime) -> None:
    (done,) = queue_deeds(clinic, "write", now=now, key="visit:5:v1")
    work(now=now)

    again = enqueue(clinic.pk, Act(), run_at=now, unique_key="visit:5:v1", now=now)
    moved = enqueue(clinic.pk, Act(), run_at=now, unique_key="visit:5:v2", now=now)

    assert job(done).state == JobState.DONE
    assert again.is_new
    assert moved.is_new


def test_a_running_job_keeps_its_key(clinic: Clinic, now: datetime) -> None:
    (running,) = queue_deeds(clinic, "write", now=now, key="visit:5:v1")
    claim(now=now)

    again = enqueue(clinic.pk, Act(), run_at=now, unique_key="visit:5:v1", now=now)

    assert (again.is_new, again.job_id) == (False, running)


def test_many_are_queued_with_as_many_queries_as_two(
    clinic: Clinic, now: datetime, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    jobs = [NewJob(clinic_id=clinic.pk, args=Act(number=number), run_at=now) for number in range(500)]

    with django_assert_num_queries(1):
        queued = enqueue_many(jobs, now=now)

    assert [job(one.job_id).args["number"] for one in queued[:3]] == [0, 1, 2]
    assert len({one.job_id for one in queued}) == 500


def test_many_answer_in_order_whoever_holds_the_keys(clinic: Clinic, now: datetime) -> None:
    held = enqueue(clinic.pk, Act(), run_at=now, unique_key="b", now=now)
    wanted = [NewJob(clinic_id=clinic.pk, args=Act(), run_at=now, unique_key=key) for key in ("a", "b", "a", None, "c")]

    answers = enqueue_many(wanted, now=now)

    assert [answer.is_new for answer in answers] == [True, False, False, True, True]
    assert answers[1].job_id == held.job_id
    assert answers[2].job_id == answers[0].job_id


def test_a_time_without_a_zone_is_refused(clinic: Clinic, now: datetime) -> None:
    with pytest.raises(NaiveTimeError) as refusal:
        enqueue(clinic.pk, Act(), run_at=now.replace(tzinfo=None), now=now)

    assert isinstance(refusal.value, ValueError)


def test_a_kind_that_nobody_runs_is_refused(clinic: Clinic, now: datetime) -> None:
    with pytest.raises(UnknownJobKindError):
        enqueue(clinic.pk, Ghost(), run_at=now, now=now)


def test_large_arguments_are_refused_before_any_query(clinic: Clinic, now: datetime) -> None:
    largest = "x" * (4096 - len('{"deed": "", "number": 0, "seconds": 0.0}'))
    enqueue(clinic.pk, Act(deed=largest), run_at=now, now=now)

    with CaptureQueriesContext(connection) as queries, pytest.raises(JobArgsTooLargeError):
        enqueue(clinic.pk, Act(deed=largest + "x"), run_at=now, now=now)
    assert len(queries) == 0


def test_the_database_refuses_large_arguments_too(clinic: Clinic, now: datetime) -> None:
    (queued,) = queue_deeds(clinic, "write", now=now)

    with pytest.raises(IntegrityError), transaction.atomic():
        ScheduledJob.unscoped.filter(pk=queued).update(args={"deed": "x" * 20_000})


def test_one_bad_job_keeps_all_of_them_out(clinic: Clinic, now: datetime) -> None:
    bad = Act(deed=object())  # type: ignore[arg-type]

    with pytest.raises(BadJobArgsError):
        queue_deeds(clinic, "write", bad, now=now)
    assert not ScheduledJob.unscoped.exists()


@pytest.mark.django_db(transaction=True)
def test_a_job_is_invisible_until_its_transaction_commits(clinic: Clinic, now: datetime) -> None:
    def tick() -> int:
        return work(now=now).counts.get("jobs_claimed", 0)

    with transaction.atomic():
        queue_deeds(clinic, "write", now=now)
        with beside(tick) as meanwhile:
            assert meanwhile.result(timeout=30) == 0

    assert tick() == 1


@pytest.mark.django_db(transaction=True)
def test_the_key_raced_for_is_queued_once(clinic: Clinic, now: datetime) -> None:
    answers = at_once(8, lambda: enqueue(clinic.pk, Act(), run_at=now, unique_key="visit:5:v1", now=now))

    assert sum(answer.is_new for answer in answers) == 1
    assert len({answer.job_id for answer in answers}) == 1
