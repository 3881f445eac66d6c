"""Every message of a patient, over all visits: a mark and a line each."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from appointments.events import VISIT
from appointments.models import Appointment, Patient, ReminderRule
from appointments.queries.reach import short_numbers
from appointments.queries.story_entries import Entry
from appointments.queries.story_messages import Told, entry_of_message
from clinicbot.together import fetch_together
from messaging.contracts import MessageFact, Person
from messaging.queries.messages import messages_of

A_PAGE = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """visit: the patient's own that it speaks of, if it speaks of one."""

    entry: Entry
    visit: Appointment | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOfMessages:
    """Latest first. older_than: where the next page begins; None: this is the last."""

    lines: tuple[Line, ...]
    older_than: UUID | None


def messages_of_patient(patient: Patient, *, before: UUID | None) -> PageOfMessages:
    """Four queries, however many messages and visits."""
    clinic = patient.clinic
    own = Appointment.objects.for_clinic(clinic).filter(patient=patient).select_related("practitioner", "service")
    rules = ReminderRule.objects.for_clinic(clinic)
    fetch_together(own, rules)
    visits = {str(visit.pk): visit for visit in own}
    found = messages_of(
        clinic.pk,
        person=Person("patient", patient.pk),
        subject_type=VISIT,
        subject_ids=visits.keys(),
        before=before,
        limit=A_PAGE + 1,
    )
    shown = found[:A_PAGE]
    told = Told(
        clinic=clinic,
        rules={str(rule.pk): rule for rule in rules},
        numbers=short_numbers(clinic.pk, {one.contact_id for each in shown for one in each.attempts}),
        first_name=patient.first_name,
        shared=frozenset(),
        deeds={},
    )
    return PageOfMessages(
        lines=tuple(Line(entry=entry_of_message(one, told=told), visit=_visit_of(one, visits)) for one in shown),
        older_than=shown[-1].message_id if len(found) > A_PAGE else None,
    )


def _visit_of(message: MessageFact, visits: dict[str, Appointment]) -> Appointment | None:
    return next((visits[one.id] for one in message.subjects if one.type == VISIT and one.id in visits), None)
