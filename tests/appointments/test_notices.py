"""What the patient hears of a visit: every change once, old and new together, nothing of what never was announced."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import pytest

from appointments.usecases.booking import cancel_appointment, confirm_appointment, reschedule_appointment
from appointments.usecases.importing import import_visit
from clinicbot import clock
from clinicbot.ticks import Deadline
from messaging.models import Message, MessageState
from messaging.usecases.rounds import send_batch
from scheduler.models import JobState, ScheduledJob
from scheduler.usecases.working import run_due_jobs
from tests.appointments.chat import run, said
from tests.appointments.making import DESK, Practice, make_practice
from tests.drive import deliver_all, deliver_all_again
from tests.messaging.sending.fakes import FakeChannel

TUESDAY = date(2026, 4, 21)
BOOKED = "visit_booked/es: Clinic"


def reasons(practice: Practice) -> list[tuple[str, str]]:
    """State and reason of each message, oldest first."""
    messages = Message.objects.for_clinic(practice.clinic).order_by("pk")
    return list(messages.values_list("state", "reason"))


def test_a_booking_brings_one_confirmation(speaking: Practice, channel: FakeChannel, now: datetime) -> None:
    speaking.book(now=now, day=TUESDAY, at=time(10, 30))

    run(now=now)
    deliver_all_again(now=now)
    run(now=now)

    assert len(channel.calls) == 1
    assert said(channel)[0].startswith("visit_booked/es:")
    assert "mar 21 abr, 10:30" in said(channel)[0]
    assert "Ana" in said(channel)[0]


def test_a_visit_soon_asks_for_a_yes_at_once(speaking: Practice, channel: FakeChannel, now: datetime) -> None:
    speaking.book(now=now, day=date(2026, 4, 15), at=time(10, 30))

    run(now=now)

    assert said(channel)[0].startswith("visit_booked_ask/es:")


@pytest.mark.parametrize(
    ("ahead", "text"),
    [(timedelta(hours=35, minutes=59), "visit_booked_ask/es:"), (timedelta(hours=36), "visit_booked/es:")],
)
def test_a_yes_is_asked_for_at_once_only_under_36_hours(
    speaking: Practice, channel: FakeChannel, now: datetime, ahead: timedelta, text: str
) -> None:
    starts_at = speaking.slot(TUESDAY, time(10, 30)).starts_at

    speaking.book(now=starts_at - ahead, day=TUESDAY, at=time(10, 30))
    run(now=starts_at - ahead)

    assert [words.startswith(text) for words in said(channel)] == [True]


def test_a_move_tells_old_and_new_in_one_message(speaking: Practice, channel: FakeChannel, now: datetime) -> None:
    visit = speaking.book(now=now, day=TUESDAY, at=time(10, 30))
    run(now=now)

    reschedule_appointment(
        speaking.clinic, appointment_id=visit.pk, slot=speaking.slot(TUESDAY, time(16)), actor=DESK, now=now
    )
    run(now=now)

    assert len(channel.calls) == 2
    assert said(channel)[1].startswith("visit_moved/es:")
    assert "mar 21 abr, 10:30" in said(channel)[1]
    assert "mar 21 abr, 16:00" in said(channel)[1]


def test_what_moved_before_anybody_was_told_is_confirmed_where_it_stands(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    visit = speaking.book(now=now, day=TUESDAY, at=time(10, 30))
    reschedule_appointment(
        speaking.clinic, appointment_id=visit.pk, slot=speaking.slot(TUESDAY, time(16)), actor=DESK, now=now
    )

    run(now=now)

    assert len(channel.calls) == 1
    assert said(channel)[0].startswith("visit_booked/es:")
    assert "16:00" in said(channel)[0]
    assert "10:30" not in said(channel)[0]


def test_a_move_overtakes_a_confirmation_that_waits(speaking: Practice, channel: FakeChannel, now: datetime) -> None:
    visit = speaking.book(now=now, day=TUESDAY, at=time(10, 30))
    deliver_all(now=now)
    reschedule_appointment(
        speaking.clinic, appointment_id=visit.pk, slot=speaking.slot(TUESDAY, time(16)), actor=DESK, now=now
    )

    run(now=now)

    assert [state for state, _reason in reasons(speaking)] == [MessageState.CANCELLED, MessageState.ACCEPTED]
    assert len(channel.calls) == 1


def test_two_moves_in_a_row_tell_the_last_time_the_patient_heard_of(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    visit = speaking.book(now=now, day=TUESDAY, at=time(10, 30))
    run(now=now)
    for at in (time(12), time(16)):
        reschedule_appointment(
            speaking.clinic, appointment_id=visit.pk, slot=speaking.slot(TUESDAY, at), actor=DESK, now=now
        )

    run(now=now)

    assert len(channel.calls) == 2
    assert "10:30" in said(channel)[1]
    assert "16:00" in said(channel)[1]
    assert "12:00" not in said(channel)[1]


def test_another_practitioner_at_the_same_time_is_told_as_such(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    visit = speaking.book(now=now, day=TUESDAY, at=time(10, 30))
    run(now=now)
    colleague = make_practice(speaking.clinic, now=now, name="Dr. Mateo Quiroga")

    slot = colleague.slot(TUESDAY, time(10, 30))
    reschedule_appointment(speaking.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=now)
    run(now=now)

    assert said(channel)[1].startswith("visit_reassigned/es:")
    assert "Dr. Mateo Quiroga" in said(channel)[1]


def test_there_and_back_again_says_nothing(speaking: Practice, channel: FakeChannel, now: datetime) -> None:
    visit = speaking.book(now=now, day=TUESDAY, at=time(10, 30))
    run(now=now)
    for at in (time(16), time(10, 30)):
        reschedule_appointment(
            speaking.clinic, appointment_id=visit.pk, slot=speaking.slot(TUESDAY, at), actor=DESK, now=now
        )

    run(now=now)

    assert len(channel.calls) == 1
    assert reasons(speaking)[-1] == (MessageState.SKIPPED, "already_told")


def test_a_cancellation_is_told_to_whoever_was_told_of_the_visit(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    visit = speaking.book(now=now, day=TUESDAY)
    run(now=now)

    cancel_appointment(speaking.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=now)
    run(now=now)

    assert said(channel)[1].startswith("visit_cancelled_by_clinic/es:")


def test_what_moved_and_was_cancelled_before_that_could_be_said_is_cancelled_by_the_time_the_patient_knows(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    visit = speaking.book(now=now, day=TUESDAY, at=time(10, 30))
    run(now=now)
    slot = speaking.slot(TUESDAY + timedelta(days=3), time(16))
    reschedule_appointment(speaking.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=now)
    cancel_appointment(speaking.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=now)

    run(now=now)

    assert [text.split("/")[0] for text in said(channel)[1:]] == ["visit_cancelled_by_clinic"]
    assert "mar 21 abr, 10:30" in said(channel)[1]


def test_a_visit_never_announced_is_cancelled_in_silence(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    visit = speaking.book(now=now, day=TUESDAY)
    cancel_appointment(speaking.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=now)

    run(now=now)

    assert channel.calls == []
    assert reasons(speaking)[-1] == (MessageState.SKIPPED, "never_announced")


def test_reminders_go_when_due_and_never_for_the_old_time(
    speaking: Practice, channel: FakeChannel, now: datetime, default_rules: None
) -> None:
    visit = speaking.book(now=now, day=TUESDAY, at=time(10, 30))
    run(now=now)
    moved_to = TUESDAY + timedelta(days=3)
    reschedule_appointment(
        speaking.clinic, appointment_id=visit.pk, slot=speaking.slot(moved_to, time(16)), actor=DESK, now=now
    )
    run(now=now)

    run(now=datetime(2026, 4, 20, 8, 1, tzinfo=now.tzinfo))
    after_the_old_moments = said(channel)
    run(now=datetime(2026, 4, 21, 8, 1, tzinfo=now.tzinfo))

    assert len(after_the_old_moments) == 2
    assert len(channel.calls) == 3
    assert said(channel)[2].startswith("visit_reminder_ask/es:")
    assert "vie 24 abr, 16:00" in said(channel)[2]
    skipped = ScheduledJob.objects.for_clinic(speaking.clinic).filter(state=JobState.SKIPPED)
    assert {job.reason for job in skipped} == {"moved"}


def test_a_cancelled_visit_is_not_reminded_of(
    speaking: Practice, channel: FakeChannel, now: datetime, default_rules: None
) -> None:
    visit = speaking.book(now=now, day=TUESDAY, at=time(10, 30))
    run(now=now)
    cancel_appointment(speaking.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=now)
    run(now=now)
    told = len(channel.calls)

    for day in (18, 20, 21):
        run(now=datetime(2026, 4, day, 8, 1, tzinfo=now.tzinfo))

    assert len(channel.calls) == told
    jobs = ScheduledJob.objects.for_clinic(speaking.clinic).filter(kind="appointments.send_reminder")
    assert {(job.state, job.reason) for job in jobs} == {(JobState.SKIPPED, "cancelled")}


@pytest.mark.parametrize("does", ["move", "cancel"])
def test_a_reminder_that_waits_to_be_sent_does_not_outlive_its_time(
    speaking: Practice, channel: FakeChannel, now: datetime, default_rules: None, does: str
) -> None:
    """Queued, and the visit changes a moment before the sender takes it; the event of the change is not delivered yet."""
    visit = speaking.book(now=now, day=TUESDAY, at=time(10, 30))
    run(now=now)
    due = datetime(2026, 4, 18, 8, 1, tzinfo=now.tzinfo)
    run_due_jobs(now=due, real=clock.real(), deadline=Deadline(60))
    if does == "cancel":
        cancel_appointment(speaking.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=due)
    else:
        slot = speaking.slot(TUESDAY, time(16))
        reschedule_appointment(speaking.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=due)

    send_batch(real=clock.real(), now=due, deadline=Deadline(60))

    assert len(channel.calls) == 1
    assert reasons(speaking)[-1] == (MessageState.SKIPPED, "moved" if does == "move" else "cancelled")


def test_a_confirmed_visit_is_reminded_without_a_question(
    speaking: Practice, channel: FakeChannel, now: datetime, default_rules: None
) -> None:
    visit = speaking.book(now=now, day=TUESDAY, at=time(15))
    run(now=now)
    confirm_appointment(speaking.clinic, appointment_id=visit.pk, actor=DESK, now=now)

    for day, hour, minute in ((18, 8, 1), (20, 8, 1), (21, 11, 1)):
        run(now=datetime(2026, 4, day, hour, minute, tzinfo=now.tzinfo))

    assert [text.split("/")[0] for text in said(channel)] == ["visit_booked", "visit_reminder", "visit_reminder"]
    assert reasons(speaking)[-1] == (MessageState.SKIPPED, "answered_already")


def test_a_reminder_too_late_to_be_useful_is_left_out(
    speaking: Practice, channel: FakeChannel, now: datetime, default_rules: None
) -> None:
    visit = speaking.book(now=now, day=TUESDAY, at=time(10, 30))
    run(now=now)

    run(now=visit.starts_at - timedelta(minutes=30))

    assert len(channel.calls) == 1
    jobs = ScheduledJob.objects.for_clinic(speaking.clinic).filter(kind="appointments.send_reminder")
    assert {job.reason for job in jobs} == {"too_late"}


def test_an_imported_visit_sends_nothing_and_is_reminded(
    speaking: Practice, channel: FakeChannel, now: datetime, default_rules: None
) -> None:
    for day in (date(2026, 4, 7), TUESDAY):
        import_visit(
            speaking.clinic,
            patient=speaking.ana,
            slot=speaking.slot(day, time(9)),
            service=speaking.service,
            remind_from=TUESDAY,
            now=now,
        )

    run(now=now)
    told_at_once = said(channel)
    run(now=datetime(2026, 4, 18, 8, 1, tzinfo=now.tzinfo))

    assert told_at_once == []
    assert [text.split("/")[0] for text in said(channel)] == ["visit_reminder_ask"]
