"""The call list as the desk works through it."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from appointments.events import VISIT
from appointments.models import Appointment, AppointmentStatus, CallAttempt, CallOutcome
from clinicbot import clock
from clinicbot.models import Clinic, Role
from messaging.contracts import Subject, TaskReason
from messaging.usecases.tasks import open_task
from scheduler.models import TickRun
from tests.appointments.making import Practice
from tests.appointments.pages import at_desk, booked, code
from tests.appointments.test_calendar_pages import crowd
from tests.factories import ClinicFactory

A_PAGE = 12


@pytest.fixture
def lost(practice: Practice) -> Appointment:
    """Ana's visit tomorrow, of which a message did not arrive."""
    visit = booked(practice, days=1)
    did_not_arrive(visit)
    return visit


@pytest.fixture
def desk(practice: Practice) -> Client:
    return at_desk(practice.clinic)


def did_not_arrive(visit: Appointment) -> None:
    open_task(
        visit.clinic_id,
        reason=TaskReason.NOT_DELIVERED,
        unique_key=f"lost:{visit.pk}",
        subject=Subject(VISIT, str(visit.pk), visit.notice_version),
        now=clock.now(),
    )


def show(desk: Client, name: str = "calls") -> str:
    answer = desk.get(reverse(name))
    assert answer.status_code == 200
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode())))


def note(desk: Client, visit: Appointment, outcome: str, **rest: object) -> str:
    contact = visit.patient.reached_at.get().contact_id
    given = {"outcome": outcome, "version": visit.notice_version, "contact": contact, **rest}
    answer = desk.post(reverse("call-note", args=[visit.pk]), given)
    assert answer.status_code == 302
    return str(answer.headers["Location"])


def test_a_row_says_why_and_offers_the_number(desk: Client, lost: Appointment) -> None:
    page = desk.get(reverse("calls")).content.decode()

    assert 'href="tel:+34612345678"' in page
    text = show(desk)
    assert "The message did not arrive." in text
    assert "first visit" in text
    assert "Call *** 5678" in text


def test_the_count_stands_in_the_bar(desk: Client, lost: Appointment) -> None:
    assert show(desk, "calls-count").strip() == "1"
    assert f'hx-get="{reverse("calls-count")}"' in desk.get(reverse("today")).content.decode()


def test_will_come_confirms_and_the_row_can_be_taken_back(desk: Client, lost: Appointment) -> None:
    back = note(desk, lost, CallOutcome.WILL_COME)

    lost = Appointment.objects.for_clinic(lost.clinic_id).get(pk=lost.pk)
    text = show(desk)
    assert back == reverse("calls")
    assert lost.status == AppointmentStatus.CONFIRMED
    assert "Noted: Ana comes." in text and "Undo" in text
    assert "Nobody needs a call." in text and "1 call done today" in text

    made = CallAttempt.objects.for_clinic(lost.clinic_id).get()
    desk.post(reverse("call-take-back", args=[made.pk]))

    assert "The message did not arrive." in show(desk)


def test_move_goes_to_the_times_and_comes_back_to_the_list(desk: Client, practice: Practice, lost: Appointment) -> None:
    address = note(desk, lost, CallOutcome.MOVE)
    assert address == f"{reverse('visit-move', args=[lost.pk])}?back=calls"
    assert "Back to the calls" in desk.get(address).content.decode()

    moved = desk.post(f"{address}&at={code(practice)}", {"reason": ""})

    assert moved.headers["Location"] == reverse("calls")
    assert "1 call done today" in show(desk)


def test_a_wrong_number_says_what_follows(desk: Client, practice: Practice, lost: Appointment) -> None:
    practice.add("Bea Lu", phone="612 345 678", now=clock.now())
    assert "It is also the number of Bea" in show(desk)

    note(desk, lost, CallOutcome.WRONG_NUMBER)

    assert "Ana has no other: ask for one at the visit." in show(desk)


def test_the_story_tells_of_the_call_and_that_it_was_taken_back(desk: Client, lost: Appointment) -> None:
    note(desk, lost, CallOutcome.LEFT_MESSAGE)
    made = CallAttempt.objects.for_clinic(lost.clinic_id).get()
    before = desk.get(reverse("visit", args=[lost.pk])).content.decode()
    desk.post(reverse("call-take-back", args=[made.pk]))
    after = desk.get(reverse("visit", args=[lost.pk])).content.decode()

    assert "Called: left a message" in before
    assert "the call did not end so" not in before
    assert "the call did not end so" in after


def test_what_was_moved_meanwhile_is_not_confirmed(desk: Client, lost: Appointment) -> None:
    note(desk, lost, CallOutcome.WILL_COME, version=lost.notice_version + 1)

    assert "Somebody changed the visit meanwhile." in show(desk)
    assert not CallAttempt.objects.for_clinic(lost.clinic_id).exists()


@pytest.mark.parametrize("given", [{}, {"outcome": "x", "version": 1}, {"outcome": "told", "version": "x"}])
def test_what_no_page_offers_is_refused(desk: Client, lost: Appointment, given: dict[str, object]) -> None:
    assert desk.post(reverse("call-note", args=[lost.pk]), given).status_code == 400


def test_practitioners_do_not_call(practice: Practice, lost: Appointment) -> None:
    client = at_desk(practice.clinic, role=Role.PRACTITIONER)

    assert client.get(reverse("calls")).status_code == 403
    assert client.post(reverse("call-note", args=[lost.pk])).status_code == 403
    assert reverse("calls") not in client.get(reverse("today")).content.decode()
    assert at_desk(practice.clinic, role=Role.CLINIC_ADMIN).get(reverse("calls")).status_code == 200


def test_another_clinic_reaches_neither_row_nor_call(desk: Client, lost: Appointment) -> None:
    note(desk, lost, CallOutcome.NO_ANSWER)
    made = CallAttempt.objects.for_clinic(lost.clinic_id).get()
    other: Clinic = ClinicFactory.create()
    client = at_desk(other)

    assert client.post(reverse("call-note", args=[lost.pk]), {"outcome": "told", "version": 1}).status_code == 404
    assert client.post(reverse("call-take-back", args=[made.pk])).status_code == 404
    assert "Ana" not in show(client)


@pytest.mark.parametrize("visits", [3, 300])
def test_a_page_asks_the_same_of_the_database_however_many_calls(
    practice: Practice, visits: int, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    crowd(practice, visits=visits)
    found = Appointment.objects.for_clinic(practice.clinic).order_by("pk")
    for visit in found:
        did_not_arrive(visit)
    desk = at_desk(practice.clinic)
    first = found[0]
    note(desk, first, CallOutcome.NO_ANSWER)
    TickRun.objects.create(started_at=clock.real(), budget_seconds=50, source="cron")  # Silence would be asked about.

    for name in ("calls", "calls-live", "calls-count"):
        with django_assert_max_num_queries(A_PAGE):
            text = show(desk, name)
    assert text.strip() == str(visits)
