"""What is done to one visit under the locks of whoever does it: taken, put elsewhere, ended. The doors to these lock first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from appointments.errors import ChangedMeanwhileError, NotLiveError, SlotTakenError, VisitBegunError
from appointments.events import AppointmentBooked, AppointmentCancelled, AppointmentMoved
from appointments.models import (
    Appointment,
    AppointmentStatus,
    BookingKey,
    ChangeKind,
    Patient,
    Service,
    VisitSeries,
)
from appointments.models.guarding import changing_visits
from appointments.queries.visits import find_replay
from appointments.slots import WALKED_IN_WITHIN, Slot
from appointments.usecases.history import facts_of, record_change
from appointments.usecases.integrity import (
    check_belongs,
    check_gives,
    check_open,
    check_place,
    expire_lapsed_holds,
    naming_the_conflict,
    retire_keys,
)
from appointments.usecases.reminding import plan_reminders
from clinicbot.actors import Actor, ActorKind
from clinicbot.human_text import tidy
from clinicbot.models import Clinic
from outbox.usecases.publishing import publish


@dataclass(frozen=True, slots=True, kw_only=True)
class Booking:
    """What is to be taken. notify, is_walk_in, override: as `book_appointment` says. act_id: of several that are told together."""

    patient: Patient
    service: Service
    note: str = ""
    notify: bool = True
    is_walk_in: bool = False
    override: str = ""
    series: VisitSeries | None = None
    act_id: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Of a move or an end: the reason, what was heard that asked for it, and the act that it is part of."""

    reason: str = ""
    override: str = ""
    inbound_id: UUID | None = None
    act_id: UUID | None = None


def take(clinic: Clinic, *, slot: Slot, booking: Booking, actor: Actor, now: datetime) -> Appointment:
    """A visit there, announced. The same wish again returns the same visit, unless it is part of a series.

    Raises:
        What `book_appointment` raises.
    """
    expire_lapsed_holds(clinic, slot=slot, now=now)
    key, patient, service = key_of(clinic, slot=slot), booking.patient, booking.service
    replayed, is_known = find_replay(clinic, key=key, patient_id=patient.pk, service_id=service.pk, slot=slot)
    if replayed is not None and booking.series is None:
        return replayed
    if is_known:
        raise SlotTakenError
    check_belongs(clinic, patient=patient, service=service)
    check_place(clinic, slot=slot)
    check_gives(clinic, practitioner_id=slot.practitioner_id, service=service)
    override = tidy(booking.override)
    check_open(clinic, slot=slot, now=now - WALKED_IN_WITHIN if booking.is_walk_in else now, override=override)
    with naming_the_conflict():
        visit = Appointment.objects.create(
            clinic=clinic,
            patient=patient,
            service=service,
            series=booking.series,
            status=AppointmentStatus.BOOKED,
            note=tidy(booking.note),
            is_told_in_person=booking.is_walk_in or not booking.notify,
            created_at=now,
            **slot.columns(),
        )
    BookingKey.objects.create(clinic=clinic, key=key, appointment=visit, made_at=now)
    record_change(visit, kind=ChangeKind.BOOKED, actor=actor, now=now, reason=override, act_id=booking.act_id)
    publish(AppointmentBooked.of(visit), now=now)
    return visit


def key_of(clinic: Clinic, *, slot: Slot) -> str:
    return f"MANUAL_{clinic.pk}_{slot.practitioner_id}_{slot.local_date:%Y%m%d}_{slot.local_time:%H%M}"


def put_elsewhere(
    clinic: Clinic,
    visit: Appointment,
    *,
    slot: Slot,
    why: Why,
    actor: Actor,
    now: datetime,
    service: Service | None = None,
) -> None:
    """Move it there, and tell whoever must hear of it. service: what it will be for, where that changes with the place.

    Raises:
        What `reschedule_appointment` raises of the place and the service.
    """
    seen_version = visit.notice_version
    expire_lapsed_holds(clinic, slot=slot, now=now)
    check_place(clinic, slot=slot)
    has_new_service = service is not None and service.pk != visit.service_id
    before = facts_of(visit)
    if service is not None and has_new_service:
        check_belongs(clinic, patient=visit.patient, service=service)
        visit.service = service
    check_gives(clinic, practitioner_id=slot.practitioner_id, service=visit.service)
    check_open(clinic, slot=slot, now=now, override=tidy(why.override))
    _put(visit, slot)
    with naming_the_conflict():
        visit.save(update_fields=[*slot.columns(), "service", "status", "notice_version"])
    retire_keys(visit, now=now)
    key = f"RESCHEDULE_{visit.pk}_{slot.local_date:%Y%m%d}_{slot.local_time:%H%M}"
    BookingKey.objects.create(clinic=clinic, key=key, appointment=visit, made_at=now)
    record_change(
        visit,
        kind=ChangeKind.MOVED,
        actor=actor,
        now=now,
        before=before,
        reason=tidy(why.override) or tidy(why.reason),
        inbound_id=why.inbound_id,
        act_id=why.act_id,
    )
    if visit.notice_version != seen_version:
        publish(AppointmentMoved.of(visit), now=now)
    elif has_new_service:
        plan_reminders(visit, now=now, due_after=now)


def end(visit: Appointment, *, why: Why, actor: Actor, now: datetime) -> None:
    """Cancel it, and free its slot."""
    before = facts_of(visit)
    by_patient = actor.kind == ActorKind.PATIENT
    visit.status = AppointmentStatus.CANCELLED_BY_PATIENT if by_patient else AppointmentStatus.CANCELLED_BY_CLINIC
    visit.notice_version += 1
    with changing_visits():
        visit.save(update_fields=["status", "notice_version"])
    retire_keys(visit, now=now)
    record_change(
        visit,
        kind=ChangeKind.CANCELLED,
        actor=actor,
        now=now,
        before=before,
        reason=tidy(why.reason),
        inbound_id=why.inbound_id,
        act_id=why.act_id,
    )
    publish(AppointmentCancelled.of(visit), now=now)


def check_changeable(visit: Appointment, *, now: datetime) -> None:
    """Raises `NotLiveError` or `VisitBegunError`."""
    if not visit.is_live:
        raise NotLiveError
    if not visit.can_change(now=now):
        raise VisitBegunError


def check_same(visit: Appointment, notice_version: int | None) -> None:
    """Raises `ChangedMeanwhileError` where it no longer stands as that version did. None: whatever it is."""
    if notice_version is not None and notice_version != visit.notice_version:
        raise ChangedMeanwhileError


def stands_at(visit: Appointment, slot: Slot) -> bool:
    return (visit.practitioner_id, visit.room_id, visit.local_date, visit.local_time, visit.duration_minutes) == (
        slot.practitioner_id,
        slot.room_id,
        slot.local_date,
        slot.local_time,
        slot.duration_minutes,
    )


def _put(visit: Appointment, slot: Slot) -> None:
    """Write the new place onto the visit: what the patient must hear of raises the version."""
    has_new_time = (visit.local_date, visit.local_time) != (slot.local_date, slot.local_time)
    if has_new_time or visit.practitioner_id != slot.practitioner_id:
        visit.notice_version += 1
    if has_new_time and visit.status == AppointmentStatus.CONFIRMED:
        visit.status = AppointmentStatus.BOOKED
    for name, value in slot.columns().items():
        setattr(visit, name, value)
