"""How often each page of the staff asks the database: at most twelve times, and as often for three visits as for thirty.

Generated from the resolver, so that a new page is in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import time

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, resolve, reverse
from django.urls.converters import StringConverter

from appointments.models import Appointment, AppointmentChange, Patient
from appointments.usecases.clinics import add_default_rules
from clinicbot import clock
from clinicbot.models import Clinic, Role
from messaging.models import Contact, Message
from messaging.texts.definitions import list_template_texts
from scheduler.models import TickRun
from tests.appointments.chat import hear, run
from tests.appointments.making import Practice, make_practice
from tests.appointments.pages import at_desk, book_url, booked, code
from tests.factories import ClinicFactory
from tests.messaging.sending.fakes import FakeChannel
from tests.messaging.templates import make_account, make_template
from tests.tenancy.asking import patterns

MOST = 12
# What stands between these pages and the twelve: they ask the sender's own judges what would become of each reminder, or how a
# text would be sent.
NOT_YET = {"visit": 38, "visit-live": 37, "inbox-offer": 19}
FEW, MANY = 3, 30
NOT_OF_STAFF = ("admin/", "visit/<token>/", "invitation", "webhooks/", "tick/", "healthz", "metrics", "feeds/<token>")
FILES = ("export/visits/", "export/patients/")  # Files, written row by row.


def fill(practice: Practice, *, visits: int) -> Practice:
    """A clinic that has booked, told, been answered and moved: so many visits of Ana and of her family, on two days."""
    now = clock.now()
    brother = practice.add("Leo Ruiz", phone="612 345 678", now=now)
    for number in range(visits):
        at = time(8 + number // 3, 20 * (number % 3))
        rest = {"patient": brother} if number % 3 == 2 else {}
        booked(practice, at=at, days=3 + number % 2, **rest)
    run(now=now)
    for message in list(Message.objects.for_clinic(practice.clinic)[:visits:2]):
        hear(practice.clinic, now=now, action="change", answers=message)
    run(now=now)
    return practice


def addresses(practice: Practice) -> Iterator[str]:
    """Each page with numbers of its own, as it is opened from another page."""
    for route, pattern in patterns():
        if not route.startswith((*NOT_OF_STAFF, *FILES)):
            yield reverse(pattern.name, kwargs=numbers_for(practice, pattern)) if pattern.name else f"/{route}"
    visit = first_visit(practice.clinic)
    yield book_url(practice)
    yield reverse("book", query={"patient": practice.ana.pk, "here": 1})
    yield reverse("book", query={"new": 1, "q": "Nora"})
    yield reverse("book-people", query={"q": "an"})
    yield reverse("find", query={"q": "an"})
    yield reverse("find-live", query={"q": "an"})
    yield reverse("visit-move", args=[visit.pk], query={"at": code(practice, at=time(19), days=5)})
    yield reverse("calendar", query={"day": visit.local_date.isoformat(), "view": "week"})
    yield reverse("calendar", query={"day": visit.local_date.isoformat(), "visit": visit.pk})
    yield reverse("today", query={"day": visit.local_date.isoformat()})


def numbers_for(practice: Practice, pattern: URLPattern) -> dict[str, object]:
    clinic = practice.clinic
    of = {
        "visit_id": first_visit(clinic).pk,
        "patient_id": practice.ana.pk,
        "other_id": Patient.objects.for_clinic(clinic).exclude(pk=practice.ana.pk).latest("pk").pk,
        "contact_id": Contact.objects.for_clinic(clinic).earliest("pk").pk,
        "change_id": AppointmentChange.objects.for_clinic(clinic).earliest("pk").pk,
        "message_id": Message.objects.for_clinic(clinic).earliest("pk").pk,
        "practitioner_id": practice.practitioner.pk,
    }
    words = {name for name, kind in pattern.pattern.converters.items() if isinstance(kind, StringConverter)}
    return {name: of.get(name, "x" if name in words else 1) for name in pattern.pattern.converters}


def first_visit(clinic: Clinic) -> Appointment:
    return Appointment.objects.for_clinic(clinic).earliest("pk")


def count(desk: Client, address: str) -> int:
    """Of a page that is shown; 0 of what is only posted to, or leads elsewhere."""
    with CaptureQueriesContext(connection) as queries:
        answer = desk.get(address)
    assert answer.status_code in (200, 302, 403, 404, 405), address
    return len(queries) if answer.status_code == 200 else 0


@pytest.fixture
def clinics(db: None, channel: FakeChannel) -> list[Practice]:
    TickRun.objects.create(started_at=clock.real(), budget_seconds=50, source="cron")
    filled = []
    for visits in (FEW, MANY):
        clinic = ClinicFactory.create()
        add_default_rules(clinic)
        practice = make_practice(clinic, now=clock.now())
        account = make_account(clinic, external_id=f"10020030{visits}", parent_id=f"30020010{visits}")
        for name in list_template_texts():
            make_template(account, name, now=clock.now())
        filled.append(fill(practice, visits=visits))
    return filled


def test_each_page_asks_little_and_as_little_for_many_visits(clinics: list[Practice]) -> None:
    few, many = [at_desk(practice.clinic, role=Role.CLINIC_ADMIN) for practice in clinics]
    seen, too_many, growing = [], [], []

    for address, other in zip(*(list(addresses(practice)) for practice in clinics), strict=True):
        asked, other_asked = count(few, address), count(many, other)
        seen.append(asked)
        if other_asked > NOT_YET.get(resolve(other.partition("?")[0]).url_name or "", MOST):
            too_many.append((other, other_asked))
        if other_asked > asked:
            growing.append((other, asked, other_asked))

    assert len([asked for asked in seen if asked]) > 30  # It looks at pages, and not at refusals.
    assert (too_many, growing) == ([], [])
