"""Several visits in one go: booked at one distance, and from one of them on moved or cancelled. All of them, or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection, transaction

from appointments.errors import ChangedMeanwhileError, ReasonMissingError, SeriesSizeError
from appointments.models import MOST_VISITS, Appointment, FormToken, Patient, SeriesUnit, Service, VisitSeries
from appointments.queries.series import visits_of_series
from appointments.queries.visits import find_replay
from appointments.slots import Slot, slot_of
from appointments.usecases.booking import find_sent_form
from appointments.usecases.deeds import (
    Booking,
    Why,
    check_changeable,
    check_same,
    end,
    key_of,
    put_elsewhere,
    stands_at,
    take,
)
from appointments.usecases.integrity import OVERLAPS, hold_patient, hold_visit, lock_in_order, naming_the_conflict
from clinicbot.actors import Actor, ActorKind
from clinicbot.human_text import tidy
from clinicbot.ids import uuid7
from clinicbot.models import Clinic


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesWish:
    """What is to be booked, and at which distance it was wished for. `slots` in order of time."""

    patient: Patient
    service: Service
    slots: Sequence[Slot]
    every: int
    unit: SeriesUnit
    note: str = ""
    notify: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesMove:
    """One of several visits, as which version it was looked at, and where it goes; `slot` None: it is left where it is."""

    appointment_id: int
    notice_version: int
    slot: Slot | None = None


@transaction.atomic
def book_series(
    clinic: Clinic, *, wish: SeriesWish, actor: Actor, now: datetime, form_token: UUID | None = None
) -> list[Appointment]:
    """Take all of the slots and announce them in one message. The same form, or the same wish, again returns the same visits.

    Raises:
        SeriesSizeError: fewer than two, or more than can be booked in one go.
        What `book_appointment` raises of any of them; then nothing is booked.
    """
    if not 2 <= len(wish.slots) <= MOST_VISITS:
        raise SeriesSizeError
    lock_in_order(clinic, slots=wish.slots)
    if form_token and (sent := find_sent_form(clinic, form_token=form_token)):
        return visits_of_series(sent) or [sent]
    patient = hold_patient(clinic, patient=wish.patient)
    if replayed := _find_replayed(clinic, patient=patient, wish=wish):
        return replayed
    series = VisitSeries.objects.create(
        clinic=clinic,
        patient=patient,
        service=wish.service,
        practitioner_id=wish.slots[0].practitioner_id,
        every=wish.every,
        unit=wish.unit,
        actor_kind=actor.kind,
        actor_id=actor.id,
        made_at=now,
    )
    booking = Booking(
        patient=patient, service=wish.service, note=wish.note, notify=wish.notify, series=series, act_id=uuid7()
    )
    visits = [take(clinic, slot=slot, booking=booking, actor=actor, now=now) for slot in wish.slots]
    if form_token:
        FormToken.objects.create(clinic=clinic, token=form_token, appointment=visits[0], used_at=now)
    return visits


@transaction.atomic
def cancel_several(
    clinic: Clinic, *, moves: Sequence[SeriesMove], actor: Actor, reason: str, now: datetime
) -> list[Appointment]:
    """End these visits of one series, and tell of it in one message. Those that are cancelled already stay so.

    Raises:
        AppointmentNotFoundError, VisitBegunError, ChangedMeanwhileError: one of them is not what was looked at.
        ReasonMissingError: staff gave no reason.
    """
    if actor.kind == ActorKind.STAFF and not tidy(reason):
        raise ReasonMissingError
    visits = _hold(clinic, moves=moves)
    why = Why(reason=reason, act_id=uuid7())
    for visit, one in zip(visits, moves, strict=True):
        if visit.is_live:
            check_changeable(visit, now=now)
            check_same(visit, one.notice_version)
            end(visit, why=why, actor=actor, now=now)
    return visits


@transaction.atomic
def move_several(
    clinic: Clinic, *, moves: Sequence[SeriesMove], actor: Actor, now: datetime, reason: str = ""
) -> list[Appointment]:
    """Put these visits of one series where they are wished, and tell of it in one message. One may go where another stood.

    The same wish again changes nothing of what stands there already.

    Raises:
        AppointmentNotFoundError, NotLiveError, VisitBegunError, ChangedMeanwhileError: one is not what was looked at.
        What `reschedule_appointment` raises of any place; then all of them stay where they are.
    """
    going = [one for one in moves if one.slot is not None]
    visits = _hold(clinic, moves=going)
    why = Why(reason=reason, act_id=uuid7())
    for visit, one in zip(visits, going, strict=True):
        check_changeable(visit, now=now)
        if one.slot is not None and not stands_at(visit, one.slot):
            check_same(visit, one.notice_version)
    with naming_the_conflict():
        _let_overlap_until_all_have_moved()
        for visit, one in zip(visits, going, strict=True):
            if one.slot is not None and not stands_at(visit, one.slot):
                put_elsewhere(clinic, visit, slot=one.slot, why=why, actor=actor, now=now)
        _let_overlap_no_more()
    return visits


def _find_replayed(clinic: Clinic, *, patient: Patient, wish: SeriesWish) -> list[Appointment]:
    """What the same wish booked before, if all of it still stands."""
    found = []
    for slot in wish.slots:
        replayed, _is_known = find_replay(
            clinic, key=key_of(clinic, slot=slot), patient_id=patient.pk, service_id=wish.service.pk, slot=slot
        )
        if replayed is None or replayed.series_id is None:
            return []
        found.append(replayed)
    return found if len({visit.series_id for visit in found}) == 1 else []


def _hold(clinic: Clinic, *, moves: Sequence[SeriesMove]) -> list[Appointment]:
    """All places in one order, then the visits by number; each as it is now, in the order of the moves.

    Raises:
        ChangedMeanwhileError: one went elsewhere first, or they are not of one series.
    """
    ids = [one.appointment_id for one in moves]
    seen = {visit.pk: visit for visit in Appointment.objects.for_clinic(clinic).filter(pk__in=ids)}
    if len(seen) != len(ids) or len({visit.series_id for visit in seen.values()} - {None}) != 1:
        raise ChangedMeanwhileError
    wanted = [one.slot for one in moves if one.slot is not None]
    lock_in_order(clinic, slots=[*(slot_of(visit) for visit in seen.values()), *wanted])
    held = {pk: hold_visit(clinic, appointment_id=pk) for pk in sorted(ids)}
    for pk, visit in held.items():
        if (visit.practitioner_id, visit.room_id) != (seen[pk].practitioner_id, seen[pk].room_id):
            raise ChangedMeanwhileError
    return [held[pk] for pk in ids]


def _let_overlap_until_all_have_moved() -> None:
    """The first may go where the second still stands."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET CONSTRAINTS {', '.join(OVERLAPS)} DEFERRED")


def _let_overlap_no_more() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET CONSTRAINTS {', '.join(OVERLAPS)} IMMEDIATE")
