"""The audit list: who changed what, when, from what to what; of the own clinic; by person, kind and day."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from appointments.models import Room
from appointments.usecases.booking import cancel_appointment
from clinicbot import audit, clock
from clinicbot.actors import Actor, ActorKind
from clinicbot.models import AuditEntry, Clinic, Role
from tests.appointments.making import make_practice
from tests.factories import ClinicFactory, MembershipFactory

pytestmark = pytest.mark.django_db

LIST = "admin:clinicbot_auditentry_changelist"


@pytest.fixture
def marta(clinic: Clinic) -> User:
    user: User = MembershipFactory.create(
        clinic=clinic, role=Role.CLINIC_ADMIN, user__username="marta", user__first_name="Marta"
    ).user
    return user


@pytest.fixture
def as_marta(marta: User) -> Client:
    client = Client()
    client.force_login(marta, backend="clinicbot.auth.ClinicRoleBackend")
    return client


def listed(client: Client, **query: str) -> list[Any]:
    return list(client.get(reverse(LIST), query).context["cl"].result_list)


def note(clinic: Clinic, by: User, *, at: datetime, subject: Any = None, **detail: Any) -> AuditEntry:
    actor = Actor(ActorKind.STAFF, by.pk)
    return audit.record(actor, clinic=clinic, action="changed", subject=subject or clinic, detail=detail, now=at)


def test_a_change_in_the_admin_says_who_what_and_from_what_to_what(as_marta: Client, clinic: Clinic) -> None:
    room = Room.objects.create(clinic=clinic, name="Blue", is_active=True)
    address = reverse("admin:appointments_room_change", args=[room.pk])
    as_marta.post(address, {"name": "Red"})  # And no longer in use.

    page = as_marta.get(reverse(LIST)).text

    assert "Marta" in page
    assert "yes → no" in page
    assert address in page
    assert "Blue" not in page


def test_a_change_on_a_page_is_in_it(as_marta: Client, marta: User, clinic: Clinic) -> None:
    now = clock.now()
    practice = make_practice(clinic, now=now)
    visit = practice.book(now=now, day=(now + timedelta(days=10)).date(), at=time(10))
    cancel_appointment(
        clinic, appointment_id=visit.pk, actor=Actor(ActorKind.STAFF, marta.pk), reason="ill", now=clock.now()
    )

    entry = AuditEntry.objects.filter(action="visit.cancelled", clinic=clinic).get()
    page = as_marta.get(reverse(LIST)).text

    assert (entry.subject_type, entry.subject_id) == ("appointments.appointment", str(visit.pk))
    assert "→" in page
    assert practice.ana.full_name not in page


def test_another_clinics_changes_are_not_shown(as_marta: Client, marta: User) -> None:
    other = ClinicFactory.create()
    entry = note(other, marta, at=clock.now())

    assert listed(as_marta) == []
    assert listed(as_marta, q=str(entry.pk)) == []
    assert as_marta.get(reverse("admin:clinicbot_auditentry_change", args=[entry.pk])).status_code == 302


def test_it_is_filtered_by_person_kind_and_day(as_marta: Client, marta: User, clinic: Clinic) -> None:
    now = clock.now()
    ines = MembershipFactory.create(clinic=clinic, user__username="ines").user
    room = Room.objects.create(clinic=clinic, name="Blue")
    today = note(clinic, marta, at=now)
    long_ago = note(clinic, ines, at=now - timedelta(days=20), subject=room)

    assert listed(as_marta, person=str(ines.pk)) == [long_ago]
    assert listed(as_marta, about="appointments.room") == [long_ago]
    assert listed(as_marta, when="today") == [today]
    assert listed(as_marta, when="yesterday") == []
    assert listed(as_marta, when="month") == [long_ago, today]
    assert listed(as_marta, person="x") == []


def test_people_of_other_clinics_are_not_offered(as_marta: Client) -> None:
    MembershipFactory.create(user__username="stranger")

    assert "stranger" not in as_marta.get(reverse(LIST)).text


def test_a_long_list_asks_few_questions(as_marta: Client, marta: User, clinic: Clinic) -> None:
    for _ in range(50):
        note(clinic, marta, at=clock.now())

    with CaptureQueriesContext(connection) as asked:
        as_marta.get(reverse(LIST))

    assert len(asked) <= 12, "\n".join(one["sql"][:160] for one in asked)


def test_dates_times_and_choices_are_said_in_words(as_marta: Client, marta: User, clinic: Clinic) -> None:
    now = clock.now()
    visit = make_practice(clinic, now=now).book(now=now, day=(now + timedelta(days=10)).date(), at=time(10))
    before = {"local_date": date(2026, 4, 14), "local_time": time(10), "status": "booked"}
    note(clinic, marta, at=now, subject=visit, before=before, after={**before, "status": "no_show"})

    page = as_marta.get(reverse(LIST)).text

    assert "Tue 14 Apr → Tue 14 Apr" in page
    assert "10:00 → 10:00" in page
    assert "no_show" not in page


def test_an_entry_of_a_thing_or_a_person_that_is_gone_is_shown(as_marta: Client, clinic: Clinic) -> None:
    AuditEntry.objects.create(
        clinic=clinic,
        actor_kind="staff",
        actor_id=987654,
        action="old.forgotten_act",
        subject_type="old.thing",
        subject_id="7",
        happened_at=clock.now(),
    )

    page = as_marta.get(reverse(LIST)).text

    assert "a former user" in page
    assert "forgotten act" in page
    assert "old.thing 7" in page


@pytest.mark.parametrize("person", ["²", "٣", "x", "9" * 30])
def test_a_person_that_is_no_number_is_nobody(as_marta: Client, marta: User, clinic: Clinic, person: str) -> None:
    note(clinic, marta, at=clock.now())

    assert listed(as_marta, person=person) == []
