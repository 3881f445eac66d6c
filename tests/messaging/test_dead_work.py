"""What the machine gave up is seen by a person at the clinic, once."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from clinicbot import clock
from clinicbot.actors import Actor, ActorKind
from clinicbot.ids import uuid7
from clinicbot.models import Clinic
from clinicbot.ticks import Deadline, list_steps
from messaging.contracts import Subject, TaskFact, TaskReason
from messaging.models import StaffTask
from messaging.queries.tasks import list_open_tasks, tasks_about
from messaging.queries.words import title_of_task
from messaging.usecases import dead_work
from messaging.usecases.tasks import finish_task
from outbox.models import DeliveryState, OutboxDelivery, OutboxEvent
from outbox.usecases.retrying import retry_deliveries
from scheduler.models import JobState, ScheduledJob
from scheduler.usecases.operating import cancel_jobs, retry_jobs
from tests.drive import deliver_all
from tests.factories import ClinicFactory
from tests.outbox.telling import OBEY, Behaviour, delivery, tell

DESK = Actor(ActorKind.STAFF, 5)


def step(*, now: datetime) -> tuple[int, int]:
    """How many tasks one round opens, and how many it finishes."""
    finished = dead_work.finish_tasks_of_revived_work(now=now)
    return dead_work.open_tasks_of_dead_work(now=now, real=clock.real(), deadline=Deadline(60)), finished


def dead_delivery(clinic: Clinic, *, subject: tuple[str, str] = ("visit", "7")) -> OutboxDelivery:
    real = clock.real()
    kind, number = subject
    event = OutboxEvent.objects.create(
        clinic=clinic,
        id=uuid7(),
        aggregate_type=kind,
        aggregate_id=number,
        type="appointments.booked",
        payload={},
        occurred_at=real,
    )
    return OutboxDelivery.objects.create(
        clinic=clinic,
        event=event,
        handler="appointments.tell_of_booking",
        state=DeliveryState.DEAD,
        next_try_at=real,
        last_error="KeyError",
        finished_at=real,
    )


def dead_job(clinic: Clinic, *, now: datetime, key: str | None = "visit:7:v1:rule:1:r1") -> ScheduledJob:
    return ScheduledJob.objects.create(
        clinic=clinic,
        queue="tests",
        kind="appointments.send_reminder",
        run_at=now,
        created_at=now,
        unique_key=key,
        state=JobState.DEAD,
        reason="transient",
        finished_at=now,
    )


def only_task(clinic: Clinic) -> TaskFact:
    (task,) = list_open_tasks(clinic.pk)
    return task


def test_a_dead_delivery_becomes_a_task_about_its_visit(clinic: Clinic, now: datetime) -> None:
    dead_delivery(clinic)

    assert step(now=now) == (1, 0)

    task = only_task(clinic)
    assert (task.reason, task.detail) == (TaskReason.MACHINE_TROUBLE, "appointments.tell_of_booking")
    assert task.subject == Subject("visit", "7")
    assert [one.task_id for one in tasks_about(clinic.pk, subject_type="visit", subject_ids=["7"])] == [task.task_id]
    assert title_of_task(task.reason) == "A fault in the program: something was not done"


@pytest.mark.parametrize(
    ("key", "subject"),
    [
        ("visit:7:v1:rule:1:r1", Subject("visit", "7")),
        ("sync_templates:7:202604140700", None),
        ("visit:7", None),
        (None, None),
    ],
)
def test_a_dead_job_becomes_a_task_about_the_visit_that_its_key_names(
    clinic: Clinic, now: datetime, key: str | None, subject: Subject | None
) -> None:
    dead_job(clinic, now=now, key=key)

    assert step(now=now) == (1, 0)

    task = only_task(clinic)
    assert (task.detail, task.subject) == ("appointments.send_reminder", subject)


def test_staff_are_asked_once_even_after_they_said_done(clinic: Clinic, now: datetime) -> None:
    dead_delivery(clinic)
    dead_job(clinic, now=now)
    assert step(now=now) == (2, 0)
    assert step(now=now) == (0, 0)
    for task in list_open_tasks(clinic.pk):
        finish_task(clinic.pk, task_id=task.task_id, actor=DESK, now=now)

    assert step(now=now + timedelta(hours=1)) == (0, 0)
    assert list_open_tasks(clinic.pk) == []


def dies(work: OutboxDelivery | ScheduledJob, *, at: datetime) -> None:
    """Once more, after somebody let it be tried again."""
    dead = DeliveryState.DEAD if isinstance(work, OutboxDelivery) else JobState.DEAD
    type(work).unscoped.filter(pk=work.pk).update(state=dead, finished_at=at)


def finish_all(clinic: Clinic, *, now: datetime) -> None:
    for task in list_open_tasks(clinic.pk):
        finish_task(clinic.pk, task_id=task.task_id, actor=DESK, now=now)


def test_what_is_tried_again_and_dies_again_is_asked_about_again(clinic: Clinic, now: datetime) -> None:
    delivery, job = dead_delivery(clinic), dead_job(clinic, now=now)
    step(now=now)
    finish_all(clinic, now=now)

    retry_deliveries([delivery.pk], actor=DESK, now=now)
    retry_jobs([job.pk], actor=DESK, now=now)
    assert step(now=now) == (0, 0)
    dies(delivery, at=clock.real())
    dies(job, at=now + timedelta(hours=1))

    assert [step(now=now + timedelta(hours=1)), step(now=now + timedelta(hours=1))] == [(2, 0), (0, 0)]
    assert len(list_open_tasks(clinic.pk)) == 2


def test_what_dies_again_while_its_task_is_open_has_that_one(clinic: Clinic, now: datetime) -> None:
    job = dead_job(clinic, now=now)
    step(now=now)
    retry_jobs([job.pk], actor=DESK, now=now)
    dies(job, at=now + timedelta(hours=1))

    assert step(now=now + timedelta(hours=1)) == (0, 0)
    assert len(list_open_tasks(clinic.pk)) == 1
    finish_all(clinic, now=now + timedelta(hours=2))
    assert step(now=now + timedelta(hours=2)) == (0, 0)


def test_the_database_keeps_a_second_task_out_whoever_opens_it(clinic: Clinic, now: datetime) -> None:
    dead_job(clinic, now=now)
    step(now=now)
    task = StaffTask.objects.for_clinic(clinic).get()
    finish_task(clinic.pk, task_id=task.pk, actor=DESK, now=now)

    task.pk = None
    with pytest.raises(IntegrityError, match="messaging_one_task_per_death"), transaction.atomic():
        task.save(force_insert=True)


def test_each_clinic_sees_its_own(clinic: Clinic, now: datetime) -> None:
    other = ClinicFactory.create()
    dead_delivery(other)
    dead_job(clinic, now=now)

    assert step(now=now) == (2, 0)

    assert only_task(clinic).detail == "appointments.send_reminder"
    assert only_task(other).detail == "appointments.tell_of_booking"


def test_a_delivery_that_is_tried_again_and_gets_done_ends_its_task(clinic: Clinic, now: datetime) -> None:
    tell(clinic, now=now, behaviour=Behaviour.WORKS)
    broken = delivery(OBEY)
    OutboxDelivery.unscoped.filter(pk=broken.pk).update(state=DeliveryState.DEAD, finished_at=clock.real())
    step(now=now)
    retry_deliveries([broken.pk], actor=DESK, now=now)

    assert step(now=now) == (0, 0)
    deliver_all(now=now)

    assert step(now=now + timedelta(minutes=1)) == (0, 1)
    assert list_open_tasks(clinic.pk) == []
    assert StaffTask.objects.for_clinic(clinic).get().done_at == now + timedelta(minutes=1)


@pytest.mark.parametrize("end", [JobState.DONE, JobState.SKIPPED])
def test_a_job_that_is_tried_again_and_ends_well_ends_its_task(clinic: Clinic, now: datetime, end: JobState) -> None:
    job, still_dead = dead_job(clinic, now=now), dead_job(clinic, now=now, key=None)
    step(now=now)
    retry_jobs([job.pk], actor=DESK, now=now)
    assert step(now=now) == (0, 0)

    ScheduledJob.objects.for_clinic(clinic).filter(pk=job.pk).update(state=end, finished_at=now)

    assert step(now=now) == (0, 1)
    assert StaffTask.objects.for_clinic(clinic).get(done_at=None).unique_key == f"job:{still_dead.pk}"


def test_a_dead_job_that_staff_put_to_rest_needs_nobody(clinic: Clinic, now: datetime) -> None:
    job = dead_job(clinic, now=now)
    step(now=now)

    cancel_jobs([job.pk], actor=DESK, now=now)

    assert step(now=now) == (0, 1)


def test_what_died_long_ago_is_let_be(clinic: Clinic, now: datetime) -> None:
    dead_job(clinic, now=now - timedelta(days=31))

    assert step(now=now) == (0, 0)


def test_many_more_than_a_page_are_all_seen(clinic: Clinic, now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dead_work, "PAGE", 2)
    for number in range(5):
        dead_delivery(clinic, subject=("visit", str(number)))
        dead_job(clinic, now=now, key=f"visit:{number}:v1")

    assert step(now=now) == (10, 0)


def test_an_event_about_something_with_a_very_long_name_stops_nothing(clinic: Clinic, now: datetime) -> None:
    dead_delivery(clinic, subject=("x" * 64, "9" * 64))

    assert step(now=now) == (1, 0)


def test_the_queries_do_not_grow_with_what_is_dead(clinic: Clinic, now: datetime) -> None:
    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            dead_work.finish_tasks_of_revived_work(now=now)
            dead_work.open_tasks_of_dead_work(now=now, real=now, deadline=Deadline(60))
        return len(queries)

    for version in range(2):
        dead_delivery(clinic)
        dead_job(clinic, now=now, key=f"visit:7:v{version}")
        few = count()  # The second round has tasks to look at, too.
    other = ClinicFactory.create()
    for number in range(10):
        for where in (clinic, other):
            dead_delivery(where, subject=("visit", str(number)))
            dead_job(where, now=now, key=f"visit:{number}:v1")

    assert count() == few


def test_it_is_a_step_of_the_tick() -> None:
    (found,) = [each for each in list_steps() if each.name == "messaging.look_at_dead_work"]

    assert (found.order, found.every_seconds) == (60, 60)
