"""Single visits, and what stands in a slot's way."""

from __future__ import annotations

from datetime import date, datetime

from django.db.models import Q, QuerySet, Subquery

from appointments.errors import AppointmentNotFoundError
from appointments.models import ENDED, LIVE, OPEN, Appointment, AppointmentChange, AppointmentStatus, BookingKey
from appointments.slots import Slot
from clinicbot.models import Clinic


def find_visit(clinic: Clinic | int, *, appointment_id: int) -> Appointment | None:
    """With patient, practitioner, room and service."""
    return (
        Appointment.objects.for_clinic(clinic)
        .select_related("clinic", "patient", "practitioner", "room", "service")
        .filter(pk=appointment_id)
        .first()
    )


def get_visit(clinic: Clinic | int, *, appointment_id: int) -> Appointment:
    """Raises `AppointmentNotFoundError`, also for another clinic's visit."""
    visit = find_visit(clinic, appointment_id=appointment_id)
    if visit is None:
        raise AppointmentNotFoundError
    return visit


def ended_at_of(visit: Appointment) -> datetime:
    """When a visit that no longer stands was cancelled, or expired, or its booking was taken back."""
    ends = AppointmentChange.objects.for_clinic(visit.clinic_id).filter(appointment=visit, after__status__in=ENDED)
    return ends.order_by("-pk").values_list("happened_at", flat=True)[0]


def open_status_before(visit: Appointment) -> AppointmentStatus:
    """How a visit stood before anybody noted who came."""
    changes = AppointmentChange.objects.for_clinic(visit.clinic_id).filter(appointment=visit, after__status__in=OPEN)
    return AppointmentStatus(changes.order_by("-pk").values_list("after__status", flat=True)[0])


def not_open_since(visit: Appointment) -> datetime:
    """When somebody noted first who came, or that it was cancelled late, of a visit that is not open."""
    changes = AppointmentChange.objects.for_clinic(visit.clinic_id).filter(appointment=visit)
    last_open = changes.filter(after__status__in=OPEN).order_by("-pk").values("pk")[:1]
    return changes.filter(after__has_key="status", pk__gt=Subquery(last_open)).order_by("pk")[0].happened_at


def find_as_announced(clinic: Clinic | int, *, appointment_id: int, notice_version: int) -> Appointment | None:
    """The visit, if it still stands as an event or job of that version knew it."""
    visit = find_visit(clinic, appointment_id=appointment_id)
    if visit is None or visit.notice_version != notice_version or not visit.is_live:
        return None
    return visit


def find_replay(
    clinic: Clinic, *, key: str, patient_id: int, service_id: int, slot: Slot
) -> tuple[Appointment | None, bool]:
    """The visit that this key booked, if the wish is the same and the visit still stands; and whether the key is known."""
    known = BookingKey.objects.for_clinic(clinic).filter(key=key, retired_at=None).select_related("appointment").first()
    if known is None:
        return None, False
    visit = known.appointment
    is_same = (
        visit is not None
        and visit.is_live
        and (visit.patient_id, visit.service_id, visit.room_id) == (patient_id, service_id, slot.room_id)
        and (visit.practitioner_id, visit.local_date, visit.local_time)
        == (slot.practitioner_id, slot.local_date, slot.local_time)
    )
    return (visit if is_same else None), True


def lapsed_holds(clinic: Clinic | int, *, slot: Slot, now: datetime) -> QuerySet[Appointment]:
    """Requested visits in that slot's way whose hold has run out."""
    in_the_way = Q(practitioner_id=slot.practitioner_id)
    if slot.room_id is not None:
        in_the_way |= Q(room_id=slot.room_id)
    return Appointment.objects.for_clinic(clinic).filter(
        in_the_way,
        status=AppointmentStatus.REQUESTED,
        hold_expires_at__lte=now,
        occupied__overlap=slot.occupied,  # Buffers included, as the constraints count them.
    )


def visits_of_patient(clinic: Clinic | int, *, patient_id: int) -> QuerySet[Appointment]:
    """Newest first, with what a list shows."""
    return (
        Appointment.objects.for_clinic(clinic)
        .filter(patient_id=patient_id)
        .select_related("practitioner", "room", "service")
        .order_by("-starts_at")
    )


def coming_visits_of_patients(clinic: Clinic | int, *, patient_ids: list[int], now: datetime) -> list[Appointment]:
    """Live visits still to come, soonest first: a family's, or one patient's."""
    return list(
        Appointment.objects.for_clinic(clinic)
        .filter(LIVE, patient_id__in=patient_ids, starts_at__gt=now)
        .select_related("patient", "practitioner", "room", "service")
        .order_by("starts_at")
    )


def visits_of_day(clinic: Clinic | int, *, day: date) -> QuerySet[Appointment]:
    """Everything at the clinic that day but what was cancelled or has expired, by practitioner and time."""
    return (
        Appointment.objects.for_clinic(clinic)
        .filter(LIVE, local_date=day)
        .select_related("patient", "practitioner", "room", "service")
        .order_by("practitioner__full_name", "local_time")
    )
