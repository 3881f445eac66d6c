"""Booking, moving, confirming, cancelling: one wish, one visit; and nothing half-written."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from uuid import uuid4

import pytest
from django.db import connection, transaction

from appointments.errors import (
    AppointmentNotFoundError,
    ChangedOutsideUseCaseError,
    ClinicClosedError,
    NotAtThisClinicError,
    NotLiveError,
    OutsideHoursError,
    ReasonMissingError,
    SlotInPastError,
    SlotTakenError,
    TimeInGapError,
    VisitBegunError,
)
from appointments.models import (
    Appointment,
    AppointmentChange,
    AppointmentStatus,
    BookingKey,
    ChangeKind,
    Closure,
    WorkingHours,
)
from appointments.models.guarding import changing_visits
from appointments.usecases.booking import cancel_appointment, confirm_appointment, reschedule_appointment
from clinicbot.actors import Actor
from outbox.models import OutboxEvent
from tests.appointments.making import DESK, Practice, make_practice
from tests.factories import ClinicFactory

TUESDAY = date(2026, 4, 21)


def event_types() -> list[str]:
    return list(OutboxEvent.unscoped.order_by("id").values_list("type", flat=True))


def kinds_of_change(visit: Appointment) -> list[str]:
    changes = AppointmentChange.objects.for_clinic(visit.clinic_id).filter(appointment=visit).order_by("id")
    return list(changes.values_list("kind", flat=True))


def test_a_booking_writes_visit_history_and_event_together(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, day=TUESDAY, at=time(10, 30))

    assert (visit.local_date, visit.local_time, visit.status) == (TUESDAY, time(10, 30), AppointmentStatus.BOOKED)
    assert visit.starts_at.isoformat() == "2026-04-21T08:30:00+00:00"
    assert kinds_of_change(visit) == [ChangeKind.BOOKED]
    assert event_types() == ["appointments.booked"]


def test_the_same_wish_again_is_the_same_visit(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now)

    again = practice.book(now=now)

    assert again.pk == visit.pk
    assert event_types() == ["appointments.booked"]


def test_a_visit_past_midnight_is_outside_hours(practice: Practice, now: datetime) -> None:
    WorkingHours.objects.for_clinic(practice.clinic).update(begins=time(0, 15))

    with pytest.raises(OutsideHoursError):
        practice.book(now=now, day=TUESDAY, at=time(23, 59))


def test_another_patient_does_not_get_somebody_elses_visit(practice: Practice, now: datetime) -> None:
    practice.book(now=now)
    leo = practice.add("Leo", now=now)

    with pytest.raises(SlotTakenError):
        practice.book(now=now, patient=leo)


def test_the_same_form_again_returns_what_it_booked_even_after_a_move(practice: Practice, now: datetime) -> None:
    token = uuid4()
    visit = practice.book(now=now, form_token=token)
    other = practice.slot(visit.local_date, time(12))
    reschedule_appointment(practice.clinic, appointment_id=visit.pk, slot=other, actor=DESK, now=now)

    again = practice.book(now=now, form_token=token)

    assert again.pk == visit.pk
    assert Appointment.objects.for_clinic(practice.clinic).count() == 1


@pytest.mark.parametrize("at", [time(10, 15), time(10, 30), time(10, 45)])
def test_an_overlapping_time_is_taken(practice: Practice, now: datetime, at: time) -> None:
    practice.book(now=now, at=time(10, 30))
    leo = practice.add("Leo", now=now)

    with pytest.raises(SlotTakenError):
        practice.book(now=now, at=at, patient=leo)

    assert event_types() == ["appointments.booked"]


def test_a_room_is_taken_whoever_works_in_it(practice: Practice, now: datetime) -> None:
    practice.book(now=now, day=TUESDAY)
    colleague = make_practice(practice.clinic, now=now, name="Dr. Mateo Quiroga")
    slot = colleague.slot(TUESDAY, time(10, 30), room_id=practice.room.pk)

    with pytest.raises(SlotTakenError):
        colleague.book(now=now, slot=slot)


@pytest.mark.parametrize(
    ("day", "at", "error"),
    [
        (date(2026, 4, 14), time(8, 30), SlotInPastError),
        (TUESDAY, time(7, 30), OutsideHoursError),
        (TUESDAY, time(19, 45), OutsideHoursError),
        (date(2027, 3, 28), time(2, 30), TimeInGapError),
    ],
)
def test_a_time_that_nobody_can_have_is_refused(
    practice: Practice, now: datetime, day: date, at: time, error: type[Exception]
) -> None:
    with pytest.raises(error):
        practice.book(now=now, day=day, at=at)

    assert not Appointment.objects.for_clinic(practice.clinic).exists()
    assert event_types() == []


def test_a_closed_day_is_refused(practice: Practice, now: datetime) -> None:
    Closure.objects.create(clinic=practice.clinic, begins_on=TUESDAY, ends_on=TUESDAY)

    with pytest.raises(ClinicClosedError):
        practice.book(now=now, day=TUESDAY)


def test_nothing_of_another_clinic_can_be_booked_or_changed(practice: Practice, now: datetime) -> None:
    theirs = make_practice(ClinicFactory.create(), now=now)
    their_visit = theirs.book(now=now)

    with pytest.raises(NotAtThisClinicError):
        practice.book(now=now, patient=theirs.ana)
    with pytest.raises(NotAtThisClinicError):
        practice.book(now=now, slot=theirs.slot(TUESDAY, time(9)))
    with pytest.raises(AppointmentNotFoundError):
        cancel_appointment(practice.clinic, appointment_id=their_visit.pk, actor=DESK, reason="x", now=now)
    with pytest.raises(AppointmentNotFoundError):
        confirm_appointment(practice.clinic, appointment_id=their_visit.pk, actor=DESK, now=now)


def test_a_move_resets_the_yes_and_raises_the_version(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now)
    confirm_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, now=now)

    moved = reschedule_appointment(
        practice.clinic, appointment_id=visit.pk, slot=practice.slot(TUESDAY, time(16)), actor=DESK, now=now
    )

    assert (moved.status, moved.notice_version) == (AppointmentStatus.BOOKED, 2)
    assert kinds_of_change(visit) == [ChangeKind.BOOKED, ChangeKind.CONFIRMED, ChangeKind.MOVED]
    assert event_types()[-1] == "appointments.moved"


def test_another_practitioner_keeps_the_yes_and_is_told(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, day=TUESDAY)
    confirm_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, now=now)
    colleague = make_practice(practice.clinic, now=now, name="Dr. Mateo Quiroga")

    moved = reschedule_appointment(
        practice.clinic, appointment_id=visit.pk, slot=colleague.slot(TUESDAY, time(10, 30)), actor=DESK, now=now
    )

    assert (moved.status, moved.notice_version) == (AppointmentStatus.CONFIRMED, 2)
    assert event_types()[-1] == "appointments.moved"


def test_a_move_to_where_it_stands_changes_nothing(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, day=TUESDAY)

    same = reschedule_appointment(
        practice.clinic, appointment_id=visit.pk, slot=practice.slot(TUESDAY, time(10, 30)), actor=DESK, now=now
    )

    assert same.notice_version == 1
    assert event_types() == ["appointments.booked"]


def test_a_move_onto_a_taken_time_leaves_the_visit_where_it_was(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, day=TUESDAY, at=time(10))
    practice.book(now=now, day=TUESDAY, at=time(12), patient=practice.add("Leo", now=now))

    with pytest.raises(SlotTakenError):
        reschedule_appointment(
            practice.clinic, appointment_id=visit.pk, slot=practice.slot(TUESDAY, time(12)), actor=DESK, now=now
        )

    visit.refresh_from_db()
    assert (visit.local_time, visit.notice_version) == (time(10), 1)


def test_the_slot_of_a_moved_visit_can_be_booked_by_another(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, day=TUESDAY)
    reschedule_appointment(
        practice.clinic, appointment_id=visit.pk, slot=practice.slot(TUESDAY, time(16)), actor=DESK, now=now
    )

    other = practice.book(now=now, day=TUESDAY, patient=practice.add("Leo", now=now))

    assert other.pk != visit.pk


def test_the_same_patient_can_book_again_what_was_cancelled(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now)
    cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=now)

    again = practice.book(now=now)

    assert again.pk != visit.pk
    assert again.is_live


def test_staff_say_why_and_patients_need_not(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now)

    with pytest.raises(ReasonMissingError):
        cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, reason=" ", now=now)
    cancelled = cancel_appointment(
        practice.clinic, appointment_id=visit.pk, actor=Actor.patient(practice.ana.pk), now=now
    )

    assert cancelled.status == AppointmentStatus.CANCELLED_BY_PATIENT


def test_cancelling_twice_is_cancelling_once(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now)

    for _ in range(2):
        cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=now)

    assert event_types() == ["appointments.booked", "appointments.cancelled"]


def test_a_cancelled_visit_is_neither_moved_nor_confirmed(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now)
    cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=now)

    with pytest.raises(NotLiveError):
        confirm_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, now=now)
    with pytest.raises(NotLiveError):
        reschedule_appointment(
            practice.clinic, appointment_id=visit.pk, slot=practice.slot(TUESDAY, time(16)), actor=DESK, now=now
        )


def test_what_has_begun_stays_as_it_is(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now)

    with pytest.raises(VisitBegunError):
        cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=visit.starts_at)


def test_a_yes_to_an_older_time_does_not_count(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now)
    reschedule_appointment(
        practice.clinic, appointment_id=visit.pk, slot=practice.slot(TUESDAY, time(16)), actor=DESK, now=now
    )

    with pytest.raises(NotLiveError):
        confirm_appointment(
            practice.clinic, appointment_id=visit.pk, actor=Actor.patient(practice.ana.pk), notice_version=1, now=now
        )


def test_a_lapsed_hold_gives_its_slot_back(practice: Practice, now: datetime) -> None:
    held = practice.book(now=now, day=TUESDAY)
    with changing_visits():
        held.status, held.hold_expires_at = AppointmentStatus.REQUESTED, now + timedelta(minutes=10)
        held.save()
    leo = practice.add("Leo", now=now)

    with pytest.raises(SlotTakenError):
        practice.book(now=now + timedelta(minutes=9), day=TUESDAY, patient=leo)
    visit = practice.book(now=now + timedelta(minutes=11), day=TUESDAY, patient=leo)

    held.refresh_from_db()
    assert held.status == AppointmentStatus.EXPIRED
    assert visit.is_live
    assert BookingKey.objects.for_clinic(practice.clinic).filter(appointment=held, retired_at=None).count() == 0


def test_a_lapsed_hold_gives_the_time_around_it_back_too(practice: Practice, now: datetime) -> None:
    """The constraint counts buffers, and so must what lapses."""
    held = practice.book(now=now, slot=practice.slot(TUESDAY, time(10, 30), buffer_after_minutes=15))
    with changing_visits():
        held.status, held.hold_expires_at = AppointmentStatus.REQUESTED, now + timedelta(minutes=10)
        held.save()
    leo = practice.add("Leo", now=now)

    with pytest.raises(SlotTakenError):
        practice.book(now=now + timedelta(minutes=9), day=TUESDAY, at=time(11), patient=leo)
    visit = practice.book(now=now + timedelta(minutes=11), day=TUESDAY, at=time(11), patient=leo)

    held.refresh_from_db()
    assert (held.status, visit.is_live) == (AppointmentStatus.EXPIRED, True)


def test_the_same_time_for_another_service_or_in_another_room_is_no_replay(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, day=TUESDAY)
    colleague = make_practice(practice.clinic, now=now, name="Dr. Mateo Quiroga")

    with pytest.raises(SlotTakenError):
        practice.book(now=now, day=TUESDAY, service=colleague.service)
    with pytest.raises(SlotTakenError):
        practice.book(now=now, slot=practice.slot(TUESDAY, time(10, 30), room_id=colleague.room.pk))

    assert list(Appointment.objects.for_clinic(practice.clinic)) == [visit]


def test_a_change_by_any_other_door_names_the_use_case(practice: Practice, now: datetime) -> None:
    visit = Appointment.objects.for_clinic(practice.clinic).get(pk=practice.book(now=now).pk)
    visit.local_time = time(11)

    with pytest.raises(ChangedOutsideUseCaseError, match="reschedule_appointment"):
        visit.save()
    visit.refresh_from_db()
    visit.note = "brings the X-ray"
    visit.save()

    assert Appointment.objects.for_clinic(practice.clinic).get(pk=visit.pk).note == "brings the X-ray"


def test_a_refused_booking_leaves_the_callers_transaction_usable(practice: Practice, now: datetime) -> None:
    practice.book(now=now)
    leo = practice.add("Leo", now=now)

    with transaction.atomic():
        with pytest.raises(SlotTakenError):
            practice.book(now=now, at=time(10, 45), patient=leo)
        practice.book(now=now, at=time(11), patient=leo)

    assert not connection.needs_rollback
    assert Appointment.objects.for_clinic(practice.clinic).count() == 2
