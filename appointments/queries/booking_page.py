"""What somebody sees before they book: who comes, what stands in the way, and what the patient will receive."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from appointments.models import LIVE, Appointment, Patient, Practitioner, Room, Service
from appointments.queries.people import patients_at_contact
from appointments.queries.previews import Notice, notice_of_booking, visit_to_be
from appointments.queries.reach import Reach, is_reachable, reach_of
from appointments.slots import Slot
from clinicbot.models import Clinic


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """`same_day`: live visits that day of the patient and of those who share a number with them."""

    visit: Appointment
    ways: tuple[Reach, ...]
    is_reachable: bool
    same_day: tuple[Appointment, ...]
    notice: Notice


def family_of(clinic: Clinic, *, patient: Patient) -> list[Patient]:
    """The patient first, then everybody who shares a number with them."""
    family = {patient.pk: patient}
    for link in patient.reached_at.all():
        for relative in patients_at_contact(clinic, contact_id=link.contact_id):
            family.setdefault(relative.pk, relative)
    return list(family.values())


def review_of(
    clinic: Clinic, *, patient: Patient, service: Service, slot: Slot, family: list[Patient], now: datetime
) -> Review | None:
    """None when practitioner or room is not this clinic's. A constant number of queries."""
    practitioner = Practitioner.objects.for_clinic(clinic).filter(pk=slot.practitioner_id, is_active=True).first()
    room = Room.objects.for_clinic(clinic).filter(pk=slot.room_id).first() if slot.room_id else None
    if practitioner is None or (slot.room_id and room is None):
        return None
    visit = visit_to_be(clinic, patient=patient, service=service, slot=slot, practitioner=practitioner, room=room)
    same_day = (
        Appointment.objects.for_clinic(clinic)
        .filter(LIVE, local_date=slot.local_date, patient_id__in=[one.pk for one in family])
        .select_related("patient")
        .order_by("local_time")
    )
    ways = reach_of(patient, now=now)
    return Review(
        visit=visit,
        ways=tuple(ways),
        is_reachable=is_reachable(ways),
        same_day=tuple(same_day),
        notice=notice_of_booking(visit, now=now),
    )
