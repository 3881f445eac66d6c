"""Open tasks that belong to no conversation, with what the desk needs to see beside them. The others wait in the inbox."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from appointments.events import VISIT
from appointments.models import Appointment, Patient
from appointments.reasons import why_of
from clinicbot.models import Clinic
from messaging.contracts import Person, Subject, TaskFact
from messaging.queries.messages import concerns_of
from messaging.queries.tasks import list_other_tasks
from messaging.queries.words import title_of_task

_Row = TypeVar("_Row", Appointment, Patient)
PATIENT = "patient"
A_PAGE = 100
Concerns = Mapping[int, Sequence[tuple[Subject | None, Person | None]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskTask:
    """people, visits: all that it may be about: what it names, and those of the message that did not go.

    why: more of the reason, in words, or "".
    """

    task: TaskFact
    title: str
    why: str
    visits: tuple[Appointment, ...]
    people: tuple[Patient, ...]


def desk_tasks(clinic: Clinic, *, shown: int = A_PAGE) -> list[DeskTask]:
    """Longest waiting first; four queries, however many."""
    tasks = list_other_tasks(clinic.pk, limit=shown)
    concerns = _concerns(clinic, tasks)
    visits = _visits(clinic, concerns)
    patients = _patients(clinic, concerns)
    return [
        DeskTask(
            task=task,
            title=title_of_task(task.reason),
            why=why_of(task.detail),
            visits=_each_once(
                [visits.get(one.id) for one, _whose in concerns[task.task_id] if one and one.type == VISIT]
            ),
            people=_each_once(
                [patients.get(whose.id) for _one, whose in concerns[task.task_id] if whose and whose.kind == PATIENT]
            ),
        )
        for task in tasks
    ]


def _concerns(clinic: Clinic, tasks: Sequence[TaskFact]) -> Concerns:
    """By task, the visits and people that it names, and those of the message that it is about."""
    of_messages = concerns_of(clinic.pk, message_ids=[task.message_id for task in tasks if task.message_id])
    return {task.task_id: [(task.subject, task.person), *_of_message(task.message_id, of_messages)] for task in tasks}


def _of_message(
    message_id: UUID | None, of_messages: Mapping[UUID, list[tuple[Subject, Person]]]
) -> list[tuple[Subject, Person]]:
    return of_messages.get(message_id, []) if message_id else []


def _visits(clinic: Clinic, concerns: Concerns) -> dict[str, Appointment]:
    ids = {one.id for each in concerns.values() for one, _whose in each if one and one.type == VISIT}
    found = Appointment.objects.for_clinic(clinic).filter(pk__in=[int(one) for one in ids if one.isdigit()])
    return {str(visit.pk): visit for visit in found.select_related("patient", "practitioner")}


def _patients(clinic: Clinic, concerns: Concerns) -> dict[int, Patient]:
    ids = {whose.id for each in concerns.values() for _one, whose in each if whose and whose.kind == PATIENT}
    return Patient.objects.for_clinic(clinic).in_bulk(ids)


def _each_once(found: Sequence[_Row | None]) -> tuple[_Row, ...]:
    """In order; those that are gone left out."""
    return tuple({one.pk: one for one in found if one is not None}.values())
