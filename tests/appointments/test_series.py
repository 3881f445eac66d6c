"""Several visits in one go: booked together or not at all, told of once, and each of them a visit like any other."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time, timedelta
from uuid import UUID

import pytest

from appointments.errors import ChangedMeanwhileError, ReasonMissingError, SeriesSizeError, SlotTakenError
from appointments.models import Appointment, AppointmentStatus, SeriesUnit, VisitSeries
from appointments.queries.series import following, place_in_series, visits_of_series
from appointments.usecases.booking import cancel_appointment, reschedule_appointment
from appointments.usecases.merging import merge_patients
from appointments.usecases.series import SeriesMove, SeriesWish, book_series, cancel_several, move_several
from messaging.models import Message, StaffTask
from tests.appointments.chat import hear, last_message, run, said
from tests.appointments.making import DESK, Practice
from tests.drive import deliver_all, deliver_all_again
from tests.factories import ClinicFactory
from tests.messaging.sending.fakes import FakeChannel

FIRST = date(2026, 4, 21)
TOKEN = UUID(int=7)


def wish(
    practice: Practice, *, count: int = 4, weeks: int = 2, at: time = time(10, 30), first: date = FIRST
) -> SeriesWish:
    slots = [practice.slot(first + timedelta(weeks=weeks * number), at) for number in range(count)]
    return SeriesWish(patient=practice.ana, service=practice.service, slots=slots, every=weeks, unit=SeriesUnit.WEEKS)


def book(practice: Practice, *, now: datetime, count: int = 4, **rest: object) -> list[Appointment]:
    return book_series(practice.clinic, wish=wish(practice, count=count), actor=DESK, now=now, **rest)  # type: ignore[arg-type]


def moves(visits: list[Appointment], *, practice: Practice, days: int) -> list[SeriesMove]:
    return [
        SeriesMove(
            appointment_id=one.pk,
            notice_version=one.notice_version,
            slot=practice.slot(one.local_date + timedelta(days=days), one.local_time),
        )
        for one in visits
    ]


def notices(practice: Practice) -> list[Message]:
    return list(Message.objects.for_clinic(practice.clinic).filter(kind="appointments.visit_notice").order_by("pk"))


# Booking


def test_all_are_booked_and_know_of_each_other(practice: Practice, now: datetime) -> None:
    visits = book(practice, now=now)

    assert [one.local_date for one in visits] == [FIRST + timedelta(weeks=2 * number) for number in range(4)]
    place = place_in_series(visits[2])
    assert place is not None
    assert (place.number, place.count) == (3, 4)
    assert [one.pk for one in following(visits[1], visits=place.visits, now=now)] == [one.pk for one in visits[1:]]
    assert place_in_series(practice.book(now=now, at=time(15))) is None


def test_none_is_booked_where_one_cannot_be(practice: Practice, now: datetime) -> None:
    practice.book(now=now, day=FIRST + timedelta(weeks=4))

    with pytest.raises(SlotTakenError):
        book(practice, now=now)

    assert Appointment.objects.for_clinic(practice.clinic).count() == 1
    assert VisitSeries.objects.for_clinic(practice.clinic).count() == 0


def test_a_series_keeps_its_clock_time_over_a_change_of_clocks(practice: Practice, now: datetime) -> None:
    over_the_end_of_summer = wish(practice, first=date(2026, 10, 20), count=2, weeks=1)

    before, after = book_series(practice.clinic, wish=over_the_end_of_summer, actor=DESK, now=now)

    assert (before.local_time, after.local_time) == (time(10, 30), time(10, 30))
    assert (before.starts_at.hour, after.starts_at.hour) == (8, 9)


@pytest.mark.parametrize("count", [0, 1, 27])
def test_a_series_has_a_size(practice: Practice, now: datetime, count: int) -> None:
    with pytest.raises(SeriesSizeError):
        book(practice, now=now, count=count)


def test_the_same_form_or_the_same_wish_again_books_nothing(practice: Practice, now: datetime) -> None:
    visits = book(practice, now=now, form_token=TOKEN)

    by_form = book(practice, now=now, form_token=TOKEN)
    by_wish = book(practice, now=now)

    assert by_form == by_wish == visits
    assert VisitSeries.objects.for_clinic(practice.clinic).count() == 1


def test_another_clinic_sees_none_of_them(practice: Practice, now: datetime) -> None:
    visits = book(practice, now=now)
    other = ClinicFactory.create()

    assert VisitSeries.objects.for_clinic(other).count() == 0
    with pytest.raises(ChangedMeanwhileError):
        cancel_several(other, moves=moves(visits, practice=practice, days=0), actor=DESK, reason="ill", now=now)


def test_who_is_merged_leaves_the_series_to_whom_is_kept(practice: Practice, now: datetime) -> None:
    visits = book(practice, now=now)
    kept = practice.add("Ana Núñez Gil", now=now)

    merge_patients(practice.clinic, kept_id=kept.pk, gone_id=practice.ana.pk, actor=DESK, now=now)

    assert VisitSeries.objects.for_clinic(practice.clinic).get().patient_id == kept.pk
    assert {one.patient_id for one in visits_of_series(visits[0])} == {kept.pk}


# What the patient hears


def test_one_message_tells_of_all_of_them(speaking: Practice, channel: FakeChannel, now: datetime) -> None:
    book(speaking, now=now)

    run(now=now)
    deliver_all_again(now=now)
    run(now=now)

    (text,) = said(channel)
    assert text.startswith("visits_booked/es: ")
    assert "mar 21 abr, 10:30; mar 5 may, 10:30; mar 19 may, 10:30; mar 2 jun, 10:30" in text
    assert len(notices(speaking)) == 1


def test_what_does_not_fit_is_counted(speaking: Practice, channel: FakeChannel, now: datetime) -> None:
    book_series(speaking.clinic, wish=wish(speaking, count=26, weeks=1), actor=DESK, now=now)

    run(now=now)

    (text,) = said(channel)
    assert "y 17 más" in text
    assert "mar 21 abr, 10:30" in text


def test_one_that_moved_before_it_was_told_is_told_of_alone(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    visits = book(speaking, now=now)
    slot = speaking.slot(visits[1].local_date, time(12))
    reschedule_appointment(speaking.clinic, appointment_id=visits[1].pk, slot=slot, actor=DESK, now=now)

    run(now=now)

    texts = sorted(said(channel))
    assert [text.partition("/")[0] for text in texts] == ["visit_booked", "visits_booked"]
    assert "mar 5 may, 12:00" in texts[0]
    assert "5 may" not in texts[1]


def test_who_is_told_in_person_gets_no_message(speaking: Practice, channel: FakeChannel, now: datetime) -> None:
    asked = wish(speaking)
    book_series(
        speaking.clinic,
        wish=SeriesWish(
            patient=asked.patient,
            service=asked.service,
            slots=asked.slots,
            every=2,
            unit=SeriesUnit.WEEKS,
            notify=False,
        ),
        actor=DESK,
        now=now,
    )

    run(now=now)

    assert said(channel) == []


def test_each_is_reminded_of_by_itself(
    speaking: Practice, channel: FakeChannel, default_rules: None, now: datetime
) -> None:
    visits = book(speaking, now=now)
    run(now=now)
    the_day_before = now.replace(day=20, hour=8, minute=30)

    run(now=the_day_before)

    texts = said(channel)[1:]
    assert [text.partition("/")[0] for text in texts] == ["visit_reminder_ask"]
    assert len(visits) == 4


def test_a_yes_to_the_booking_confirms_none_of_them(speaking: Practice, now: datetime) -> None:
    visits = book(speaking, now=now)
    run(now=now)

    hear(
        speaking.clinic, now=now, text="Sí, gracias", answers=last_message(speaking.clinic, "appointments.visit_notice")
    )
    run(now=now)

    assert {one.status for one in visits_of_series(visits[0])} == {AppointmentStatus.BOOKED}


def test_a_yes_to_the_booking_confirms_what_comes_so_soon_that_nothing_else_asks(
    speaking: Practice, now: datetime
) -> None:
    tomorrow = (now + timedelta(days=1)).date()
    visits = book_series(speaking.clinic, wish=wish(speaking, first=tomorrow, count=2), actor=DESK, now=now)
    run(now=now)

    hear(speaking.clinic, now=now, text="Sí", answers=last_message(speaking.clinic, "appointments.visit_notice"))
    run(now=now)

    assert [one.status for one in visits_of_series(visits[0])] == [
        AppointmentStatus.CONFIRMED,
        AppointmentStatus.BOOKED,
    ]


@pytest.mark.parametrize(("count", "is_quoted"), [(1, True), (2, True), (2, False)])
def test_a_yes_to_a_cancellation_asks_for_other_times_and_a_person_sees_it(
    speaking: Practice, now: datetime, count: int, is_quoted: bool
) -> None:
    visits = book(speaking, now=now, count=2)
    run(now=now)
    gone = moves(visits[:count], practice=speaking, days=0)
    cancel_several(speaking.clinic, moves=gone, actor=DESK, reason="ill", now=now)
    run(now=now)
    told = last_message(speaking.clinic, "appointments.visit_notice")
    assert told.text_name == ("visit_cancelled_by_clinic" if count == 1 else "visits_cancelled_by_clinic")

    inbound = hear(speaking.clinic, now=now, text="Sí", answers=told if is_quoted else None)
    run(now=now)

    inbound.refresh_from_db()
    assert inbound.outcome != "acknowledged"
    assert StaffTask.objects.for_clinic(speaking.clinic).exists()


def test_a_wish_to_cancel_is_asked_back(speaking: Practice, channel: FakeChannel, now: datetime) -> None:
    visits = book(speaking, now=now)
    run(now=now)
    told = last_message(speaking.clinic, "appointments.visit_notice")

    hear(speaking.clinic, now=now, action="cancel", answers=told)
    run(now=now)

    assert {one.status for one in visits_of_series(visits[0])} == {AppointmentStatus.BOOKED}
    assert last_message(speaking.clinic, "appointments.answer").text_name == "answer_which_cancel"


def test_they_are_listed_in_order_of_time_whatever_their_numbers(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    slots = [speaking.slot(FIRST + timedelta(weeks=number), time(10, 30)) for number in range(3)]
    visits = book_series(
        speaking.clinic,
        wish=replace(wish(speaking), slots=[slots[2], slots[0], slots[1]]),
        actor=DESK,
        now=now,
    )
    run(now=now)
    slot = speaking.slot(FIRST - timedelta(days=1), time(12))
    reschedule_appointment(speaking.clinic, appointment_id=visits[2].pk, slot=slot, actor=DESK, now=now)
    seen = [SeriesMove(appointment_id=one.pk, notice_version=one.notice_version) for one in visits_of_series(visits[0])]
    cancel_several(speaking.clinic, moves=seen, actor=DESK, reason="ill", now=now)
    run(now=now)

    booked, cancelled = said(channel)
    assert "mar 21 abr, 10:30; mar 28 abr, 10:30; mar 5 may, 10:30" in booked
    assert "mar 21 abr, 10:30; mar 28 abr, 10:30; mar 5 may, 10:30" in cancelled


# One of them alone


def test_what_is_done_to_one_touches_no_other(speaking: Practice, channel: FakeChannel, now: datetime) -> None:
    visits = book(speaking, now=now)
    run(now=now)
    slot = speaking.slot(visits[0].local_date, time(12))

    reschedule_appointment(speaking.clinic, appointment_id=visits[0].pk, slot=slot, actor=DESK, now=now)
    cancel_appointment(speaking.clinic, appointment_id=visits[3].pk, actor=DESK, reason="ill", now=now)
    run(now=now)

    assert [text.partition("/")[0] for text in said(channel)[1:]] == ["visit_moved", "visit_cancelled_by_clinic"]
    assert [one.notice_version for one in visits_of_series(visits[0])] == [2, 1, 1, 2]


# This one and those that follow


def test_cancelling_those_that_follow_is_told_once(speaking: Practice, channel: FakeChannel, now: datetime) -> None:
    visits = book(speaking, now=now)
    run(now=now)

    cancel_several(
        speaking.clinic, moves=moves(visits[1:], practice=speaking, days=0), actor=DESK, reason="ill", now=now
    )
    run(now=now)
    deliver_all_again(now=now)
    run(now=now)

    (text,) = said(channel)[1:]
    assert text.startswith("visits_cancelled_by_clinic/es: ")
    assert "mar 5 may, 10:30; mar 19 may, 10:30; mar 2 jun, 10:30" in text
    assert [one.is_live for one in visits_of_series(visits[0])] == [True, False, False, False]


def test_cancelling_what_was_never_told_is_silent(speaking: Practice, channel: FakeChannel, now: datetime) -> None:
    visits = book(speaking, now=now)

    cancel_several(speaking.clinic, moves=moves(visits, practice=speaking, days=0), actor=DESK, reason="ill", now=now)
    run(now=now)

    assert said(channel) == []


def test_staff_say_why_they_cancel(practice: Practice, now: datetime) -> None:
    visits = book(practice, now=now)

    with pytest.raises(ReasonMissingError):
        cancel_several(practice.clinic, moves=moves(visits, practice=practice, days=0), actor=DESK, reason=" ", now=now)


def test_moving_those_that_follow_is_told_once_and_one_may_go_where_another_stood(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    visits = book(speaking, now=now)
    run(now=now)

    move_several(speaking.clinic, moves=moves(visits[1:], practice=speaking, days=14), actor=DESK, now=now)
    run(now=now)

    (text,) = said(channel)[1:]
    assert text.startswith("visits_moved/es: ")
    assert "mar 5 may, 10:30, mar 19 may, 10:30; mar 2 jun, 10:30; mar 16 jun, 10:30" in text
    assert [one.local_date for one in visits_of_series(visits[0])][1:] == [
        date(2026, 5, 19),
        date(2026, 6, 2),
        date(2026, 6, 16),
    ]


def test_none_moves_where_one_cannot(practice: Practice, now: datetime) -> None:
    visits = book(practice, now=now)
    practice.book(now=now, day=visits[3].local_date + timedelta(days=1))

    with pytest.raises(SlotTakenError):
        move_several(practice.clinic, moves=moves(visits, practice=practice, days=1), actor=DESK, now=now)

    assert [one.local_date for one in visits_of_series(visits[0])] == [one.local_date for one in visits]


def test_what_somebody_changed_meanwhile_is_looked_at_again(practice: Practice, now: datetime) -> None:
    visits = book(practice, now=now)
    seen = moves(visits, practice=practice, days=1)
    slot = practice.slot(visits[2].local_date, time(12))
    reschedule_appointment(practice.clinic, appointment_id=visits[2].pk, slot=slot, actor=DESK, now=now)

    for act in (move_several, cancel_several):
        more = {"reason": "ill"}
        with pytest.raises(ChangedMeanwhileError):
            act(practice.clinic, moves=seen, actor=DESK, now=now, **more)

    assert [one.notice_version for one in visits_of_series(visits[0])] == [1, 1, 2, 1]


def test_one_of_them_that_moved_before_the_message_went_is_told_of_alone(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    visits = book(speaking, now=now)
    run(now=now)
    move_several(speaking.clinic, moves=moves(visits, practice=speaking, days=1), actor=DESK, now=now)
    deliver_all(now=now)
    cancel_appointment(speaking.clinic, appointment_id=visits[0].pk, actor=DESK, reason="ill", now=now)
    run(now=now)
    run(now=now + timedelta(minutes=1))  # Until then it waits for the older one, which spoke of it when it was queued.

    texts = sorted(text for text in said(channel)[1:])
    assert [text.partition("/")[0] for text in texts] == ["visit_cancelled_by_clinic", "visits_moved"]
    assert "22 abr" not in texts[1]
