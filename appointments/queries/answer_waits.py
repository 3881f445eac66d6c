"""Asking somebody to write again: as it is said, and to whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from appointments.models import Patient
from clinicbot.models import Clinic
from messaging.contracts import STILL_TRUE, Context, QueuedMessage, Standing
from messaging.queries.inbound import written_since

TEXT = "visit_answer_waits"
WRITTEN_SINCE = "written_since"


def standing_of_asking(messages: Sequence[QueuedMessage]) -> Mapping[UUID, Standing]:
    """One query."""
    asked = {message.message_id: (int(message.params["contact_id"]), message.created_at) for message in messages}
    answered = written_since({(message.clinic_id, *asked[message.message_id]) for message in messages})
    return {
        pk: Standing.skipped(WRITTEN_SINCE) if contact_id in answered else STILL_TRUE
        for pk, (contact_id, _at) in asked.items()
    }


def context_of_asking(messages: Sequence[QueuedMessage]) -> Mapping[UUID, Context]:
    """In the patient's language; to somebody we cannot name in the clinic's. Two queries."""
    clinics = Clinic.objects.in_bulk({message.clinic_id for message in messages})
    pairs = {(message.clinic_id, message.person.id) for message in messages if message.person.kind == "patient"}
    patients = {patient.pk: patient for patient in Patient.objects.for_pairs(pairs)}
    contexts: dict[UUID, Context] = {}
    for message in messages:
        clinic = clinics[message.clinic_id]
        patient = patients.get(message.person.id) if message.person.kind == "patient" else None
        contexts[message.message_id] = Context(
            text=TEXT,
            language=message.language or (patient.language if patient else clinic.language),
            contact_ids=(int(message.params["contact_id"]),),
            variables={
                "clinic": clinic.name,
                "patient": patient.first_name if patient else "",
                "phone": clinic.phone,
            },
        )
    return contexts
