"""A closed day is closed at every door, with the same words; who may, says why and books all the same."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from appointments.errors import ClinicClosedError
from appointments.models import Appointment, AppointmentChange, Closure
from appointments.queries.free_slots import SlotWish, find_free_slots
from appointments.reasons import sentence_of
from appointments.usecases.booking import reschedule_appointment
from appointments.usecases.importing import import_visit
from clinicbot import clock
from clinicbot.clinic_time import short_date
from clinicbot.models import Role
from tests.appointments.admin.pages import add_to
from tests.appointments.making import DESK, Practice
from tests.appointments.pages import at_desk, book_url, booked, code, day_ahead

CLOSED_IN_DAYS = 5


@pytest.fixture
def closed(practice: Practice) -> str:
    """What is said of the closed day."""
    day = day_ahead(practice.clinic, CLOSED_IN_DAYS)
    Closure.objects.create(clinic=practice.clinic, begins_on=day, ends_on=day, reason="Patron saint")
    return f"The clinic is closed on {short_date(day)}: Patron saint."


def form(**rest: str) -> dict[str, str]:
    return {"token": str(uuid4()), "note": "Brings an X-ray", **rest}


def into_closed(practice: Practice) -> str:
    return book_url(practice, at=code(practice, days=CLOSED_IN_DAYS))


def move_into_closed(practice: Practice, visit: Appointment) -> str:
    return reverse("visit-move", args=[visit.pk], query={"at": code(practice, days=CLOSED_IN_DAYS)})


def visits(practice: Practice) -> list[Appointment]:
    return list(Appointment.objects.for_clinic(practice.clinic).order_by("pk"))


def test_the_page_books_nothing_into_a_closed_day(practice: Practice, closed: str) -> None:
    response = at_desk(practice.clinic).post(into_closed(practice), form())

    page = response.content.decode()
    assert response.status_code == 409
    assert closed in page
    assert page.count('data-key="a"') == 1  # Free near it.
    assert "Book all the same" not in page
    assert visits(practice) == []


def test_the_page_moves_nothing_into_a_closed_day(practice: Practice, closed: str) -> None:
    visit = booked(practice)

    response = at_desk(practice.clinic).post(move_into_closed(practice, visit), {"reason": ""})

    assert (response.status_code, closed in response.content.decode()) == (409, True)
    assert visits(practice)[0].local_date == visit.local_date


def test_the_admin_has_no_form_that_books(practice: Practice, closed: str) -> None:
    assert at_desk(practice.clinic, role=Role.CLINIC_ADMIN).get(add_to(Appointment)).status_code == 403


def test_the_use_cases_and_the_import_refuse_a_closed_day_in_the_same_words(practice: Practice, closed: str) -> None:
    now, visit = clock.now(), booked(practice)
    slot = practice.slot(day_ahead(practice.clinic, CLOSED_IN_DAYS), time(12))
    told: dict[str, Any] = {"slot": slot, "now": now}
    doors: list[Callable[[], object]] = [
        lambda: practice.book(now=now, day=slot.local_date),
        lambda: reschedule_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, **told),
        lambda: import_visit(practice.clinic, patient=practice.ana, service=practice.service, **told),
    ]

    for door in doors:
        with pytest.raises(ClinicClosedError) as refused:
            door()
        assert sentence_of(refused.value) == closed
        assert "saint" not in str(refused.value)  # Staff's words do not reach a log.


def test_the_import_writes_what_was_on_a_day_that_is_over(practice: Practice, now: datetime) -> None:
    day = (now - timedelta(days=7)).date()
    Closure.objects.create(clinic=practice.clinic, begins_on=day, ends_on=day)

    slot = practice.slot(day, time(10))
    visit = import_visit(practice.clinic, patient=practice.ana, service=practice.service, slot=slot, now=now)

    assert visit.local_date == day


def test_no_patient_is_offered_a_time_on_a_closed_day(practice: Practice, closed: str) -> None:
    day = day_ahead(practice.clinic, CLOSED_IN_DAYS)
    wish = SlotWish(service=practice.service, from_day=day, days=2)

    found = find_free_slots(practice.clinic, wish=wish, now=clock.now())

    assert {free.slot.local_date for free in found} == {day + timedelta(days=1)}


def test_who_may_books_all_the_same_and_the_reason_stays(practice: Practice, closed: str) -> None:
    chief = at_desk(practice.clinic, role=Role.CLINIC_ADMIN)

    asked = chief.post(into_closed(practice), form())
    without = chief.post(into_closed(practice), form(override=" "))
    assert visits(practice) == []
    given = chief.post(into_closed(practice), form(override="Emergency"))

    assert "Book all the same" in asked.content.decode()
    assert 'value="Brings an X-ray"' in asked.content.decode()
    assert "Say why: the reason stays" in without.content.decode()
    [visit] = visits(practice)
    assert given.headers["Location"] == reverse("visit", args=[visit.pk])
    assert visit.note == "Brings an X-ray"
    assert AppointmentChange.objects.for_clinic(practice.clinic).get(appointment=visit).reason == "Emergency"


def test_who_may_moves_all_the_same_outside_working_hours(practice: Practice) -> None:
    visit = booked(practice)
    late = reverse("visit-move", args=[visit.pk], query={"at": code(practice, at=time(21))})
    chief = at_desk(practice.clinic, role=Role.CLINIC_ADMIN)

    asked = chief.post(late, {"reason": "Works late"})
    chief.post(late, {"reason": "Works late", "override": "Dr. Barrera stays"})

    assert "Move all the same" in asked.content.decode()
    assert visits(practice)[0].local_time == time(21)
    moved = AppointmentChange.objects.for_clinic(practice.clinic).order_by("-pk")[0]
    assert moved.reason == "Dr. Barrera stays"


def test_a_reason_without_the_permission_opens_nothing(practice: Practice, closed: str) -> None:
    desk: Client = at_desk(practice.clinic)

    response = desk.post(into_closed(practice), form(override="Emergency"))

    assert (response.status_code, visits(practice)) == (409, [])


def test_one_who_is_away_for_some_hours_is_named_with_the_hours(practice: Practice, now: datetime) -> None:
    day = (now + timedelta(days=7)).date()
    Closure.objects.create(
        clinic=practice.clinic,
        practitioner=practice.practitioner,
        begins_on=day,
        ends_on=day,
        begins_at=time(10),
        ends_at=time(12),
    )

    with pytest.raises(ClinicClosedError) as refused:
        practice.book(now=now)

    assert sentence_of(refused.value) == "The practitioner is away from Tue 21 Apr, 10:00 to Tue 21 Apr, 12:00."


def test_after_weeks_without_a_free_time_the_page_offers_the_first_one(practice: Practice) -> None:
    first = day_ahead(practice.clinic, 0)
    last = first + timedelta(days=40)
    Closure.objects.create(clinic=practice.clinic, begins_on=first, ends_on=last)

    page = at_desk(practice.clinic).get(reverse("book"), {"patient": practice.ana.pk}).content.decode()

    assert "Nothing is free in the four weeks" in page
    assert f"at={last + timedelta(days=1):%Y%m%d}T0800-" in page
