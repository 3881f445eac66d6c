"""Open tasks with what the desk needs to see beside them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from appointments.events import VISIT
from appointments.models import Appointment, Patient, PatientContact
from appointments.queries.ways import that_are_used
from appointments.reasons import why_of
from clinicbot.models import Clinic
from messaging.contracts import InboundFact, Person, Subject, TaskFact
from messaging.queries.inbound import heard_about, left_to_staff
from messaging.queries.messages import concerns_of
from messaging.queries.tasks import list_open_tasks
from messaging.queries.words import title_of_task

_Row = TypeVar("_Row", Appointment, Patient)
PATIENT, CONTACT = "patient", "contact"
Concerns = Mapping[int, Sequence[tuple[Subject | None, Person | None]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskTask:
    """people, visits: all that it may be about: of the message that was answered or did not arrive, else of that number.

    why: more of the reason, in words, or "". heard: everything that was written since and waits for the same person.
    """

    task: TaskFact
    title: str
    why: str
    visits: tuple[Appointment, ...]
    people: tuple[Patient, ...]
    heard: tuple[InboundFact, ...]


def desk_tasks(clinic: Clinic) -> list[DeskTask]:
    """Longest waiting first; seven queries, however many."""
    tasks = list_open_tasks(clinic.pk)
    heard = _heard(clinic, tasks)
    concerns = _concerns(clinic, tasks)
    visits = _visits(clinic, concerns)
    patients = _patients(clinic, concerns)
    at_contact = _people_at_contacts(clinic, tasks)
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
                + list(at_contact.get(task.person.id, ()) if task.person and task.person.kind == CONTACT else ())
            ),
            heard=tuple(heard[task.task_id]),
        )
        for task in tasks
    ]


def _heard(clinic: Clinic, tasks: Sequence[TaskFact]) -> Mapping[int, list[InboundFact]]:
    """By task. While a task is open, what else that person writes joins it; what has a task of its own stays there."""
    of_task = {task.inbound_id: task.task_id for task in tasks if task.inbound_id}
    firsts = heard_about(clinic.pk, message_ids=[], inbound_ids=of_task)
    heard: defaultdict[int, list[InboundFact]] = defaultdict(list)
    for first in firsts:
        heard[of_task[first.inbound_id]].append(first)
    if firsts:
        since = min(first.sent_at for first in firsts)
        for fact in left_to_staff(clinic.pk, contact_ids={first.contact_id for first in firsts}, since=since):
            before = [one for one in firsts if one.contact_id == fact.contact_id and one.sent_at <= fact.sent_at]
            if fact.inbound_id not in of_task and before:
                heard[of_task[before[-1].inbound_id]].append(fact)
    return heard


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


def _people_at_contacts(clinic: Clinic, tasks: list[TaskFact]) -> dict[int, tuple[Patient, ...]]:
    ids = {task.person.id for task in tasks if task.person and task.person.kind == CONTACT}
    links = that_are_used(PatientContact.objects.for_clinic(clinic).filter(contact_id__in=ids)).select_related(
        "patient"
    )
    found: dict[int, tuple[Patient, ...]] = {}
    for link in links.order_by("patient__search_key"):
        found[link.contact_id] = (*found.get(link.contact_id, ()), link.patient)
    return found


def _each_once(found: Sequence[_Row | None]) -> tuple[_Row, ...]:
    """In order; those that are gone left out."""
    return tuple({one.pk: one for one in found if one is not None}.values())
