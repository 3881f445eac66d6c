"""What this house's own messages say: the confirmations of stop and start."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from clinicbot.models import Clinic
from messaging.contracts import Context, QueuedMessage
from messaging.models import Attempt
from messaging.texts.languages import base_of


def contexts_of(messages: Sequence[QueuedMessage]) -> Mapping[UUID, Context]:
    """In the language we last spoke to that contact, else in the clinic's. Two queries."""
    clinics = Clinic.objects.in_bulk({message.clinic_id for message in messages})
    languages = _languages_spoken(messages)
    return {
        message.message_id: Context(
            text=message.params["text"],
            language=message.language or languages.get(message.person.id, clinics[message.clinic_id].language),
            contact_ids=(message.person.id,),
            variables={"clinic": clinics[message.clinic_id].name, "phone": clinics[message.clinic_id].phone},
        )
        for message in messages
    }


def _languages_spoken(messages: Iterable[QueuedMessage]) -> dict[int, str]:
    """By contact. A template's is written as Meta does ("pt_BR")."""
    latest = (
        Attempt.unscoped.filter(
            clinic_id__in={message.clinic_id for message in messages},
            contact_id__in={message.person.id for message in messages},
        )
        .order_by("contact_id", "-pk")
        .distinct("contact_id")
    )
    return {contact_id: base_of(language) for contact_id, language in latest.values_list("contact_id", "language")}
