"""What keeps two people out of one chair: locks in one order, lapsed holds, keys, and conflicts told by name."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Q

from appointments import wall_time
from appointments.errors import (
    NotAtThisClinicError,
    OutsideHoursError,
    ServiceNotGivenError,
    SlotInPastError,
    SlotTakenError,
)
from appointments.events import AppointmentExpired
from appointments.models import (
    Appointment,
    AppointmentStatus,
    BookingKey,
    ChangeKind,
    Patient,
    Practitioner,
    PractitionerService,
    Room,
    Service,
)
from appointments.models.guarding import changing_visits
from appointments.queries import opening, visits
from appointments.queries.duplicates import find_kept
from appointments.queries.opening import closed_by
from appointments.slots import Slot, slot_of
from appointments.usecases.history import record_change
from clinicbot.actors import Actor
from clinicbot.models import Clinic
from outbox.usecases.publishing import publish

OVERLAPS = ("appointments_no_overlap_per_practitioner", "appointments_no_overlap_per_room")


def lock_in_order(clinic: Clinic, *, slots: Sequence[Slot]) -> None:
    """Practitioners, then rooms, each by id. Without it two bookings deadlock on the exclusion constraint.

    Raises:
        NotAtThisClinicError: one of them is another clinic's, or no longer active.
    """
    for model, ids in (
        (Practitioner, {slot.practitioner_id for slot in slots}),
        (Room, {slot.room_id for slot in slots if slot.room_id is not None}),
    ):
        rows = model.objects.for_clinic(clinic).filter(pk__in=ids).select_for_update(no_key=True).order_by("pk")
        if len(rows) != len(ids):
            raise NotAtThisClinicError


def lock_visit(clinic: Clinic | int, *, appointment_id: int) -> Appointment:
    """The visit as it is now, held until the end of the transaction; its practitioner and room are locked before it.

    Raises:
        AppointmentNotFoundError: no such visit at this clinic.
    """
    visit = visits.get_visit(clinic, appointment_id=appointment_id)
    lock_in_order(visit.clinic, slots=[slot_of(visit)])
    return hold_visit(clinic, appointment_id=appointment_id)


def hold_visit(clinic: Clinic | int, *, appointment_id: int) -> Appointment:
    """The same where practitioners and rooms are locked already: another of them, locked now, would be out of order."""
    Appointment.objects.for_clinic(clinic).select_for_update(no_key=True).get(pk=appointment_id)
    return visits.get_visit(clinic, appointment_id=appointment_id)


def hold_patient(clinic: Clinic, *, patient: Patient) -> Patient:
    """The patient, held until the end of the transaction; who was merged meanwhile is whom they were merged into.

    Raises:
        NotAtThisClinicError: no patient of this clinic.
    """
    wanted: int | None = patient.pk
    while wanted is not None:
        known = Patient.objects.for_clinic(clinic).filter(pk=wanted)
        held = known.select_for_update(no_key=True).first()
        if held is not None:
            return held
        wanted = find_kept(clinic, merged_id=wanted)
    raise NotAtThisClinicError


def hold_patients(clinic: Clinic, *, ids: Collection[int]) -> bool:
    """All of them, held until the end of the transaction. False: somebody is no longer there, and others are held."""
    known = Patient.objects.for_clinic(clinic).filter(pk__in=ids)
    return len(known.select_for_update(no_key=True).order_by("pk")) == len(set(ids))


def derive_again(visit: Appointment, *, now: datetime) -> None:
    """Set the instants of a visit that ended and is to stand again: nobody has kept them right since it did.

    Its clock time falls where the clinic's zone of now says, unless it is over either way.

    Raises:
        TimeInGapError: the clocks skip that time.
    """
    if visit.is_live:
        return
    zone = visit.clinic.zone
    there = wall_time.lenient_instant_of(visit.local_date, visit.local_time, zone=zone)
    if max(visit.starts_at, there) <= now:
        return
    for name, value in replace(slot_of(visit), zone=zone).columns().items():
        setattr(visit, name, value)


def check_belongs(clinic: Clinic, *, patient: Patient, service: Service) -> None:
    """Raises `NotAtThisClinicError` for another clinic's patient or service, or a service no longer offered."""
    if patient.clinic_id != clinic.pk or service.clinic_id != clinic.pk or not service.is_active:
        raise NotAtThisClinicError


def check_place(clinic: Clinic, *, slot: Slot) -> None:
    """Raises `NotAtThisClinicError` for a practitioner or room that is another clinic's or out of use."""
    works = Practitioner.objects.for_clinic(clinic).filter(pk=slot.practitioner_id, is_active=True).exists()
    has_room = slot.room_id is None or Room.objects.for_clinic(clinic).filter(pk=slot.room_id, is_active=True).exists()
    if not (works and has_room):
        raise NotAtThisClinicError


def check_gives(clinic: Clinic, *, practitioner_id: int, service: Service) -> None:
    """Raises `ServiceNotGivenError`. While the practitioner's row is locked the answer stands."""
    given = PractitionerService.objects.for_clinic(clinic).filter(practitioner_id=practitioner_id, service=service)
    if not given.exists():
        raise ServiceNotGivenError


def check_open(clinic: Clinic, *, slot: Slot, now: datetime, override: str = "") -> None:
    """Whether somebody works then. `override`: why a closed day or the end of the working hours does not matter this once.

    Raises:
        SlotInPastError, ClinicClosedError, OutsideHoursError, TimeInGapError: no.
    """
    if slot.starts_at <= now:
        raise SlotInPastError
    if override:
        return
    check_not_closed(clinic, slot=slot)
    if not opening.is_within_hours(clinic, slot=slot):
        raise OutsideHoursError


def check_not_closed(clinic: Clinic, *, slot: Slot) -> None:
    """Raises `ClinicClosedError`, which says until when and why."""
    closure = opening.find_closure(clinic, slot=slot)
    if closure is not None:
        raise closed_by(closure, clinic=clinic)


def expire_lapsed_holds(clinic: Clinic, *, slot: Slot, now: datetime) -> None:
    """A hold that has run out gives its slot back by a change of its row, its history and an event, like any other end."""
    for visit in visits.lapsed_holds(clinic, slot=slot, now=now).select_for_update(no_key=True).order_by("pk"):
        visit.status = AppointmentStatus.EXPIRED
        visit.notice_version += 1
        with changing_visits():
            visit.save(update_fields=["status", "notice_version"])
        retire_keys(visit, now=now)
        record_change(visit, kind=ChangeKind.EXPIRED, actor=Actor.system(), now=now)
        publish(AppointmentExpired.of(visit), now=now)


def retire_keys(visit: Appointment, *, now: datetime) -> None:
    """MANUAL and RESCHEDULE keys end with the time they stood for; a WHATSAPP or IMPORT key never goes."""
    keys = BookingKey.objects.for_clinic(visit.clinic_id).filter(appointment=visit, retired_at=None)
    keys.exclude(Q(key__startswith="WHATSAPP_") | Q(key__startswith="IMPORT_")).update(retired_at=now)


@contextmanager
def naming_the_conflict() -> Iterator[None]:
    """An overlap reported by the database becomes `SlotTakenError`; any other integrity error stays what it is."""
    try:
        with transaction.atomic(), changing_visits():
            yield
    except IntegrityError as error:
        diagnosis = getattr(error.__cause__, "diag", None)
        if diagnosis is not None and diagnosis.constraint_name in OVERLAPS:
            raise SlotTakenError from None
        raise
