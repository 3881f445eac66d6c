"""Two tablets, one visit; and undo against what others do to it meanwhile. On real connections."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta

import pytest
from django.db import connection

from appointments.errors import AlreadyUndoneError, ChangedMeanwhileError, SlotTakenError, VisitBegunError
from appointments.models import Appointment, AppointmentChange, AppointmentStatus, ChangeKind
from appointments.usecases.attendance import check_in
from appointments.usecases.booking import cancel_appointment, confirm_appointment, reschedule_appointment
from appointments.usecases.undoing import undo_change
from clinicbot.errors import ClinicBotError
from outbox.models import OutboxEvent
from tests.appointments.making import DESK, Practice
from tests.scheduler.bench import Gate, at_once, beside

pytestmark = pytest.mark.django_db(transaction=True)

TUESDAY = date(2026, 4, 21)
LOCK = "FOR NO KEY UPDATE"


def fresh(visit: Appointment) -> Appointment:
    return Appointment.objects.for_clinic(visit.clinic_id).get(pk=visit.pk)


def kinds(visit: Appointment) -> list[str]:
    changes = AppointmentChange.objects.for_clinic(visit.clinic_id).filter(appointment=visit).order_by("pk")
    return list(changes.values_list("kind", flat=True))


def last(visit: Appointment) -> int:
    return AppointmentChange.objects.for_clinic(visit.clinic_id).filter(appointment=visit).order_by("-pk")[0].pk


def held_at_its_lock(act: Callable[[], object], *, meanwhile: Callable[[], object]) -> object:
    """The act has read the visit and waits just before its first lock; what it came to."""
    gate, ended = Gate(LOCK), list[object]()

    def go() -> None:
        with connection.execute_wrapper(gate):
            try:
                ended.append(act())
            except ClinicBotError as error:
                ended.append(error)

    with beside(go):
        assert gate.reached.wait(30)
        meanwhile()
        gate.opened.set()
    return ended[0]


def tried(act: Callable[[], object]) -> object:
    try:
        return act()
    except ClinicBotError as error:
        return type(error)


def test_two_tablets_that_tap_at_once_note_one_arrival(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, day=now.date(), at=time(10))

    at_once(4, lambda: check_in(practice.clinic, appointment_id=visit.pk, actor=DESK, now=now))

    assert kinds(visit) == [ChangeKind.BOOKED, ChangeKind.ARRIVED]
    assert fresh(visit).arrived_at == now


def test_who_is_here_is_not_cancelled_by_whoever_read_before(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, day=now.date(), at=time(10))

    came_to = held_at_its_lock(
        lambda: cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=now),
        meanwhile=lambda: check_in(practice.clinic, appointment_id=visit.pk, actor=DESK, now=now),
    )

    assert isinstance(came_to, VisitBegunError)
    assert fresh(visit).status == AppointmentStatus.ARRIVED


def test_nobody_arrives_for_a_visit_that_was_cancelled_first(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, day=now.date(), at=time(10))

    came_to = held_at_its_lock(
        lambda: check_in(practice.clinic, appointment_id=visit.pk, actor=DESK, now=now),
        meanwhile=lambda: cancel_appointment(
            practice.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=now
        ),
    )

    assert not isinstance(came_to, Appointment)
    assert (fresh(visit).status, fresh(visit).arrived_at) == (AppointmentStatus.CANCELLED_BY_CLINIC, None)


def test_undone_twice_at_once_is_undone_once(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, day=TUESDAY)
    cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=now)
    change = last(visit)

    ends = at_once(4, lambda: tried(lambda: undo_change(practice.clinic, change_id=change, actor=DESK, now=now)))

    assert sum(isinstance(one, Appointment) for one in ends) == 1
    assert {one for one in ends if not isinstance(one, Appointment)} == {AlreadyUndoneError}
    assert (fresh(visit).status, fresh(visit).notice_version) == (AppointmentStatus.BOOKED, 3)
    restored = OutboxEvent.objects.for_clinic(practice.clinic).filter(type="appointments.restored")
    assert restored.count() == 1


def test_undo_and_a_booking_of_the_freed_time_at_once_leave_one_of_them(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, day=TUESDAY)
    cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=now)
    change, bea = last(visit), practice.add("Bea Lu", now=now)

    came_to = held_at_its_lock(
        lambda: undo_change(practice.clinic, change_id=change, actor=DESK, now=now),
        meanwhile=lambda: practice.book(now=now, day=TUESDAY, patient=bea),
    )

    assert isinstance(came_to, SlotTakenError)
    assert not fresh(visit).is_live
    assert kinds(visit)[-1] == ChangeKind.CANCELLED


def test_a_booking_that_waited_for_the_undo_finds_the_time_taken(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, day=TUESDAY)
    cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=now)
    change, bea = last(visit), practice.add("Bea Lu", now=now)

    came_to = held_at_its_lock(
        lambda: practice.book(now=now, day=TUESDAY, patient=bea),
        meanwhile=lambda: undo_change(practice.clinic, change_id=change, actor=DESK, now=now),
    )

    assert isinstance(came_to, SlotTakenError)
    assert fresh(visit).is_live


@pytest.mark.parametrize("does", ["confirm", "move"])
def test_an_undo_that_read_the_visit_before_something_else_happened_undoes_nothing(
    practice: Practice, now: datetime, does: str
) -> None:
    visit = practice.book(now=now, day=TUESDAY)
    change = last(visit)

    def meanwhile() -> None:
        if does == "confirm":
            confirm_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, now=now)
        else:
            slot = practice.slot(TUESDAY, time(16))
            reschedule_appointment(practice.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=now)

    came_to = held_at_its_lock(
        lambda: undo_change(practice.clinic, change_id=change, actor=DESK, now=now + timedelta(minutes=1)),
        meanwhile=meanwhile,
    )

    assert isinstance(came_to, ChangedMeanwhileError)
    assert fresh(visit).is_live


def test_two_moves_and_their_undos_at_once_wait_in_no_circle(practice: Practice, now: datetime) -> None:
    """Each locks where it is and where it was, in one order."""
    visits = [practice.book(now=now, day=TUESDAY, at=at) for at in (time(9), time(11))]
    for visit, at in zip(visits, (time(15), time(17)), strict=True):
        slot = practice.slot(TUESDAY, at)
        reschedule_appointment(practice.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=now)
    left = [last(visit) for visit in visits]

    at_once(2, lambda: undo_change(practice.clinic, change_id=left.pop(), actor=DESK, now=now))

    assert [fresh(visit).local_time for visit in visits] == [time(9), time(11)]
