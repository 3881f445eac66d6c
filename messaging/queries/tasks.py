"""What waits for a person at the clinic."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.postgres.aggregates import ArrayAgg
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, OuterRef, Q, QuerySet
from django.db.models.functions import JSONObject

from messaging.contracts import Person, Subject, TaskFact, TaskReason
from messaging.models import StaffTask, TaskState

COUNTED_UP_TO = 1000
_READ = (
    "id",
    "clinic_id",
    "reason",
    "detail",
    "person_kind",
    "person_id",
    "subject_type",
    "subject_id",
    "message_id",
    "inbound_id",
    "contact_id",
    "opened_at",
)


def list_open_tasks(clinic_id: int, *, limit: int = 100) -> list[TaskFact]:
    """Oldest first: who waits longest comes first."""
    return [_fact(task) for task in _open(clinic_id).order_by("opened_at", "pk")[:limit]]


def list_other_tasks(clinic_id: int, *, limit: int) -> list[TaskFact]:
    """Those that belong to no conversation, oldest first. All others wait in the inbox."""
    return [_fact(task) for task in _others(clinic_id).order_by("opened_at", "pk")[:limit]]


def count_other_tasks(clinic_id: int) -> int:
    return _others(clinic_id).count()


def _others(clinic_id: int) -> QuerySet[StaffTask]:
    return _open(clinic_id).filter(contact=None)


def conversations_that_wait(clinic_id: int) -> QuerySet[StaffTask, Any]:
    """For a query that reads contacts: the ids of those with an open task."""
    return _open(clinic_id).exclude(contact=None).values("contact_id")


def tasks_open_at(clinic_id: int, *, contact: OuterRef) -> ArraySubquery:
    """Of a contact that is being read, for `tasks_read`: oldest first."""
    tasks = _open(clinic_id).filter(contact=contact).order_by("opened_at", "pk")
    return ArraySubquery(tasks.values(read=JSONObject(**{name: F(name) for name in _READ})))


def tasks_read(read: Iterable[Mapping[str, Any]]) -> tuple[TaskFact, ...]:
    """What `tasks_open_at` found."""
    return tuple(
        _fact(StaffTask(**{**one, "opened_at": datetime.fromisoformat(one["opened_at"]), **_ids(one)})) for one in read
    )


def _ids(read: Mapping[str, Any]) -> dict[str, UUID | None]:
    return {name: UUID(read[name]) if read[name] else None for name in ("message_id", "inbound_id")}


def open_tasks_for(clinic_id: int, *, reason: TaskReason) -> list[TaskFact]:
    """All that were opened for this reason, oldest first."""
    tasks = StaffTask.objects.for_clinic(clinic_id).filter(state=TaskState.OPEN, reason=reason)
    return [_fact(task) for task in tasks.order_by("opened_at", "pk")]


def open_tasks_about(
    clinic_id: int, *, subject_type: str, reasons: Collection[TaskReason], limit: int
) -> list[tuple[TaskFact, frozenset[str]]]:
    """Oldest first, each with the ids of all subjects of that type that it is about: its own, and its message's. One query."""
    spoken_of = "message__subjects"
    is_meant = Q(**{f"{spoken_of}__subject_type": subject_type, f"{spoken_of}__is_left_out": False})
    tasks = (
        StaffTask.objects.for_clinic(clinic_id)
        .filter(state=TaskState.OPEN, reason__in=reasons)
        .annotate(others=ArrayAgg(F(f"{spoken_of}__subject_id"), filter=is_meant, default=[]))
        .order_by("opened_at", "pk")
    )
    return [
        (_fact(task), frozenset({task.subject_id, *task.others} if task.subject_type == subject_type else task.others))
        for task in tasks[:limit]
    ]


def count_open_tasks(clinic_id: int) -> int:
    """Counted up to 1,000 and no further."""
    return _open(clinic_id)[:COUNTED_UP_TO].count()


@dataclass(frozen=True, slots=True)
class Waiting:
    """How much waits for a person: conversations, each once, and tasks that are none."""

    conversations: int
    others: int

    @property
    def total(self) -> int:
        return self.conversations + self.others


def waiting_rows(clinic_id: int) -> QuerySet[StaffTask, int | None]:
    """For the bar of every page: the conversation of each open task, of 1,000 at most."""
    return _open(clinic_id).values_list("contact_id", flat=True)[:COUNTED_UP_TO]


def count_waiting(clinic_id: int) -> Waiting:
    """One query."""
    return waiting_of(waiting_rows(clinic_id))


def waiting_of(rows: Iterable[int | None]) -> Waiting:
    contact_ids = list(rows)
    return Waiting(conversations=len({*contact_ids} - {None}), others=contact_ids.count(None))


def _open(clinic_id: int) -> QuerySet[StaffTask]:
    return StaffTask.objects.for_clinic(clinic_id).filter(state=TaskState.OPEN)


def tasks_about(
    clinic_id: int, *, subject_type: str, subject_ids: Iterable[str], message_ids: Iterable[UUID] = ()
) -> list[TaskFact]:
    """Open and done, oldest first: for the story of a visit. `message_ids`: messages that spoke of it, among others."""
    about = Q(subject_type=subject_type, subject_id__in=set(subject_ids)) | Q(message_id__in=set(message_ids))
    tasks = StaffTask.objects.for_clinic(clinic_id).filter(about)
    return [_fact(task) for task in tasks.order_by("opened_at", "pk")]


def is_task_open(clinic_id: int, *, unique_key: str) -> bool:
    """Whether somebody has been asked to look at this cause and has not said done."""
    return StaffTask.objects.for_clinic(clinic_id).filter(unique_key=unique_key, state=TaskState.OPEN).exists()


def ever_asked(keys: Iterable[tuple[int, str]]) -> set[tuple[int, str]]:
    """Which of these (clinic id, unique key) staff were asked about, whether they are done with it or not. One query."""
    tasks = StaffTask.objects.for_pairs(keys, by="unique_key")
    return set(tasks.values_list("clinic_id", "unique_key"))


def find_task(clinic_id: int, task_id: int) -> TaskFact | None:
    task = StaffTask.objects.for_clinic(clinic_id).filter(pk=task_id).first()
    return _fact(task) if task else None


def _fact(task: StaffTask) -> TaskFact:
    return TaskFact(
        task_id=task.pk,
        clinic_id=task.clinic_id,
        reason=task.reason,
        detail=task.detail,
        person=Person(task.person_kind, task.person_id) if task.person_id is not None else None,
        subject=Subject(task.subject_type, task.subject_id) if task.subject_id else None,
        message_id=task.message_id,
        inbound_id=task.inbound_id,
        opened_at=task.opened_at,
        done_at=task.done_at,
        contact_id=task.contact_id,
    )
