"""Open tasks with what the desk needs to see beside them."""

from __future__ import annotations

from dataclasses import dataclass

from appointments.events import VISIT
from appointments.models import Appointment, Patient, PatientContact
from appointments.reasons import why_of
from clinicbot.models import Clinic
from messaging.contracts import InboundFact, TaskFact
from messaging.queries.inbound import heard_about
from messaging.queries.tasks import list_open_tasks
from messaging.queries.words import title_of_task

PATIENT, CONTACT = "patient", "contact"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskTask:
    """`people`: the patient it is about, or everybody at that number. `why`: more of the reason, in words, or ""."""

    task: TaskFact
    title: str
    why: str
    visit: Appointment | None
    people: tuple[Patient, ...]
    heard: InboundFact | None


def desk_tasks(clinic: Clinic) -> list[DeskTask]:
    """Longest waiting first; six queries, however many."""
    tasks = list_open_tasks(clinic.pk)
    heard = {
        fact.inbound_id: fact
        for fact in heard_about(
            clinic.pk, message_ids=[], inbound_ids=[task.inbound_id for task in tasks if task.inbound_id]
        )
    }
    visits = _visits(clinic, tasks)
    patients = _patients(clinic, tasks)
    at_contact = _people_at_contacts(clinic, tasks)
    return [
        DeskTask(
            task=task,
            title=title_of_task(task.reason),
            why=why_of(task.detail),
            visit=visits.get(task.subject.id) if task.subject and task.subject.type == VISIT else None,
            people=_people(task, patients=patients, at_contact=at_contact),
            heard=heard.get(task.inbound_id) if task.inbound_id else None,
        )
        for task in tasks
    ]


def _visits(clinic: Clinic, tasks: list[TaskFact]) -> dict[str, Appointment]:
    ids = {task.subject.id for task in tasks if task.subject and task.subject.type == VISIT}
    found = Appointment.objects.for_clinic(clinic).filter(pk__in=[int(one) for one in ids if one.isdigit()])
    return {str(visit.pk): visit for visit in found.select_related("patient", "practitioner")}


def _patients(clinic: Clinic, tasks: list[TaskFact]) -> dict[int, Patient]:
    ids = {task.person.id for task in tasks if task.person and task.person.kind == PATIENT}
    return Patient.objects.for_clinic(clinic).in_bulk(ids)


def _people_at_contacts(clinic: Clinic, tasks: list[TaskFact]) -> dict[int, tuple[Patient, ...]]:
    ids = {task.person.id for task in tasks if task.person and task.person.kind == CONTACT}
    links = PatientContact.objects.for_clinic(clinic).filter(contact_id__in=ids).select_related("patient")
    found: dict[int, tuple[Patient, ...]] = {}
    for link in links.order_by("patient__search_key"):
        found[link.contact_id] = (*found.get(link.contact_id, ()), link.patient)
    return found


def _people(
    task: TaskFact, *, patients: dict[int, Patient], at_contact: dict[int, tuple[Patient, ...]]
) -> tuple[Patient, ...]:
    if task.person is None:
        return ()
    if task.person.kind == CONTACT:
        return at_contact.get(task.person.id, ())
    patient = patients.get(task.person.id)
    return (patient,) if patient else ()
