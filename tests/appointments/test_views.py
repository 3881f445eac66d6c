"""What every staff page keeps: log in first, one's own clinic, one's own role, few questions to the database."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, time, timedelta
from urllib.parse import parse_qsl, urlsplit
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from appointments.job_args import SendReminder
from appointments.models import Appointment
from appointments.usecases.people import add_way_to_reach
from clinicbot import clock
from clinicbot.models import Clinic, Role
from messaging.contracts import Category, TaskReason
from messaging.usecases.switches import throw_switch
from messaging.usecases.tasks import open_task
from scheduler.models import TickRun
from scheduler.usecases.enqueueing import enqueue
from tests.appointments.making import DESK, Practice, make_practice
from tests.appointments.pages import at_desk, book_url, booked, code
from tests.factories import ClinicFactory, MembershipFactory

MOST_QUERIES = 12
MOST_QUERIES_OF_BOOKING = 27


@contextmanager
def at_most(queries: int) -> Iterator[None]:
    with CaptureQueriesContext(connection) as captured:
        yield
    assert len(captured) <= queries, "\n".join(query["sql"][:160] for query in captured.captured_queries)


@pytest.fixture
def elsewhere(now: datetime) -> Practice:
    """Another clinic at work."""
    return make_practice(ClinicFactory.create(), now=now)


def test_strangers_are_sent_to_the_log_in(client: Client, clinic: Clinic) -> None:
    for name in ("today", "book", "tasks", "find"):
        response = client.get(reverse(name))

        assert response.status_code == 302
        assert response.headers["Location"].startswith(reverse("login"))


def test_pages_of_another_clinics_rows_are_not_found(practice: Practice, elsewhere: Practice, now: datetime) -> None:
    client, theirs = at_desk(practice.clinic), booked(elsewhere)
    task = open_task(elsewhere.clinic.pk, reason=TaskReason.UNCLEAR_ANSWER, unique_key="k", now=now)

    seen = [
        client.get(reverse("visit", args=[theirs.pk])),
        client.get(reverse("visit-live", args=[theirs.pk])),
        client.post(reverse("visit-confirm", args=[theirs.pk])),
        client.get(reverse("visit-move", args=[theirs.pk])),
        client.post(reverse("visit-move", args=[theirs.pk])),
        client.get(reverse("visit-cancel", args=[theirs.pk])),
        client.post(reverse("visit-cancel", args=[theirs.pk]), {"common": "patient_called"}),
        client.get(reverse("send-again", args=[theirs.pk, uuid4()])),
        client.get(reverse("patient", args=[elsewhere.ana.pk])),
        client.post(reverse("patient-name", args=[elsewhere.ana.pk]), {"full_name": "X", "language": "es"}),
        client.post(reverse("patient-phone", args=[elsewhere.ana.pk]), {"phone": "612345679", "agreed": "on"}),
        client.post(reverse("task-done", args=[task])),
        client.post(reverse("sending-go-on", args=["clinic", 1])),
    ]

    assert [response.status_code for response in seen] == [404] * len(seen)
    theirs.refresh_from_db()
    assert theirs.status == "booked"


def test_lists_show_the_own_clinic_only(practice: Practice, elsewhere: Practice, now: datetime) -> None:
    client = at_desk(practice.clinic)
    stranger = elsewhere.add("Zenobia Foraneo", phone="622 111 222", now=now)
    visit = booked(elsewhere, patient=stranger)

    pages = [
        client.get(reverse("find-live"), {"q": "zenobia"}),
        client.get(reverse("find"), {"q": "1222"}),
        client.get(reverse("book-people"), {"q": "1222"}),
        client.get(reverse("today"), {"day": visit.local_date.isoformat()}),
        client.get(reverse("book"), {"patient": stranger.pk}),
    ]

    assert [b"Foraneo" in page.content for page in pages] == [False] * len(pages)


def test_another_clinics_patient_or_practitioner_cannot_be_booked(
    practice: Practice, elsewhere: Practice, now: datetime
) -> None:
    client = at_desk(practice.clinic)
    their_patient = book_url(practice, patient=elsewhere.ana.pk)
    their_chair = book_url(practice, at=code(elsewhere))

    answers = [client.post(url, {"token": str(uuid4()), "note": ""}) for url in (their_patient, their_chair)]

    assert [answer.status_code for answer in answers] == [400, 409]
    assert not Appointment.objects.for_clinic(practice.clinic).exists()


def test_a_practitioner_reads_and_does_not_book(practice: Practice, now: datetime) -> None:
    client, visit = at_desk(practice.clinic, role=Role.PRACTITIONER), booked(practice)

    assert client.get(reverse("today")).status_code == 200
    assert client.get(reverse("visit", args=[visit.pk])).status_code == 200
    assert reverse("book") not in client.get(reverse("today")).content.decode()
    assert client.get(reverse("book")).status_code == 403
    assert client.post(reverse("visit-confirm", args=[visit.pk])).status_code == 403
    assert client.get(reverse("visit-cancel", args=[visit.pk])).status_code == 403


def test_a_person_of_two_clinics_is_asked_where_they_work(client: Client, practice: Practice) -> None:
    member = MembershipFactory.create(clinic=practice.clinic)
    MembershipFactory.create(user=member.user)
    client.force_login(member.user)

    response = client.get(reverse("today"))

    assert response.headers["Location"] == reverse("choose-clinic")


def test_today_asks_the_database_as_often_for_thirty_visits_as_for_none(practice: Practice, now: datetime) -> None:
    client = at_desk(practice.clinic)
    TickRun.objects.create(started_at=clock.real(), budget_seconds=1, source="cron")
    visits = [booked(practice, at=time(8 + half // 2, 30 * (half % 2))) for half in range(24)]

    with at_most(MOST_QUERIES):
        response = client.get(reverse("today"), {"day": visits[0].local_date.isoformat()})

    assert response.content.count(b"data-row") == 24


def test_a_thrown_switch_shows_on_every_page_and_only_those_who_may_let_go(practice: Practice, now: datetime) -> None:
    switch = throw_switch(practice.clinic, reason="Wrong texts went out", actor=DESK, now=now)
    desk, chief = at_desk(practice.clinic), at_desk(practice.clinic, role=Role.CLINIC_ADMIN)
    release = reverse("sending-go-on", args=["clinic", switch])

    page = desk.get(reverse("tasks")).content.decode()

    assert "Wrong texts went out" in page
    assert release not in page
    assert desk.post(release).status_code == 403
    assert release in chief.get(reverse("tasks")).content.decode()
    assert chief.post(release).status_code == 302
    assert "Wrong texts went out" not in desk.get(reverse("tasks")).content.decode()


def test_silent_ticks_are_told_of_when_work_is_due(practice: Practice) -> None:
    client, yesterday = at_desk(practice.clinic), clock.now() - timedelta(days=1)
    assert b"has stopped" not in client.get(reverse("tasks")).content
    args = SendReminder(appointment_id=1, notice_version=1, rule_id=1, rule_version=1, planned_at=yesterday)
    enqueue(practice.clinic.pk, args, run_at=yesterday, unique_key=args.unique_key, now=yesterday)

    page = client.get(reverse("tasks")).content

    assert b"The clock that sends reminders has stopped." in page


def test_an_error_page_is_in_the_look(client: Client, practice: Practice) -> None:
    response = at_desk(practice.clinic).get("/nowhere/")

    assert response.status_code == 404
    assert "Nothing here" in response.content.decode()


def test_booking_asks_the_database_as_often_however_large_the_family(
    practice: Practice, default_rules: None, now: datetime
) -> None:
    client, url = at_desk(practice.clinic), book_url(practice)
    TickRun.objects.create(started_at=clock.real(), budget_seconds=1, source="cron")
    for number in range(3):
        phone = f"612 345 67{number}"
        add_way_to_reach(
            practice.clinic, patient=practice.ana, phone=phone, agreed_to=(Category.VISITS,), actor=DESK, now=now
        )
        practice.add(f"Child {number}", phone=phone, guardian=practice.ana, now=now)

    with at_most(MOST_QUERIES_OF_BOOKING):
        page = client.get(url).content.decode()

    assert ["To be booked" in page, "Child 2" in page] == [True, True]


GARBAGE = [
    "",
    "x",
    "0",
    "-1",
    "9" * 30,
    "٣",
    "²",
    "2026-02-30",
    "0001-01-01",
    "9999-12-31",
    "20260329T0230-1-1",
]
PARAMETERS = (
    "day",
    "only",
    "who",
    "q",
    "patient",
    "service",
    "with",
    "from",
    "whole",
    "at",
    "new",
    "guardian",
    "practitioner",
)


def test_garbage_in_an_address_is_read_as_nothing(practice: Practice, now: datetime) -> None:
    """Each page with each parameter, and three of the values; other three with another seed of the run."""
    client, visit = at_desk(practice.clinic), booked(practice)
    client.raise_request_exception = False
    pages = [reverse(name) for name in ("today", "today-live", "find", "find-live", "book", "book-people", "tasks")]
    pages += [reverse(name, args=[visit.pk]) for name in ("visit", "visit-live", "visit-move", "visit-cancel")]
    pages += [reverse("patient", args=[practice.ana.pk]), book_url(practice)]

    answers = {
        (page, name, value): client.get(page, {**parameters_of(page), name: value}).status_code
        for page in pages
        for name in PARAMETERS
        for value in random.sample(GARBAGE, 3)
    }

    assert {wish: status for wish, status in answers.items() if status != 200} == {}


def parameters_of(page: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(page).query))


def test_nul_in_an_address_names_no_page(practice: Practice, now: datetime) -> None:
    client = at_desk(practice.clinic)

    pages = [reverse(name) for name in ("today", "find-live", "book", "tasks", "login", "choose-clinic", "healthz")]
    asked = [client.get(f"{page}?{name}=a%00b") for page in pages for name in ("q", "day", "next")]

    assert {answer.status_code for answer in asked} == {404}
    assert client.get("/visits/%00/").status_code == 404
    assert "The address is wrong" in asked[0].content.decode()
