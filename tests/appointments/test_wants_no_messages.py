"""Somebody who said stop hears from a person what must be heard: that their visit was moved or cancelled."""

from __future__ import annotations

import itertools
from datetime import date, datetime, time, timedelta

import pytest
from django.urls import reverse

from appointments.models import Appointment
from appointments.queries.desk_tasks import desk_tasks
from appointments.queries.today import day_at
from appointments.usecases.booking import cancel_appointment, reschedule_appointment
from appointments.usecases.patient_page import Shown, cancel_shown, move_shown
from clinicbot import clock
from messaging.contracts import Category, ConsentSource, TaskReason
from messaging.models import Contact, Message, MessageState
from messaging.usecases.consents import withdraw
from tests.appointments.chat import run
from tests.appointments.making import DESK, Practice, make_practice
from tests.appointments.pages import at_desk, book_url, booked, code

TUESDAY = date(2026, 4, 21)
AFTER_ALL_REMINDERS = datetime.fromisoformat("2026-04-21T08:30+02:00")


def say_stop(practice: Practice, *, now: datetime) -> None:
    contact = Contact.objects.for_clinic(practice.clinic).get()
    withdraw(
        practice.clinic.pk,
        contact_id=contact.pk,
        categories=[Category.VISITS],
        source=ConsentSource.DESK,
        actor=DESK,
        now=now,
    )


def cancel(practice: Practice, visit: Appointment, *, now: datetime) -> None:
    cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, reason="practitioner_away", now=now)
    run(now=now)


def move(practice: Practice, visit: Appointment, *, at: time, now: datetime, to: Practice | None = None) -> None:
    slot = (to or practice).slot(TUESDAY, at)
    reschedule_appointment(practice.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=now)
    run(now=now)


def calls(practice: Practice) -> list[tuple[str, str, list[int], list[str]]]:
    """What staff are asked to call about, with whom and which visits."""
    return [
        (one.title, one.why, [visit.pk for visit in one.visits], [person.first_name for person in one.people])
        for one in desk_tasks(practice.clinic)
        if one.task.reason == TaskReason.WANTS_NO_MESSAGES
    ]


def call_about(visit: Appointment, why: str) -> tuple[str, str, list[int], list[str]]:
    return ("Call: the patient wants no messages", why, [visit.pk], ["Ana"])


def test_a_cancellation_to_somebody_who_wants_no_messages_becomes_a_call(speaking: Practice, now: datetime) -> None:
    visit = speaking.book(now=now, day=TUESDAY)
    run(now=now)
    say_stop(speaking, now=now)

    cancel(speaking, visit, now=now)

    assert calls(speaking) == [call_about(visit, "The visit was cancelled.")]
    last = Message.objects.for_clinic(speaking.clinic).latest("pk")
    assert (last.state, last.reason) == (MessageState.SKIPPED, "opted_out")


def test_another_time_and_another_practitioner_become_a_call(speaking: Practice, now: datetime) -> None:
    beside = make_practice(speaking.clinic, now=now, name="Dr. Otero")
    moved, reassigned = (speaking.book(now=now, day=TUESDAY, at=at) for at in (time(10), time(12)))
    run(now=now)
    say_stop(speaking, now=now)

    move(speaking, moved, at=time(16), now=now)
    move(speaking, reassigned, at=time(12), to=beside, now=now)

    assert calls(speaking) == [
        call_about(moved, "The visit was moved."),
        call_about(reassigned, "The visit is with another practitioner now."),
    ]


def test_a_visit_booked_after_the_stop_is_known_and_its_cancellation_a_call(speaking: Practice, now: datetime) -> None:
    say_stop(speaking, now=now)
    visit = speaking.book(now=now, day=TUESDAY)
    run(now=now)
    when_booked = calls(speaking)

    cancel(speaking, visit, now=now)

    assert when_booked == []
    assert calls(speaking) == [call_about(visit, "The visit was cancelled.")]


def test_moved_and_moved_back_is_one_call_about_what_is_true_now(speaking: Practice, now: datetime) -> None:
    say_stop(speaking, now=now)
    visit = speaking.book(now=now, day=TUESDAY, at=time(10))
    run(now=now)

    move(speaking, visit, at=time(16), now=now)
    move(speaking, visit, at=time(10), now=now + timedelta(hours=1))

    (task,) = [one.task for one in desk_tasks(speaking.clinic)]
    assert (task.detail, task.opened_at) == ("visit_moved", now + timedelta(hours=1))


def by_page(visit: Appointment) -> Shown:
    visit.refresh_from_db()
    return Shown(visit=visit, notice_version=visit.notice_version)


def test_who_moves_or_cancels_on_their_own_page_is_not_called(speaking: Practice, now: datetime) -> None:
    """clinics C39: they did it, and the page said so."""
    moved, cancelled = (speaking.book(now=now, day=TUESDAY, at=at) for at in (time(10), time(12)))
    run(now=now)
    say_stop(speaking, now=now)

    move_shown(by_page(moved), slot=speaking.slot(TUESDAY, time(16)), now=now)
    cancel_shown([by_page(cancelled)], reason="", now=now)
    run(now=now)

    assert calls(speaking) == []
    last = Message.objects.for_clinic(speaking.clinic).order_by("-pk")[:2]
    assert [(one.state, one.reason) for one in last] == [(MessageState.SKIPPED, "opted_out")] * 2


def test_what_staff_do_after_that_is_a_call_again(speaking: Practice, now: datetime) -> None:
    visit = speaking.book(now=now, day=TUESDAY, at=time(10))
    say_stop(speaking, now=now)
    move_shown(by_page(visit), slot=speaking.slot(TUESDAY, time(16)), now=now)
    run(now=now)

    cancel(speaking, visit, now=now)

    assert calls(speaking) == [call_about(visit, "The visit was cancelled.")]


def test_a_call_that_waits_is_done_when_the_patient_has_seen_it_on_the_page_and_moved_on(
    speaking: Practice, now: datetime
) -> None:
    visit = speaking.book(now=now, day=TUESDAY, at=time(10))
    say_stop(speaking, now=now)
    run(now=now)
    move(speaking, visit, at=time(16), now=now)
    before = calls(speaking)

    move_shown(by_page(visit), slot=speaking.slot(TUESDAY, time(12)), now=now)
    run(now=now)

    assert before == [call_about(visit, "The visit was moved.")]
    assert calls(speaking) == []


def test_reminders_that_nobody_wants_are_no_call(speaking: Practice, default_rules: None, now: datetime) -> None:
    speaking.book(now=now, day=TUESDAY)
    run(now=now)
    say_stop(speaking, now=now)

    for day in itertools.takewhile(
        lambda day: day < AFTER_ALL_REMINDERS, (now + timedelta(hours=n) for n in range(200))
    ):
        run(now=day)

    assert ("skipped", "opted_out") in Message.objects.for_clinic(speaking.clinic).values_list("state", "reason")
    assert calls(speaking) == []


def test_somebody_who_gets_messages_is_not_called(speaking: Practice, now: datetime) -> None:
    visit = speaking.book(now=now, day=TUESDAY)
    run(now=now)

    cancel(speaking, visit, now=now)

    assert calls(speaking) == []


def test_today_counts_the_call_and_marks_a_visit_that_still_stands(speaking: Practice, now: datetime) -> None:
    moved, cancelled = (speaking.book(now=now, day=TUESDAY, at=at) for at in (time(10), time(12)))
    run(now=now)
    say_stop(speaking, now=now)

    move(speaking, moved, at=time(16), now=now)
    cancel(speaking, cancelled, now=now)

    assert day_at(speaking.clinic, day=TUESDAY, now=now).counts["person"] == 1
    assert b'<span class="count">2</span>' in at_desk(speaking.clinic).get(reverse("today")).content


def test_who_books_reads_that_they_chose_to_receive_nothing_and_what_follows(
    speaking: Practice, default_rules: None
) -> None:
    say_stop(speaking, now=clock.now())

    shown = at_desk(speaking.clinic).get(book_url(speaking)).content.decode()

    assert "they chose to receive none" in shown and "the desk is asked to call them" in shown
    assert "cannot be reached" not in shown and "-day reminder" not in shown


@pytest.mark.parametrize("page", ["cancel", "move"])
def test_the_page_says_before_that_they_must_be_called(speaking: Practice, page: str) -> None:
    visit = booked(speaking)
    run(now=clock.now())
    say_stop(speaking, now=clock.now())
    wanted = {"at": code(speaking, at=time(16))} if page == "move" else {}

    shown = at_desk(speaking.clinic).get(reverse(f"visit-{page}", args=[visit.pk]), wanted).content.decode()

    assert "They want no messages: call them." in shown
    assert "they cannot be reached" not in shown
