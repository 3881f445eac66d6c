"""Two wishes for one chair at one moment, on real connections: whoever comes second reads what the first has written."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from uuid import uuid4

import pytest
from django.db import OperationalError, connection, transaction
from django.urls import reverse

from appointments.errors import ChangedMeanwhileError, NotLiveError, SlotTakenError
from appointments.models import (
    Appointment,
    AppointmentStatus,
    Patient,
    Practitioner,
    Room,
    SeriesUnit,
    WorkingHours,
)
from appointments.usecases.booking import cancel_appointment, confirm_appointment, reschedule_appointment
from appointments.usecases.series import SeriesWish, book_series
from clinicbot import clock
from clinicbot.models import Clinic
from outbox.models import OutboxEvent
from tests.appointments.making import DESK, Practice, gives_all, make_practice
from tests.appointments.pages import at_desk, book_url, booked, code
from tests.scheduler.bench import Gate, at_once, beside

pytestmark = pytest.mark.django_db(transaction=True)

TUESDAY = date(2026, 4, 21)
LOCK = "FOR NO KEY UPDATE"


def fresh(visit: Appointment) -> Appointment:
    return Appointment.objects.for_clinic(visit.clinic_id).get(pk=visit.pk)


def live(clinic: Clinic) -> list[Appointment]:
    return [visit for visit in Appointment.objects.for_clinic(clinic) if visit.is_live]


@contextmanager
def held_before_its_lock(visit: Appointment, *, at: time, now: datetime, practice: Practice) -> Iterator[list[object]]:
    """A move that has read the visit and waits just before it locks; what it came to is in the list afterwards."""
    gate, ended = Gate(LOCK), list[object]()

    def move() -> None:
        with connection.execute_wrapper(gate):
            try:
                slot = practice.slot(TUESDAY, at)
                ended.append(
                    reschedule_appointment(practice.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=now)
                )
            except NotLiveError as error:
                ended.append(error)

    with beside(move):
        assert gate.reached.wait(30)
        yield ended
        gate.opened.set()


def test_a_move_that_read_the_visit_before_it_was_cancelled_moves_nothing(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, day=TUESDAY)

    with held_before_its_lock(visit, at=time(16), now=now, practice=practice) as ended:
        cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=now)

    assert isinstance(ended[0], NotLiveError)
    stands = fresh(visit)
    assert (stands.status, stands.local_time) == (AppointmentStatus.CANCELLED_BY_CLINIC, time(10, 30))
    events = OutboxEvent.objects.for_clinic(practice.clinic).order_by("id").values_list("type", flat=True)
    assert list(events) == ["appointments.booked", "appointments.cancelled"]


def test_of_two_moves_at_once_the_later_counts_on_from_the_earlier(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, day=TUESDAY)

    with held_before_its_lock(visit, at=time(16), now=now, practice=practice) as ended:
        slot = practice.slot(TUESDAY, time(12))
        reschedule_appointment(practice.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=now)

    assert isinstance(ended[0], Appointment)
    assert (fresh(visit).local_time, fresh(visit).notice_version) == (time(16), 3)


@pytest.mark.parametrize("does", ["cancel", "confirm"])
def test_a_change_that_read_the_visit_before_it_moved_is_of_the_visit_as_it_stands(
    practice: Practice, now: datetime, does: str
) -> None:
    visit = practice.book(now=now, day=TUESDAY)
    gate = Gate(LOCK)

    def change() -> None:
        with connection.execute_wrapper(gate):
            if does == "cancel":
                cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=now)
            else:
                with pytest.raises(NotLiveError):  # The yes was to the old time.
                    confirm_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, notice_version=1, now=now)

    with beside(change):
        assert gate.reached.wait(30)
        slot = practice.slot(TUESDAY, time(16))
        reschedule_appointment(practice.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=now)
        gate.opened.set()

    ends = {"cancel": (AppointmentStatus.CANCELLED_BY_CLINIC, 3), "confirm": (AppointmentStatus.BOOKED, 2)}
    assert (fresh(visit).status, fresh(visit).notice_version) == ends[does]


def test_a_move_that_read_the_visit_in_another_room_locks_no_third_one(practice: Practice, now: datetime) -> None:
    """Two who lock a third room when they have theirs would wait in a circle."""
    visit = practice.book(now=now, day=TUESDAY)
    elsewhere = make_practice(practice.clinic, now=now, name="Dr. Mateo Quiroga").room
    ends, gate = list[type[Exception]](), Gate(LOCK)

    def move() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '2s'")
        with connection.execute_wrapper(gate):
            try:
                slot = practice.slot(TUESDAY, time(16))
                reschedule_appointment(practice.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=now)
            except (ChangedMeanwhileError, OperationalError) as error:
                ends.append(type(error))

    with beside(move) as moved:
        assert gate.reached.wait(30)
        there = practice.slot(TUESDAY, time(10, 30), room_id=elsewhere.pk)
        reschedule_appointment(practice.clinic, appointment_id=visit.pk, slot=there, actor=DESK, now=now)
        with transaction.atomic():
            Room.objects.for_clinic(practice.clinic).select_for_update(no_key=True).get(pk=elsewhere.pk)
            gate.opened.set()
            moved.result(timeout=30)

    assert ends == [ChangedMeanwhileError]


def test_twenty_who_want_one_time_make_one_visit(practice: Practice, now: datetime) -> None:
    others = [practice.add(f"Patient {number}", now=now) for number in range(20)]
    next_one = itertools.count()

    def book() -> str:
        try:
            practice.book(now=now, day=TUESDAY, patient=others[next(next_one)])
        except SlotTakenError:
            return "taken"
        return "booked"

    ends = at_once(20, book)

    assert sorted(ends) == ["booked"] + ["taken"] * 19
    assert len(live(practice.clinic)) == 1


def test_moves_that_cross_wait_for_each_other_in_one_order(practice: Practice, now: datetime) -> None:
    """Each takes the other's room and practitioner; locked as they come, two would wait in a circle."""
    colleague = make_practice(practice.clinic, now=now, name="Dr. Mateo Quiroga")
    pairs: list[tuple[Practice, Practice, Patient, time]] = []
    for number in range(10):
        here, there = (practice, colleague) if number % 2 else (colleague, practice)
        pairs.append((here, there, here.add(f"Patient {number}", now=now), time(8 + number)))
    visits = [here.book(now=now, day=TUESDAY, at=at, patient=patient) for here, _there, patient, at in pairs]
    next_one = itertools.count()

    def move() -> int:
        number = next(next_one)
        _here, there, _patient, at = pairs[number]
        slot = there.slot(TUESDAY, at)
        moved = reschedule_appointment(
            practice.clinic, appointment_id=visits[number].pk, slot=slot, actor=DESK, now=now
        )
        return int(moved.practitioner_id == there.practitioner.pk)

    assert at_once(10, move) == [1] * 10


def test_one_form_sent_twice_at_once_books_once(practice: Practice, now: datetime) -> None:
    visits = at_once(2, lambda: practice.book(now=now, day=TUESDAY).pk)

    assert visits[0] == visits[1]
    assert OutboxEvent.objects.for_clinic(practice.clinic).count() == 1


def test_twenty_forms_for_one_time_make_one_visit_and_nineteen_are_shown_others(practice: Practice) -> None:
    now = clock.now()
    people = [practice.add(f"Patient {number}", now=now) for number in range(20)]
    browsers = [at_desk(practice.clinic) for _ in people]
    next_one = itertools.count()

    def send() -> tuple[int, int]:
        number = next(next_one)
        form = {"token": str(uuid4()), "note": ""}
        answer = browsers[number].post(book_url(practice, patient=people[number].pk), form)
        page = answer.content.decode()
        return answer.status_code, sum(f'data-key="{key}"' in page for key in "abc")

    ends = at_once(20, send)

    assert sorted(ends) == [(302, 0)] + [(409, 3)] * 19
    assert len(live(practice.clinic)) == 1


def test_with_the_dentist_free_and_the_chair_taken_nobody_is_booked_twice_into_it(practice: Practice) -> None:
    """Two dentists, one chair: whoever comes second is refused, and the page says nothing was booked."""
    now = clock.now()
    colleague = Practitioner.objects.create(clinic=practice.clinic, full_name="Dr. Mateo Quiroga", initials="MQ")
    gives_all(practice.clinic)
    for hours in list(WorkingHours.objects.for_clinic(practice.clinic)):
        WorkingHours.objects.create(
            clinic=practice.clinic,
            practitioner=colleague,
            weekday=hours.weekday,
            begins=hours.begins,
            ends=hours.ends,
            room=practice.room,
        )
    people = [practice.add(f"Patient {number}", now=now) for number in range(10)]
    browsers = [at_desk(practice.clinic) for _ in people]
    codes = [code(practice), code(practice).replace(f"-{practice.practitioner.pk}-", f"-{colleague.pk}-")]
    next_one = itertools.count()

    def send() -> int:
        number = next(next_one)
        url = book_url(practice, patient=people[number].pk, at=codes[number % 2])
        return browsers[number].post(url, {"token": str(uuid4()), "note": ""}).status_code

    assert sorted(at_once(10, send)) == [302] + [409] * 9
    assert len(live(practice.clinic)) == 1


def test_a_move_and_a_booking_that_want_one_time_end_with_one_of_them_there(practice: Practice) -> None:
    visit = booked(practice, at=time(9))
    newcomer = practice.add("Leo Ibarra", now=clock.now())
    browsers = [at_desk(practice.clinic), at_desk(practice.clinic)]
    next_one = itertools.count()

    def send() -> int:
        number = next(next_one)
        if number:
            url = book_url(practice, patient=newcomer.pk)
            return browsers[number].post(url, {"token": str(uuid4()), "note": ""}).status_code
        url = reverse("visit-move", args=[visit.pk], query={"at": code(practice)})
        return browsers[number].post(url, {"reason": ""}).status_code

    assert sorted(at_once(2, send)) == [302, 409]
    assert [one.local_time for one in live(practice.clinic)].count(time(10, 30)) == 1


def test_two_who_book_overlapping_series_at_once_book_one_of_them_whole(practice: Practice, now: datetime) -> None:
    bea = practice.add("Bea Lu", now=now)
    ended: list[object] = []

    def book(patient: Patient, days: list[int]) -> None:
        slots = [practice.slot(TUESDAY + timedelta(days=number), time(10, 30)) for number in days]
        wish = SeriesWish(patient=patient, service=practice.service, slots=slots, every=1, unit=SeriesUnit.WEEKS)
        try:
            ended.append(len(book_series(practice.clinic, wish=wish, actor=DESK, now=now)))
        except SlotTakenError:
            ended.append("taken")

    wishes = [(practice.ana, [0, 7, 14]), (bea, [14, 7, 21])]
    at_once(2, lambda: book(*wishes.pop()))

    assert sorted(map(str, ended)) == ["3", "taken"]
    assert len(live(practice.clinic)) == 3


def test_the_same_series_sent_twice_at_once_is_booked_once(practice: Practice, now: datetime) -> None:
    slots = [practice.slot(TUESDAY + timedelta(days=number), time(10, 30)) for number in (0, 7)]
    wish = SeriesWish(patient=practice.ana, service=practice.service, slots=slots, every=1, unit=SeriesUnit.WEEKS)
    token, ended = uuid4(), list[list[int]]()

    def book() -> None:
        visits = book_series(practice.clinic, wish=wish, actor=DESK, form_token=token, now=now)
        ended.append([one.pk for one in visits])

    at_once(2, book)

    assert ended[0] == ended[1]
    assert len(live(practice.clinic)) == 2
