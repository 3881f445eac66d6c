"""What the machine gave up becomes a task for a person: a delivery or a job that is dead, at the clinic whose it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from clinicbot.ticks import Deadline
from messaging.contracts import Subject, TaskReason
from messaging.models import StaffTask, TaskState
from outbox.contracts import DeadDelivery
from outbox.queries import delivered_among
from outbox.queries import list_dead as list_dead_deliveries
from scheduler.contracts import DeadJob
from scheduler.queries import list_dead as list_dead_jobs
from scheduler.queries import settled_among

LOOKED_BACK = timedelta(days=30)
PAGE = 500
# So many open ones are looked at in a round; the longest open first.
LOOKED_AT = 10_000
DELIVERY, JOB = "delivery:", "job:"
# How the keys of jobs about a visit begin, and what their tasks are about.
VISIT = "visit"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dead:
    """`what`: the handler's or kind's name, which staff pages know in words."""

    clinic_id: int
    unique_key: str
    what: str
    subject: Subject | None
    died_at: datetime

    @property
    def as_asked(self) -> tuple[int, str, datetime]:
        return self.clinic_id, self.unique_key, self.died_at


def open_tasks_of_dead_work(*, now: datetime, real: datetime, deadline: Deadline) -> int:
    """Ask staff to look at what was given up: once for each time, whoever finished that task since. Says how many are new.

    Its queries do not grow with what is dead, as long as neither kind fills a page.
    """
    opened = 0
    for page in _pages(now=now, real=real):
        opened += _open(page, now=now)
        if deadline.is_over():
            break
    return opened


@transaction.atomic
def finish_tasks_of_revived_work(*, now: datetime) -> int:
    """What was tried again and got done, or was put to rest, needs nobody any more. Says how many."""
    # Over all clinics: each row is finished as its own clinic's.
    open_ones = StaffTask.unscoped.filter(reason=TaskReason.MACHINE_TROUBLE, state=TaskState.OPEN)
    rows = list(open_ones.order_by("opened_at", "pk").values_list("clinic_id", "pk", "unique_key")[:LOOKED_AT])
    revived = {f"{DELIVERY}{one}" for one in delivered_among(_ids([key for *_, key in rows], of=DELIVERY))}
    revived |= {f"{JOB}{one}" for one in settled_among(_ids([key for *_, key in rows], of=JOB))}
    pairs = [(clinic_id, pk) for clinic_id, pk, key in rows if key in revived]
    finished = StaffTask.objects.for_pairs(pairs).filter(state=TaskState.OPEN)
    return finished.update(state=TaskState.DONE, done_at=now)


def _pages(*, now: datetime, real: datetime) -> Iterator[list[_Dead]]:
    """Deliveries end in the database's time, jobs in the demo's."""
    deliveries = list_dead_deliveries(since=real - LOOKED_BACK, limit=PAGE)
    while deliveries:
        yield [_of_delivery(one) for one in deliveries]
        is_last = len(deliveries) < PAGE
        deliveries = [] if is_last else list_dead_deliveries(since=real, after=deliveries[-1], limit=PAGE)
    jobs = list_dead_jobs(since=now - LOOKED_BACK, limit=PAGE)
    while jobs:
        yield [_of_job(one) for one in jobs]
        is_last = len(jobs) < PAGE
        jobs = [] if is_last else list_dead_jobs(since=now, after=jobs[-1], limit=PAGE)


def _of_delivery(dead: DeadDelivery) -> _Dead:
    return _Dead(
        clinic_id=dead.clinic_id,
        unique_key=f"{DELIVERY}{dead.delivery_id}",
        what=dead.handler,
        subject=Subject(dead.aggregate_type, dead.aggregate_id),
        died_at=dead.finished_at,
    )


def _of_job(dead: DeadJob) -> _Dead:
    kind, _, rest = dead.unique_key.partition(":")
    number, separator, _ = rest.partition(":")
    is_of_visit = kind == VISIT and bool(separator) and number.isdigit()
    return _Dead(
        clinic_id=dead.clinic_id,
        unique_key=f"{JOB}{dead.job_id}",
        what=dead.kind,
        subject=Subject(VISIT, number) if is_of_visit else None,
        died_at=dead.finished_at,
    )


@transaction.atomic
def _open(page: list[_Dead], *, now: datetime) -> int:
    """Who is faster elsewhere wins; the constraints see to it that there is one."""
    asked = StaffTask.objects.for_pairs([(one.clinic_id, one.unique_key) for one in page], by="unique_key")
    known = list(asked.filter(reason=TaskReason.MACHINE_TROUBLE).select_for_update(no_key=True).order_by("pk"))
    asked_of = {(task.clinic_id, task.unique_key, task.cause_at) for task in known}
    unasked = {(one.clinic_id, one.unique_key): one for one in page if one.as_asked not in asked_of}
    still_open = [task for task in known if task.state == TaskState.OPEN]
    # Who finishes a task that stood open while it died again has seen that, too.
    again = [(task, one) for task in still_open if (one := unasked.pop((task.clinic_id, task.unique_key), None))]
    for task, one in again:
        task.cause_at = one.died_at
    # Over all clinics: rows that were read as their own clinics'.
    StaffTask.unscoped.bulk_update([task for task, _one in again], ["cause_at"])
    StaffTask.objects.bulk_create([_task(one, now=now) for one in unasked.values()], ignore_conflicts=True)
    return len(unasked)


def _task(dead: _Dead, *, now: datetime) -> StaffTask:
    return StaffTask(
        clinic_id=dead.clinic_id,
        reason=TaskReason.MACHINE_TROUBLE,
        unique_key=dead.unique_key,
        subject_type=_fitting("subject_type", dead.subject.type if dead.subject else ""),
        subject_id=dead.subject.id if dead.subject else "",
        detail=_fitting("detail", dead.what),
        cause_at=dead.died_at,
        opened_at=now,
    )


def _fitting(column: str, word: str) -> str:
    """One name that is too long must not keep all other tasks from being opened."""
    field: Any = StaffTask._meta.get_field(column)
    return word[: field.max_length]


def _ids(keys: list[str], *, of: str) -> list[int]:
    return [int(key.removeprefix(of)) for key in keys if key.startswith(of)]
