"""Which number to call: the best that is not known to be somebody else's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from appointments.models import PatientContact
from appointments.queries.reach import short_number
from appointments.queries.ways import that_are_used
from clinicbot.models import Clinic
from messaging.queries.contacts import display_of


@dataclass(frozen=True, slots=True, kw_only=True)
class CallNumber:
    """short: as the desk knows it. address: to dial. shown: to read, in groups. shared_with: first names of others there."""

    contact_id: int
    short: str
    address: str
    shown: str
    shared_with: tuple[str, ...]


def numbers_of(clinic: Clinic, *, patient_ids: Collection[int]) -> dict[int, CallNumber]:
    """By patient; who has none to call is missing. Whether messages arrive there, or are wanted, does not matter. One query."""
    own = PatientContact.objects.for_clinic(clinic).filter(patient_id__in=set(patient_ids)).values("contact_id")
    there = that_are_used(PatientContact.objects.for_clinic(clinic).filter(contact_id__in=own))
    links = list(
        there.filter(contact__wrong_number_at=None, contact__address__startswith="+")
        .select_related("patient", "contact")
        .order_by("rank", "pk")
    )
    names: defaultdict[int, dict[int, str]] = defaultdict(dict)
    for link in links:
        names[link.contact_id][link.patient_id] = link.patient.first_name
    found: dict[int, CallNumber] = {}
    for link in links:
        if link.patient_id in found:
            continue
        found[link.patient_id] = CallNumber(
            contact_id=link.contact_id,
            short=short_number(link),
            address=link.contact.address,
            shown=display_of(link.contact.address),
            shared_with=tuple(name for pk, name in names[link.contact_id].items() if pk != link.patient_id),
        )
    return found
