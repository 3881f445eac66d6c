"""Which messages come to the patient's numbers: stopped and started on their page, and kept as their word."""

from __future__ import annotations

from appointments.models import Appointment
from clinicbot import clock
from messaging.contracts import ConsentSource
from messaging.models import Consent, ConsentState
from messaging.queries.contacts import opted_out_categories
from tests.appointments.making import Practice, make_practice
from tests.appointments.pages import booked
from tests.appointments.patient_page.links import leo_of, link, phone
from tests.factories import ClinicFactory


def contact_of(practice: Practice) -> int:
    contact_id: int = practice.ana.reached_at.get().contact_id
    return contact_id


def choose(visit: Appointment, **data: object) -> str:
    response = phone().post(link(visit, "patient-hearing"), data, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def stopped(practice: Practice) -> frozenset[str]:
    contact_id = contact_of(practice)
    return opted_out_categories(practice.clinic.pk, contact_ids=[contact_id])[contact_id]


def test_messages_are_stopped_and_started_again(practice: Practice) -> None:
    visit = booked(practice)
    wish = {"contact": contact_of(practice), "category": "visits"}

    page = choose(visit, **wish, wants="no")
    assert stopped(practice) == {"visits"}
    assert "no llegan" in page

    choose(visit, **wish, wants="yes")
    assert stopped(practice) == frozenset()
    words = Consent.unscoped.filter(source=ConsentSource.PATIENT_PAGE).order_by("pk")
    assert list(words.values_list("state", flat=True)) == [ConsentState.WITHDRAWN, ConsentState.GRANTED]


def test_the_page_names_a_number_by_its_end_and_who_else_is_reached_there(practice: Practice) -> None:
    visit = booked(practice)
    leo_of(practice, days=9)

    page = phone().get(link(visit, "patient-hearing")).content.decode()

    assert "WhatsApp …5678" in page
    assert "345" not in page.replace("…5678", "")
    assert "Leo" in page


def test_only_their_own_numbers_and_known_categories_can_be_chosen(practice: Practice) -> None:
    visit = booked(practice)
    other = make_practice(ClinicFactory.create(), now=clock.now())
    before = Consent.unscoped.count()

    for contact, category, wants in (
        (contact_of(other), "visits", "no"),
        (contact_of(practice), "staff", "no"),
        (contact_of(practice), "x", "no"),
        (contact_of(practice), "visits", "perhaps"),
        ("x", "visits", "no"),
    ):
        choose(visit, contact=contact, category=category, wants=wants)

    assert Consent.unscoped.count() == before
