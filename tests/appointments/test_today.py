"""What a day shows of each visit."""

from __future__ import annotations

from datetime import datetime, time, timedelta

from appointments.message_names import NOTICE
from appointments.queries.today import Day, Gap, Row, day_at
from appointments.usecases.booking import cancel_appointment, confirm_appointment
from clinicbot.actors import Actor
from messaging.models import Message, MessageState
from tests.appointments.chat import hear, last_message, run
from tests.appointments.making import DESK, Practice


def rows(day: Day) -> list[Row]:
    return [item for lane in day.lanes for item in lane.items if isinstance(item, Row)]


def tomorrow(practice: Practice, now: datetime, *, only: str = "") -> Day:
    return day_at(practice.clinic, day=(now + timedelta(days=1)).date(), now=now, only=only)


def book(practice: Practice, now: datetime, at: time = time(10, 30)) -> int:
    return practice.book(now=now, day=(now + timedelta(days=1)).date(), at=at).pk


def test_an_asked_visit_without_an_answer_is_not_confirmed(speaking: Practice, now: datetime) -> None:
    book(speaking, now)
    run(now=now)

    (row,) = rows(tomorrow(speaking, now))

    assert (row.chip, row.marks) == ("unconfirmed", ("sent",))


def test_a_yes_by_tap_or_by_phone_is_quiet(speaking: Practice, now: datetime) -> None:
    by_tap, by_phone = book(speaking, now), book(speaking, now, time(12))
    run(now=now)
    first = Message.objects.for_clinic(speaking.clinic).filter(subjects__subject_id=str(by_tap)).get()
    hear(speaking.clinic, now=now, action="confirm", answers=first)
    run(now=now)
    confirm_appointment(speaking.clinic, appointment_id=by_phone, actor=DESK, now=now)

    tapped, phoned = rows(tomorrow(speaking, now))

    assert (tapped.chip, tapped.marks[-1]) == ("", "yes")
    assert (phoned.chip, phoned.marks) == ("", ("sent", "yes"))


def test_a_wish_to_change_and_a_failure_are_counted_and_can_be_looked_at_alone(
    speaking: Practice, now: datetime
) -> None:
    book(speaking, now)
    run(now=now)
    Message.objects.for_clinic(speaking.clinic).update(answered_with="change")  # As the webhook notes a tap.
    lost = book(speaking, now, time(12))
    run(now=now)
    Message.objects.for_clinic(speaking.clinic).filter(subjects__subject_id=str(lost)).update(state=MessageState.FAILED)

    day, only = tomorrow(speaking, now), tomorrow(speaking, now, only="failed")

    assert (day.counts["change"], day.counts["failed"]) == (1, 1)
    assert [row.chip for row in rows(day)] == ["change", "failed"]
    assert [row.visit.pk for row in rows(only)] == [lost]
    assert only.booked == 2


def test_what_nobody_understood_needs_a_person(speaking: Practice, now: datetime) -> None:
    book(speaking, now)
    run(now=now)
    hear(speaking.clinic, now=now, text="hm?", answers=last_message(speaking.clinic, NOTICE))
    run(now=now)

    (row,) = rows(tomorrow(speaking, now))

    assert "person" in row.flags


def test_cancelled_visits_leave_the_day(speaking: Practice, now: datetime) -> None:
    visit = book(speaking, now)
    cancel_appointment(speaking.clinic, appointment_id=visit, actor=Actor.system(), now=now)

    assert rows(tomorrow(speaking, now)) == []


def test_breaks_and_now_stand_among_the_visits(speaking: Practice, now: datetime) -> None:
    speaking.practitioner.hours.update(ends=time(13))
    for hours in list(speaking.practitioner.hours.all()):
        hours.pk, hours.begins, hours.ends = None, time(15), time(20)
        hours.save()
    for at in (time(9, 30), time(12), time(16)):
        speaking.book(now=now, day=now.date(), at=at)

    lane = day_at(speaking.clinic, day=now.date(), now=now + timedelta(hours=3)).lanes[0]

    kinds = ["now" if item is None else type(item).__name__ for item in lane.items]
    assert kinds == ["Row", "now", "Row", "Gap", "Row"]
    assert next(item for item in lane.items if isinstance(item, Gap)) == Gap(begins=time(13), ends=time(15))
    assert (lane.booked, lane.done) == (3, 1)
