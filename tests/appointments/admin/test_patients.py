from __future__ import annotations

from datetime import date, datetime

from django.test import Client

from appointments.models import Patient, PatientContact
from appointments.search_key import search_key
from tests.appointments.admin.pages import add_to, found, list_of, page_of, text_of
from tests.appointments.making import Practice
from tests.canary import values

NO_CONTACTS = {"reached_at-TOTAL_FORMS": 0, "reached_at-INITIAL_FORMS": 0}


def test_the_list_knows_a_patient_by_number_and_last_digits(practice: Practice, chief: Client) -> None:
    listed = text_of(chief, list_of(Patient))

    assert str(practice.ana.pk) in listed
    assert "*** 5678" in listed
    assert "Ana" not in listed


def test_the_own_page_shows_all(practice: Practice, chief: Client) -> None:
    page = text_of(chief, page_of(practice.ana))

    assert values.ANA in page
    assert "612 34 56 78" in page


def test_a_patient_is_found_by_name_last_digits_and_number(practice: Practice, chief: Client, now: datetime) -> None:
    leo = practice.add("Leo Vega", now=now)

    assert found(chief, Patient, q="nunez") == [practice.ana.pk]
    assert found(chief, Patient, q="5678") == [practice.ana.pk]
    assert found(chief, Patient, q=str(leo.pk)) == [leo.pk]
    assert found(chief, Patient, q="%") == []
    assert found(chief, Patient, q="9" * 30) == []


def test_a_new_name_is_found_at_once_and_the_history_holds_no_name(practice: Practice, chief: Client) -> None:
    form = {"full_name": " Zoé  Álvarez ", "language": "pt", "born_on": "1990-05-01", "note": "wheelchair"}

    response = chief.post(page_of(practice.ana), form | NO_CONTACTS)

    ana = Patient.objects.for_clinic(practice.clinic).get()
    assert response.status_code == 302
    assert (ana.full_name, ana.search_key, ana.language) == ("Zoé Álvarez", search_key("Zoé Álvarez"), "pt")
    assert (ana.born_on, ana.note) == (date(1990, 5, 1), "wheelchair")
    assert "Zoé" not in text_of(chief, page_of(ana, "history"))


def test_an_empty_name_is_refused(practice: Practice, chief: Client) -> None:
    response = chief.post(page_of(practice.ana), {"full_name": "  ", "language": "es"} | NO_CONTACTS)

    assert response.status_code == 200
    assert Patient.objects.for_clinic(practice.clinic).get().full_name == values.ANA


def test_ways_to_reach_are_read_only_and_patients_neither_made_nor_deleted(practice: Practice, chief: Client) -> None:
    link = PatientContact.objects.for_clinic(practice.clinic).get()
    form = {
        "full_name": values.ANA,
        "language": "es",
        "reached_at-TOTAL_FORMS": 1,
        "reached_at-INITIAL_FORMS": 1,
        "reached_at-0-id": link.pk,
        "reached_at-0-rank": 9,
        "reached_at-0-DELETE": "on",
    }

    chief.post(page_of(practice.ana), form)

    assert PatientContact.objects.for_clinic(practice.clinic).get().rank == link.rank
    assert chief.get(add_to(Patient)).status_code == 403
    assert chief.post(page_of(practice.ana, "delete"), {"post": "yes"}).status_code == 403


def test_who_may_only_read_cannot_write(practice: Practice, colleague: Client) -> None:
    response = colleague.post(page_of(practice.ana), {"full_name": "Other", "language": "es"} | NO_CONTACTS)

    assert response.status_code == 403
    assert Patient.objects.for_clinic(practice.clinic).get().full_name == values.ANA
