"""Reminders of a household go together, at sending hours, and only what is still true is said."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import pytest

from appointments.message_names import REMINDER
from appointments.models import Appointment, Closure, Patient
from appointments.queries.rule_effects import RuleWish, SendHoursWish
from appointments.usecases.booking import cancel_appointment, confirm_appointment, reschedule_appointment
from appointments.usecases.rules import add_rule, set_send_hours
from clinicbot import clock
from clinicbot.ticks import Deadline
from messaging.models import Message, MessageState
from messaging.usecases.looking_again import look_at_held
from scheduler.usecases.working import run_due_jobs
from tests.appointments.chat import run, said
from tests.appointments.making import DESK, Practice
from tests.canary import values
from tests.drive import deliver_all
from tests.messaging.sending.fakes import FakeChannel

TUESDAY = date(2026, 4, 21)
EVE = RuleWish(days_before=1)  # At the visit's own time of day.
EVE_AT_TEN = RuleWish(days_before=1, at_time=time(10))


def at(day: int, hour: int, minute: int = 1) -> datetime:
    """April, at the clinic in Madrid."""
    return datetime(2026, 4, day, hour - 2, minute, tzinfo=UTC)


@pytest.fixture
def leo(speaking: Practice, now: datetime) -> Patient:
    """Ana's child, on her phone."""
    return speaking.add("Leo Ruiz", phone=values.ANA_TYPED, now=now)


def book_both(practice: Practice, leo: Patient, *, now: datetime) -> tuple[Appointment, Appointment]:
    anas = practice.book(now=now, day=TUESDAY, at=time(10, 30))
    leos = practice.book(now=now, day=TUESDAY, at=time(12), patient=leo)
    run(now=now)
    return anas, leos


def reminders(channel: FakeChannel) -> list[str]:
    return [text for text in said(channel) if text.startswith(("visit_reminder", "visits_reminder"))]


def states(practice: Practice) -> list[tuple[str, str]]:
    found = Message.objects.for_clinic(practice.clinic).filter(kind=REMINDER).order_by("pk")
    return [(message.state, message.reason) for message in found]


def test_a_family_on_one_phone_is_reminded_once_at_the_earliest_time(
    speaking: Practice, channel: FakeChannel, leo: Patient, now: datetime
) -> None:
    """clinics C34b, recommendation 4."""
    add_rule(speaking.clinic, wish=EVE, now=now)
    book_both(speaking, leo, now=now)

    run(now=at(20, 10, 31))
    run(now=at(20, 12, 1))

    assert len(reminders(channel)) == 1
    assert "10:30 Ana, 12:00 Leo" in reminders(channel)[0]
    assert reminders(channel)[0].startswith("visits_reminder_ask/es")


def test_two_visits_of_one_person_that_follow_upon_each_other_are_one_stay(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    """clinics C35."""
    add_rule(speaking.clinic, wish=EVE_AT_TEN, now=now)
    for hour in (time(10), time(10, 30), time(17)):
        speaking.book(now=now, day=TUESDAY, at=hour)
    run(now=now)

    run(now=at(20, 10))

    assert len(reminders(channel)) == 1
    assert "10:00 Ana (2 citas, aproximadamente 1 hora), 17:00 Ana" in reminders(channel)[0]


def test_who_speaks_another_language_or_has_another_phone_is_reminded_apart(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    add_rule(speaking.clinic, wish=EVE_AT_TEN, now=now)
    kim = speaking.add("Kim Lee", phone=values.ANA_TYPED, language="pt", now=now)
    eva = speaking.add("Eva Sanz", phone="+34 612 999 000", now=now)
    for hour, patient in ((9, speaking.ana), (10, kim), (11, eva)):
        speaking.book(now=now, day=TUESDAY, at=time(hour), patient=patient)
    run(now=now)

    run(now=at(20, 10))

    assert len(states(speaking)) == 3


def test_only_what_still_stands_is_said(speaking: Practice, channel: FakeChannel, leo: Patient, now: datetime) -> None:
    add_rule(speaking.clinic, wish=EVE_AT_TEN, now=now)
    _anas, leos = book_both(speaking, leo, now=now)
    run_until_queued(now=at(20, 10))

    cancel_appointment(speaking.clinic, appointment_id=leos.pk, actor=DESK, reason="ill", now=at(20, 10))
    run(now=at(20, 10))

    assert [text.split("/")[0] for text in reminders(channel)] == ["visit_reminder_ask"]
    assert "Leo" not in reminders(channel)[0]


def test_a_bundle_of_which_nothing_stands_is_left_out(
    speaking: Practice, channel: FakeChannel, leo: Patient, now: datetime
) -> None:
    add_rule(speaking.clinic, wish=EVE_AT_TEN, now=now)
    anas, leos = book_both(speaking, leo, now=now)
    run_until_queued(now=at(20, 10))

    for visit in (anas, leos):
        cancel_appointment(speaking.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=at(20, 10))
    run(now=at(20, 10))

    assert reminders(channel) == []
    assert states(speaking) == [(MessageState.SKIPPED, "cancelled")]


def test_one_moved_away_is_reminded_of_its_new_day_alone(
    speaking: Practice, channel: FakeChannel, leo: Patient, now: datetime
) -> None:
    add_rule(speaking.clinic, wish=EVE_AT_TEN, now=now)
    _anas, leos = book_both(speaking, leo, now=now)
    thursday = speaking.slot(date(2026, 4, 23), time(12))
    reschedule_appointment(speaking.clinic, appointment_id=leos.pk, slot=thursday, actor=DESK, now=now)
    run(now=now)

    for day in (20, 22):
        run(now=at(day, 10))

    assert ["Leo" in text for text in reminders(channel)] == [False, True]


def test_once_all_have_confirmed_nothing_is_asked(
    speaking: Practice, channel: FakeChannel, leo: Patient, now: datetime
) -> None:
    add_rule(speaking.clinic, wish=EVE_AT_TEN, now=now)
    for visit in book_both(speaking, leo, now=now):
        confirm_appointment(speaking.clinic, appointment_id=visit.pk, actor=DESK, now=now)

    run(now=at(20, 10))

    assert reminders(channel)[0].startswith("visits_reminder/es")


def test_a_visit_told_of_just_now_does_not_come_along(
    speaking: Practice, channel: FakeChannel, leo: Patient, now: datetime
) -> None:
    """Twelve hours from its confirmation, in company as alone."""
    add_rule(speaking.clinic, wish=EVE_AT_TEN, now=now)
    speaking.book(now=now, day=TUESDAY, at=time(10, 30))
    run(now=now)
    speaking.book(now=at(20, 9), day=TUESDAY, at=time(12), patient=leo)
    run(now=at(20, 9))

    run(now=at(20, 10))

    assert "Leo" not in reminders(channel)[0]


def test_a_reminder_made_late_by_an_outage_goes_at_the_next_opening(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    add_rule(speaking.clinic, wish=EVE_AT_TEN, now=now)
    speaking.book(now=now, day=TUESDAY, at=time(15))
    run(now=now)

    run(now=at(20, 23))
    assert states(speaking) == [(MessageState.HELD, "quiet_hours")]
    assert reminders(channel) == []
    look_at_held_and_run(now=at(21, 9))

    assert len(reminders(channel)) == 1


def test_of_two_that_an_outage_made_late_only_the_later_goes(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    add_rule(speaking.clinic, wish=RuleWish(days_before=3, at_time=time(10)), now=now)
    add_rule(speaking.clinic, wish=EVE_AT_TEN, now=now)
    speaking.book(now=now, day=TUESDAY, at=time(15))
    run(now=now)

    run(now=at(20, 9))
    run(now=at(20, 10))

    assert len(reminders(channel)) == 1
    assert states(speaking)[0] == (MessageState.SKIPPED, "too_close_to_another")


def test_both_due_at_once_after_an_outage_make_one_message(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    add_rule(speaking.clinic, wish=RuleWish(days_before=3, at_time=time(10)), now=now)
    add_rule(speaking.clinic, wish=EVE_AT_TEN, now=now)
    speaking.book(now=now, day=TUESDAY, at=time(15))
    run(now=now)

    run(now=at(20, 12))
    run(now=at(20, 12, 10))

    assert len(reminders(channel)) == 1


def test_a_closure_made_later_brings_the_reminder_forward(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    add_rule(speaking.clinic, wish=EVE_AT_TEN, now=now)
    speaking.book(now=now, day=TUESDAY, at=time(15))
    run(now=now)
    Closure.objects.create(clinic=speaking.clinic, begins_on=date(2026, 4, 20), ends_on=date(2026, 4, 20))

    set_send_hours(speaking.clinic, wish=SendHoursWish(begins=time(9), ends=time(20)), now=at(19, 9))
    run(now=at(19, 10))
    run(now=at(20, 10))

    assert len(reminders(channel)) == 1


def test_a_closure_made_after_the_earlier_time_has_passed_sends_at_once(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    add_rule(speaking.clinic, wish=EVE_AT_TEN, now=now)
    speaking.book(now=now, day=TUESDAY, at=time(15))
    run(now=now)
    Closure.objects.create(clinic=speaking.clinic, begins_on=date(2026, 4, 20), ends_on=date(2026, 4, 20))

    set_send_hours(speaking.clinic, wish=SendHoursWish(begins=time(9), ends=time(20)), now=at(19, 16))
    run(now=at(19, 16))

    assert len(reminders(channel)) == 1


def test_a_plan_that_has_moved_to_later_waits_for_it(speaking: Practice, channel: FakeChannel, now: datetime) -> None:
    closure = Closure.objects.create(clinic=speaking.clinic, begins_on=date(2026, 4, 20), ends_on=date(2026, 4, 20))
    add_rule(speaking.clinic, wish=EVE_AT_TEN, now=now)
    speaking.book(now=now, day=TUESDAY, at=time(15))
    run(now=now)
    closure.delete()

    run(now=at(19, 10))
    assert reminders(channel) == []
    run(now=at(20, 10))

    assert len(reminders(channel)) == 1


def test_one_only_for_the_unconfirmed_is_dropped_when_three_went(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    for days in (3, 2, 1):
        add_rule(speaking.clinic, wish=RuleWish(days_before=days, at_time=time(10)), now=now)
    add_rule(speaking.clinic, wish=RuleWish(hours_before=2, only_if_unconfirmed=True), now=now)
    speaking.book(now=now, day=TUESDAY, at=time(15))
    run(now=now)

    for moment in (at(18, 10), at(19, 10), at(20, 10), at(21, 13)):
        run(now=moment)

    assert len(reminders(channel)) == 3
    assert states(speaking)[-1] == (MessageState.SKIPPED, "enough_already")


def run_until_queued(*, now: datetime) -> None:
    """The reminder is on its way, and no wave has taken it."""
    deliver_all(now=now)
    run_due_jobs(now=now, real=clock.real(), deadline=Deadline(60))


def look_at_held_and_run(*, now: datetime) -> None:
    look_at_held(real=clock.real(), now=now, deadline=Deadline(60))
    run(now=now)
