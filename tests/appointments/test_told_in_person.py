"""Visits that begin soon, and patients who are here: nothing confirms what was said aloud."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from appointments.models import Appointment
from appointments.queries.offers import code_of
from appointments.usecases.booking import book_appointment, cancel_appointment, reschedule_appointment
from appointments.usecases.importing import import_visit
from clinicbot import clock
from clinicbot.clinic_time import at_clinic
from messaging.models import Message
from scheduler.models import ScheduledJob
from tests.appointments.chat import run, said
from tests.appointments.making import DESK, Practice
from tests.appointments.pages import at_desk, booked
from tests.messaging.sending.fakes import FakeChannel

HOUR = timedelta(hours=1)


@pytest.fixture
def around_the_clock(practice: Practice) -> Practice:
    """Works day and night, so that pages, which read the real clock, have times at any hour."""
    hours = practice.practitioner.hours.all()
    hours.update(begins=time(0), ends=time(0))
    return practice


@pytest.fixture
def desk(around_the_clock: Practice) -> Client:
    return at_desk(around_the_clock.clinic)


def url_at(practice: Practice, starts_at: datetime) -> str:
    """The last step of booking Ana for that quarter of an hour."""
    local = at_clinic(starts_at, practice.clinic)
    local = local.replace(minute=local.minute // 15 * 15, second=0, microsecond=0)
    at = code_of(practice.slot(local.date(), local.time()))
    return reverse("book", query={"patient": practice.ana.pk, "service": practice.service.pk, "at": at})


def form(**rest: str) -> dict[str, str]:
    return {"token": str(uuid4()), "note": "", **rest}


def visits(practice: Practice) -> list[Appointment]:
    return list(Appointment.objects.for_clinic(practice.clinic))


def test_whoever_was_told_in_person_gets_no_confirmation_and_hears_of_the_move(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    visit = speaking.book(now=now, notify=False)
    run(now=now)
    at_once = said(channel)

    there = speaking.slot(visit.local_date, time(16))
    reschedule_appointment(speaking.clinic, appointment_id=visit.pk, slot=there, actor=DESK, now=now)
    run(now=now)

    assert at_once == []
    assert [text.partition("/")[0] for text in said(channel)] == ["visit_moved"]
    assert "10:30" in said(channel)[0]
    assert "16:00" in said(channel)[0]


def test_whoever_was_told_in_person_hears_of_the_cancellation(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    visit = speaking.book(now=now, notify=False)
    cancel_appointment(speaking.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=now)

    run(now=now)

    assert [text.partition("/")[0] for text in said(channel)] == ["visit_cancelled_by_clinic"]


def test_whoever_has_a_visit_from_elsewhere_hears_of_what_becomes_of_it(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    slot = speaking.slot((now + timedelta(days=7)).date(), time(10, 30))
    visit = import_visit(speaking.clinic, patient=speaking.ana, slot=slot, service=speaking.service, now=now)
    run(now=now)
    at_once = said(channel)

    cancel_appointment(speaking.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=now)
    run(now=now)

    assert at_once == []
    assert [text.partition("/")[0] for text in said(channel)] == ["visit_cancelled_by_clinic"]


def test_reminders_of_a_visit_told_in_person_go_by_the_rules(
    speaking: Practice, channel: FakeChannel, now: datetime, default_rules: None
) -> None:
    visit = speaking.book(now=now, notify=False)

    run(now=now)
    run(now=visit.starts_at - timedelta(days=2, hours=20))

    assert [text.partition("/")[0] for text in said(channel)] == ["visit_reminder_ask"]


def test_the_story_says_that_they_were_told_at_the_desk(practice: Practice) -> None:
    visit = booked(practice, notify=False)

    page = at_desk(practice.clinic).get(reverse("visit", args=[visit.pk])).content.decode()

    assert "Yes: they were told at the desk. No message was sent." in page
    assert "They were told at the desk: no confirmation was sent." in page


def test_before_cancelling_it_the_page_shows_what_they_will_read(practice: Practice) -> None:
    visit = booked(practice, notify=False)

    page = at_desk(practice.clinic).get(reverse("visit-cancel", args=[visit.pk])).content.decode()

    assert "What they will receive" in page


@pytest.mark.parametrize(("tell", "is_told_in_person"), [("no", True), ("yes", False)])
def test_within_two_hours_the_page_asks_whether_to_confirm(
    around_the_clock: Practice, desk: Client, tell: str, is_told_in_person: bool
) -> None:
    url = url_at(around_the_clock, clock.now() + timedelta(minutes=90))

    page = desk.get(url).content.decode()
    desk.post(url, form(tell=tell))

    [visit] = visits(around_the_clock)
    assert 'name="tell" value="no" id="id_tell_0" checked' in page
    assert "If you send a confirmation:" in page
    assert "Book and tell them" not in page
    assert visit.is_told_in_person == is_told_in_person


def test_later_visits_are_confirmed_without_a_question(around_the_clock: Practice, desk: Client) -> None:
    url = url_at(around_the_clock, clock.now() + 3 * HOUR)

    page = desk.get(url).content.decode()
    desk.post(url, form())

    assert 'name="tell"' not in page
    assert "Book and tell them" in page
    assert not visits(around_the_clock)[0].is_told_in_person


def test_somebody_who_is_here_gets_a_time_that_has_begun(around_the_clock: Practice, desk: Client) -> None:
    listing = reverse("book", query={"patient": around_the_clock.ana.pk, "here": "1"})
    url = url_at(around_the_clock, clock.now() - timedelta(minutes=1))

    listed = desk.get(listing).content.decode()
    review = desk.get(url).content.decode()
    without = desk.post(url, form(note="came in pain"))
    booked_without = visits(around_the_clock)
    desk.post(url, form(here="on"))

    assert listed.count('class="time"') == 4
    assert 'name="here"' in review
    assert "What they will receive" not in review
    assert without.status_code == 409
    assert "It has begun." in without.content.decode()
    assert "came in pain" in without.content.decode()
    assert booked_without == []
    assert [visit.is_told_in_person for visit in visits(around_the_clock)] == [True]


def test_what_began_more_than_an_hour_ago_is_past(around_the_clock: Practice, desk: Client) -> None:
    url = url_at(around_the_clock, clock.now() - timedelta(minutes=75))

    response = desk.post(url, form(here="on"))

    assert response.status_code == 409
    assert "That time has passed." in response.content.decode()
    assert visits(around_the_clock) == []


def test_a_walk_in_of_ten_oclock_written_down_at_five_past_sends_nothing(
    speaking: Practice, channel: FakeChannel, now: datetime, default_rules: None
) -> None:
    slot = speaking.slot(now.date() + timedelta(days=1), time(10))
    five_past = slot.starts_at + timedelta(minutes=5)

    book_appointment(
        speaking.clinic,
        patient=speaking.ana,
        slot=slot,
        service=speaking.service,
        actor=DESK,
        is_walk_in=True,
        now=five_past,
    )
    run(now=five_past)

    assert said(channel) == []
    assert not Message.objects.for_clinic(speaking.clinic).exists()
    assert not ScheduledJob.objects.for_clinic(speaking.clinic).exists()
