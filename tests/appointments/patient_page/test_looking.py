"""What the link shows, and that looking changes nothing."""

from __future__ import annotations

from datetime import time, timedelta

import pytest
from django.conf import settings
from django.urls import reverse

from appointments.models import Appointment, AppointmentChange
from appointments.queries.patient_page import PageState
from appointments.saying import variables_of
from appointments.usecases.people import NewPatient, add_patient
from clinicbot import clock
from clinicbot.clinic_time import at_clinic, clock_time, long_date
from messaging.contracts import Category
from messaging.models import Consent
from outbox.models import OutboxEvent
from tests.appointments.making import DESK, Practice, make_practice
from tests.appointments.pages import at_desk, booked, code
from tests.appointments.patient_page.links import ROUTES, cancel, leo_of, link, move, phone, state, wish
from tests.factories import ClinicFactory

SECRET = 21  # 128 bits, six to a letter.


def facts() -> tuple[object, ...]:
    """Everything that an act would change."""
    visits = Appointment.unscoped.order_by("pk").values_list("status", "notice_version", "local_date", "local_time")
    counts = (AppointmentChange.unscoped.count(), OutboxEvent.unscoped.count(), Consent.unscoped.count())
    return (list(visits), *counts)


def test_every_visit_has_a_link_of_its_own_that_nobody_guesses(practice: Practice) -> None:
    tokens = {booked(practice, at=time(9, minute)).link_token for minute in (0, 30)}

    assert len(tokens) == 2
    assert all(len(token) >= SECRET and token.replace("-", "").replace("_", "").isalnum() for token in tokens)


@pytest.mark.parametrize("method", ["get", "head"])
@pytest.mark.parametrize("route", ROUTES)
def test_who_only_opens_a_link_changes_nothing(practice: Practice, route: str, method: str) -> None:
    visit = booked(practice)
    before = facts()
    everything = {
        "visit": wish(visit),
        "at": code(practice, at=time(12)),
        "said": "confirmed",
        "reason": "not_needed",
        "wants": "no",
        "category": "visits",
        "contact": practice.ana.reached_at.get().contact_id,
        "language": "pt",
    }

    for query in ({}, everything, {**everything, "visit": visit.pk}):
        response = getattr(phone(), method)(link(visit, route, **query), follow=True)
        assert response.status_code == 200

    assert facts() == before


def test_the_page_says_when_with_whom_where_and_how_it_stands(practice: Practice) -> None:
    practice.clinic.address, practice.clinic.phone = "C/ Mayor 5, 1.º", "954 55 01 20"
    practice.clinic.save()
    visit = booked(practice)

    page = phone().get(link(visit)).content.decode()

    assert clock_time(visit.local_time, practice.clinic, language="es") in page
    assert long_date(visit.local_date, language="es").capitalize() in page
    assert practice.practitioner.full_name in page
    assert "query=C%2F%20Mayor%205%2C%201.%C2%BA" in page
    assert 'href="tel:954550120"' in page
    assert "Por confirmar" in page
    assert practice.service.name not in page
    assert "Núñez" not in page


def test_the_page_is_nobodys_but_the_holders(practice: Practice) -> None:
    response = phone().get(link(booked(practice)))

    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert '<meta name="referrer" content="no-referrer">' in response.content.decode()
    assert "noindex" in response.headers["X-Robots-Tag"]
    assert "no-store" in response.headers["Cache-Control"]
    assert not response.cookies


def test_the_page_speaks_the_patients_language_until_another_is_chosen(practice: Practice) -> None:
    visit, browser = booked(practice), phone()

    first = browser.get(link(visit))
    chosen = browser.get(link(visit, language="pt"))
    later = browser.get(link(visit))

    assert [one.headers["Content-Language"] for one in (first, chosen, later)] == ["es", "pt", "pt"]
    assert '<html lang="pt">' in later.content.decode()


@pytest.mark.parametrize("token", ["x" * 22, "a", "%C3%B1", "0" * 300])
def test_a_link_that_is_none_leads_to_a_page_that_says_so(practice: Practice, token: str) -> None:
    for name in ("visit", "visit/confirm"):
        response = phone().get(f"/visit/{token}/{name.partition('/')[2]}{'/' if '/' in name else ''}")

        assert response.status_code == 404
        assert "There is no such visit" in response.content.decode()
        assert response.headers["Referrer-Policy"] == "no-referrer"


def test_the_first_link_shows_the_new_time_and_after_the_end_another_way(practice: Practice) -> None:
    visit = booked(practice)
    first = link(visit)

    move(practice, visit, days=5, at=time(17, 45))
    assert "17:45" in phone().get(first).content.decode()

    cancel(practice, visit)
    page = phone().get(first).content.decode()
    assert "Esta cita está cancelada" in page
    assert "Para otra hora, responda a nuestro mensaje." in page
    assert "patient-confirm" not in page and f'value="{wish(visit)}"' not in page


def test_after_a_cancellation_the_page_says_whom_to_call_for_another_time(practice: Practice) -> None:
    """clinics C43."""
    practice.clinic.phone = "954 55 01 20"
    practice.clinic.save()
    visit = booked(practice)
    cancel(practice, visit)

    page = phone().get(link(visit)).content.decode()

    assert "Para otra hora, llame al 954 55 01 20 o responda a nuestro mensaje." in page


def test_a_visit_that_has_begun_has_no_buttons(practice: Practice) -> None:
    begun = at_clinic(clock.now() - timedelta(minutes=20), practice.clinic)
    visit = practice.book(
        now=clock.now(), day=begun.date(), at=time(begun.hour, begun.minute), is_walk_in=True, override="here"
    )

    page = phone().get(link(visit)).content.decode()

    assert "Ha empezado o ya pasó" in page
    assert wish(visit) not in page


def test_those_reached_at_the_same_number_that_day_stand_on_one_page_each_with_own_buttons(practice: Practice) -> None:
    ana, leo = booked(practice), leo_of(practice, at=time(12))
    other_day = booked(practice, days=4)
    stranger = add_patient(
        practice.clinic,
        newcomer=NewPatient(full_name="Ada Byron", phone="600111222", language="es", agreed_to=(Category.VISITS,)),
        actor=DESK,
        now=clock.now(),
    )
    elsewhere = booked(practice, patient=stranger, at=time(13))

    page = phone().get(link(ana)).content.decode()

    assert all(page.count(f'value="{wish(one)}"') == 2 for one in (ana, leo))  # Its own button, and the one for all.
    assert all(wish(one) not in page for one in (other_day, elsewhere))
    assert "Ada" not in page


def test_a_page_costs_as_much_for_many_as_for_one(practice: Practice, django_assert_num_queries: object) -> None:
    visit = booked(practice)
    for hour in (12, 13, 14, 15):
        booked(practice, at=time(hour))

    with django_assert_num_queries(7):  # type: ignore[operator]
        phone().get(link(visit))


def test_the_desk_finds_the_patients_page_on_the_visits(practice: Practice) -> None:
    visit = booked(practice)

    page = at_desk(practice.clinic).get(reverse("visit", args=[visit.pk])).content.decode()

    assert link(visit) in page


def test_another_clinics_visit_stands_on_no_page(practice: Practice) -> None:
    visit = booked(practice)
    other = make_practice(ClinicFactory.create(), now=clock.now())
    theirs = booked(other)

    response = phone().post(link(visit, "patient-confirm"), {"visit": wish(theirs)})

    assert response.status_code == 302
    assert state(theirs) == PageState.BOOKED
    assert wish(theirs) not in phone().get(link(visit)).content.decode()


def test_the_time_of_the_page_is_that_of_the_message(practice: Practice) -> None:
    visit = booked(practice)
    visit = Appointment.unscoped.select_related("clinic", "patient", "practitioner").get(pk=visit.pk)

    said = variables_of(visit, language="es")

    assert said["link"] == f"{settings.BASE_URL}{link(visit)}"
    assert said["when"].endswith(", 10:30")
    assert "10:30" in phone().get(link(visit)).content.decode()
