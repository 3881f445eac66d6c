"""Whom no message reached may have been called: what becomes of their visit is told by a person again."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import pytest
from django.urls import reverse

from appointments.models import Appointment, Patient
from appointments.usecases.booking import cancel_appointment, reschedule_appointment
from appointments.usecases.people import add_way_to_reach
from appointments.usecases.relocating import change_address
from clinicbot import clock
from clinicbot.models import Clinic
from messaging.channels.base import Outcome, Verdict
from messaging.contracts import Category, TaskReason
from messaging.models import Contact, Message, MessageState, StaffTask, TaskState
from messaging.usecases.contacts import clear_wrong_number, mark_wrong_number
from messaging.usecases.tasks import finish_task
from tests.appointments.chat import run, said
from tests.appointments.making import DESK, Practice
from tests.appointments.pages import at_desk
from tests.messaging.sending.fakes import FakeChannel

TUESDAY = date(2026, 4, 21)
HOUR = timedelta(hours=1)
UNREACHABLE = Outcome(verdict=Verdict.RECIPIENT_UNREACHABLE, code="131026", detail="x")
LAST_WORDS = "They get no message, so call them"


@pytest.fixture
def bea(speaking: Practice, now: datetime) -> Patient:
    return speaking.add("Bea Sola", now=now)


def open_calls(practice: Practice) -> list[str]:
    """Why, of each open task that asks to call."""
    tasks = StaffTask.objects.for_clinic(practice.clinic).filter(state=TaskState.OPEN)
    return list(tasks.filter(reason=TaskReason.NO_REACHABLE_CONTACT).values_list("detail", flat=True))


def call_all(practice: Practice, *, now: datetime) -> None:
    for task in StaffTask.objects.for_clinic(practice.clinic).filter(state=TaskState.OPEN):
        finish_task(practice.clinic.pk, task_id=task.pk, actor=DESK, now=now)


def cancel(practice: Practice, visit: Appointment, *, now: datetime) -> None:
    cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, reason="practitioner_away", now=now)
    run(now=now)


def move(practice: Practice, visit: Appointment, *, at: time, now: datetime) -> None:
    slot = practice.slot(TUESDAY, at)
    reschedule_appointment(practice.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=now)
    run(now=now)


def test_a_cancellation_for_somebody_without_a_number_is_a_call(
    speaking: Practice, bea: Patient, now: datetime
) -> None:
    # Given a visit whose patient was called, for want of a number
    visit = speaking.book(now=now, day=TUESDAY, patient=bea)
    run(now=now)
    call_all(speaking, now=now)

    # When the clinic cancels it
    cancel(speaking, visit, now=now + HOUR)

    # Then somebody is asked to call again
    assert open_calls(speaking) == ["no_contact"]


def test_so_is_one_where_the_number_is_not_on_whatsapp(speaking: Practice, channel: FakeChannel, now: datetime) -> None:
    channel.script = [UNREACHABLE] * 2
    visit = speaking.book(now=now, day=TUESDAY)
    run(now=now)
    run(now=now + timedelta(minutes=1))
    call_all(speaking, now=now)

    cancel(speaking, visit, now=now + HOUR)
    run(now=now + HOUR + timedelta(minutes=1))

    assert open_calls(speaking) == ["not_delivered"]


def test_one_that_still_waited_is_silent(speaking: Practice, bea: Patient, now: datetime) -> None:
    visit = speaking.book(now=now, day=TUESDAY, patient=bea)

    cancel(speaking, visit, now=now)

    assert open_calls(speaking) == []
    last = Message.objects.for_clinic(speaking.clinic).latest("pk")
    assert (last.state, last.reason) == (MessageState.SKIPPED, "never_announced")


def test_moved_there_by_phone_and_back_is_said_although_they_read_of_the_first_time(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    # Given somebody who read of the visit, and whom the message about another time did not reach
    visit = speaking.book(now=now, day=TUESDAY, at=time(10))
    run(now=now)
    channel.script = [UNREACHABLE] * 2
    move(speaking, visit, at=time(16), now=now + HOUR)
    run(now=now + HOUR + timedelta(minutes=1))
    call_all(speaking, now=now + HOUR)

    # When it goes back
    move(speaking, visit, at=time(10), now=now + 2 * HOUR)
    run(now=now + 2 * HOUR + timedelta(minutes=1))

    # Then it is not taken for known
    assert open_calls(speaking) == ["not_delivered"]


@pytest.mark.parametrize("is_read", [True, False])
def test_what_is_told_after_it_names_what_they_read_last(
    speaking: Practice, channel: FakeChannel, now: datetime, is_read: bool
) -> None:
    """Whoever was not called would not know which visit is meant; and one never announced is confirmed (DESIGN 4, Overtaken)."""
    # Given a move that did not reach them, and perhaps not even the booking
    channel.script = [] if is_read else [UNREACHABLE] * 2
    visit = speaking.book(now=now, day=TUESDAY, at=time(10))
    run(now=now)
    contact = Contact.objects.for_clinic(speaking.clinic).get()
    mark_wrong_number(speaking.clinic.pk, contact_id=contact.pk, now=now)
    move(speaking, visit, at=time(16), now=now + HOUR)
    clear_wrong_number(speaking.clinic.pk, contact_id=contact.pk)
    Contact.objects.for_clinic(speaking.clinic).update(unreachable_since=None)

    # When it moves on, and they can be reached again
    move(speaking, visit, at=time(18), now=now + 2 * HOUR)

    # Then they are told from when
    last = said(channel)[-1]
    assert last.startswith("visit_moved/es:" if is_read else "visit_booked/es:")
    assert ("10:00" in last, "16:00" in last, "18:00" in last) == (is_read, False, True)


def test_another_address_is_a_call_for_who_has_no_number(speaking: Practice, bea: Patient, now: datetime) -> None:
    Clinic.objects.filter(pk=speaking.clinic.pk).update(address="Calle Feria 12")
    speaking.book(now=now, day=TUESDAY, patient=bea)
    run(now=now)
    call_all(speaking, now=now)

    change_address(speaking.clinic.pk, address="Plaza Nueva 3", tells=True, now=now + HOUR)
    run(now=now + HOUR)

    assert open_calls(speaking) == ["no_contact"]


def test_who_was_given_a_number_since_reads_the_cancellation(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    """Whether they were called, nobody can say: silence may bring them for nothing."""
    leo = speaking.add("Leo Sola", now=now)
    visit = speaking.book(now=now, day=TUESDAY, patient=leo)
    run(now=now)
    add_way_to_reach(
        speaking.clinic, patient=leo, phone="+34 612 345 678", agreed_to=(Category.VISITS,), actor=DESK, now=now
    )

    cancel(speaking, visit, now=now + HOUR)

    assert len(said(channel)) == 1


def test_the_pages_say_before_and_after_that_they_must_be_called(speaking: Practice) -> None:
    now = clock.now()
    bea = speaking.add("Bea Sola", now=now)
    visit = speaking.book(now=now, day=(now + timedelta(days=5)).date(), patient=bea)
    run(now=now)
    desk, url = at_desk(speaking.clinic), reverse("visit-cancel", args=[visit.pk])

    before = desk.get(url).content.decode()
    after = desk.post(url, {"common": "practitioner_away", "own": ""}, follow=True).content.decode()

    assert "they cannot be reached, so call them" in before and LAST_WORDS not in before
    assert LAST_WORDS in after
