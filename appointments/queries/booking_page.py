"""What somebody sees before they book: who comes, what stands in the way, and what the patient will receive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from appointments.models import LIVE, Appointment, Patient, Practitioner, Room, Service
from appointments.queries.plans import RulebookRows
from appointments.queries.previews import Notice, notice_of_booking, visit_to_be
from appointments.queries.reach import Reach, ReachRows, is_reachable, reach_of, wants_no_messages
from appointments.slots import Slot
from clinicbot.models import Clinic
from clinicbot.together import fetch_together

ASKS_UNDER = timedelta(hours=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """`same_day`: live visits that day of the patient and of those who share a number with them.

    wants_none: they could be written to, and chose to receive nothing.
    has_begun: only somebody who is here can still have it. asks_to_tell: so soon that who books says whether to confirm it.
    """

    visit: Appointment
    ways: tuple[Reach, ...]
    is_reachable: bool
    wants_none: bool
    same_day: tuple[Appointment, ...]
    notice: Notice
    has_begun: bool
    asks_to_tell: bool

    @property
    def number(self) -> str:
        """Where it would be sent first; "" where nothing is."""
        return next((way.number for way in self.ways if not way.is_kept_out), "")


def review_of(
    clinic: Clinic,
    *,
    family: Sequence[Patient],
    service: Service,
    slot: Slot,
    practitioners: Sequence[Practitioner],
    now: datetime,
) -> Review | None:
    """For the first of the family. None when practitioner or room is not this clinic's. Two queries."""
    patient = family[0]
    practitioner = next((one for one in practitioners if one.pk == slot.practitioner_id), None)
    rooms = Room.objects.for_clinic(clinic).filter(pk__in=[slot.room_id] if slot.room_id else [])
    rulebook = RulebookRows.of([clinic], first_day=slot.local_date)
    reach = ReachRows.of(clinic.pk, patient_id=patient.pk)
    same_day = (
        Appointment.objects.for_clinic(clinic)
        .filter(LIVE, local_date=slot.local_date, patient_id__in=[one.pk for one in family])
        .select_related("patient")
        .order_by("local_time")
    )
    fetch_together(rooms, same_day, *reach.all, *rulebook.all)
    room = next(iter(rooms), None)
    if practitioner is None or (slot.room_id and room is None):
        return None
    visit = visit_to_be(clinic, patient=patient, service=service, slot=slot, practitioner=practitioner, room=room)
    ways = reach_of(patient, now=now, rows=reach)
    return Review(
        visit=visit,
        ways=tuple(ways),
        is_reachable=is_reachable(ways),
        wants_none=wants_no_messages(ways),
        same_day=tuple(same_day),
        notice=notice_of_booking(visit, rulebook=rulebook.rulebooks()[clinic.pk], now=now),
        has_begun=slot.starts_at <= now,
        asks_to_tell=now < slot.starts_at < now + ASKS_UNDER,
    )
