"""Booking, moving and cancelling at the desk, with the worst that can be typed."""

from __future__ import annotations

import re
from datetime import time, timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from appointments.errors import PatientNameMissingError, ReasonMissingError
from appointments.models import Appointment, AppointmentStatus, Patient, PatientContact, Service
from appointments.usecases.booking import cancel_appointment, reschedule_appointment
from appointments.wall_time import exists
from clinicbot import clock
from clinicbot.clinic_time import long_date
from messaging.models import Consent
from tests.appointments.making import DESK, Practice, make_practice
from tests.appointments.pages import at_desk, book_url, booked, code, day_ahead
from tests.factories import ClinicFactory


@pytest.fixture
def desk(practice: Practice) -> Client:
    return at_desk(practice.clinic)


def form(**rest: str) -> dict[str, str]:
    return {"token": str(uuid4()), "note": "", **rest}


def test_the_search_finds_a_family_by_three_letters_and_by_four_digits(practice: Practice, desk: Client) -> None:
    for typed in ("nun", "ANA", "5678"):
        page = desk.get(reverse("book-people"), {"q": typed}).content.decode()

        assert f"patient={practice.ana.pk}" in page
        assert "*** 5678" in page


def test_a_chosen_patient_sees_nine_free_times_under_keys(practice: Practice, desk: Client) -> None:
    page = desk.get(reverse("book"), {"patient": practice.ana.pk}).content.decode()

    assert [f'data-key="{key}"' in page for key in "123456789"] == [True] * 9
    assert page.count('class="time"') == 9


def test_all_times_of_one_day(practice: Practice, desk: Client) -> None:
    params = {"patient": str(practice.ana.pk), "from": day_ahead(practice.clinic).isoformat(), "whole": "1"}

    page = desk.get(reverse("book"), params).content.decode()

    assert page.count('class="time"') == 47  # Every quarter of an hour from 8:00 to 19:30.


def test_the_review_says_what_the_patient_will_receive(practice: Practice, desk: Client, default_rules: None) -> None:
    page = desk.get(book_url(practice, at=code(practice, days=10, at=time(15)))).content.decode()

    assert f"Aviso de {practice.clinic.name} para Ana" in page
    assert "3-day reminder" in page
    assert "2-hour reminder, only if they have not said yes" in page
    assert "Book and tell them" in page
    assert not Appointment.objects.for_clinic(practice.clinic).exists()


def test_a_visit_is_booked_with_its_note(practice: Practice, desk: Client) -> None:
    response = desk.post(book_url(practice), form(note="Fears needles"))

    visit = Appointment.objects.for_clinic(practice.clinic).get()
    assert response.headers["Location"] == reverse("visit", args=[visit.pk])
    assert (visit.patient_id, visit.local_time, visit.note) == (practice.ana.pk, time(10, 30), "Fears needles")


def test_a_double_click_books_once(practice: Practice, desk: Client) -> None:
    sent = form()

    first, second = desk.post(book_url(practice), sent), desk.post(book_url(practice), sent)

    assert first.headers["Location"] == second.headers["Location"]
    assert Appointment.objects.for_clinic(practice.clinic).count() == 1


def test_a_taken_time_offers_three_near_it_and_books_nothing(practice: Practice, desk: Client) -> None:
    booked(practice, patient=practice.add("Bea Lu", now=practice.ana.created_at))

    response = desk.post(book_url(practice), form())

    page = response.content.decode()
    assert response.status_code == 409
    assert 'role="alert"' in page
    assert "Somebody else has just taken that time." in page
    assert "Nothing was booked." in page
    assert [f'data-key="{key}"' in page for key in "abc"] == [True] * 3
    assert ["10:00" in page, "11:00" in page] == [True, True]
    assert Appointment.objects.for_clinic(practice.clinic).count() == 1


def test_a_past_time_says_so(practice: Practice, desk: Client) -> None:
    response = desk.post(book_url(practice, at=code(practice, days=-2)), form())

    assert response.status_code == 409
    assert "That time has passed." in response.content.decode()


@pytest.mark.parametrize("at", ["", "nonsense", "20269999T1030-1-1", "20260415T1030-x-1", "20260415T1030-1-1-1"])
def test_a_garbled_time_books_nothing(practice: Practice, desk: Client, at: str) -> None:
    response = desk.post(book_url(practice, at=at), form())

    assert response.status_code == 400
    assert "Choose a patient and a time first." in response.content.decode()
    assert not Appointment.objects.for_clinic(practice.clinic).exists()


@pytest.mark.parametrize("params", [{"patient": "x"}, {"patient": "9" * 30}, {"service": "-1", "from": "yesterday"}])
def test_a_garbled_address_is_an_empty_page(practice: Practice, desk: Client, params: dict[str, str]) -> None:
    assert desk.get(reverse("book"), params).status_code == 200


@pytest.mark.parametrize("wanted", ["nobody", "theirs", "garbled"])
def test_a_patient_who_is_not_this_clinics_is_said_to_be_unknown(practice: Practice, desk: Client, wanted: str) -> None:
    elsewhere = make_practice(ClinicFactory.create(), now=practice.ana.created_at)
    number = {"nobody": "987654321", "theirs": str(elsewhere.ana.pk), "garbled": "x"}[wanted]
    url = book_url(practice, patient=number)

    shown, sent = desk.get(url), desk.post(url, form())

    assert (shown.status_code, sent.status_code) == (200, 400)
    for page in (shown.content.decode(), sent.content.decode()):
        assert "This clinic has no such patient." in page
    assert not Appointment.objects.for_clinic(practice.clinic).exists()
    assert "no such patient" not in desk.get(reverse("book")).content.decode()


def test_warnings_stand_beside_the_button(practice: Practice, desk: Client) -> None:
    booked(practice, at=time(9, 0))
    concha = practice.add("Concha Villar", now=practice.ana.created_at)

    again = desk.get(book_url(practice)).content.decode()
    unreachable = desk.get(book_url(practice, patient=concha.pk)).content.decode()

    assert "has a visit that day already" in again
    assert "No number is known." in unreachable
    assert "Book and tell them" not in unreachable


def test_a_new_patient_comes_with_consent(practice: Practice, desk: Client) -> None:
    typed = {"full_name": " Zoe  Quiroga ", "language": "pt", "phone": "699 111 222", "agreed": "on", "born_on": ""}

    response = desk.post(reverse("book", query={"new": "1", "service": practice.service.pk}), typed)

    zoe = Patient.objects.for_clinic(practice.clinic).get(full_name="Zoe Quiroga")
    assert f"patient={zoe.pk}" in response.headers["Location"]
    assert f"service={practice.service.pk}" in response.headers["Location"]
    contact = PatientContact.objects.for_clinic(practice.clinic).get(patient=zoe)
    assert Consent.objects.for_clinic(practice.clinic).filter(contact=contact.contact_id, category="visits").exists()


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"agreed": ""}, "Ask whether messages may go to this number"),
        ({"phone": "12"}, "id_phone_error"),
        ({"full_name": "   "}, "id_full_name_error"),
        ({"born_on": "2999-01-01"}, "Check the date of birth."),
    ],
)
def test_a_new_patient_with_a_mistake_keeps_what_was_typed(
    practice: Practice, desk: Client, wrong: dict[str, str], sentence: str
) -> None:
    typed = {"full_name": "Zoe", "language": "pt", "phone": "699 111 222", "agreed": "on", "born_on": ""} | wrong

    response = desk.post(reverse("book", query={"new": "1"}), typed)

    page = response.content.decode()
    assert response.status_code == 400
    assert sentence in page
    assert 'aria-invalid="true"' in page
    assert 'value="pt" selected' in page
    assert not Patient.objects.for_clinic(practice.clinic).filter(full_name="Zoe").exists()


def test_a_child_is_reached_at_the_guardians_phone(practice: Practice, desk: Client) -> None:
    typed = {"full_name": "Leo Núñez", "language": "es", "phone": "", "born_on": "2019-03-14", "guardians_phone": "on"}

    desk.post(reverse("book", query={"new": "1", "guardian": practice.ana.pk}), typed)

    leo = Patient.objects.for_clinic(practice.clinic).get(full_name="Leo Núñez")
    assert leo.guardian_id == practice.ana.pk
    link = PatientContact.objects.for_clinic(practice.clinic).get(patient=leo)
    assert (link.role, link.tail) == ("guardian", "5678")


def move_url(visit: Appointment, at: str) -> str:
    return reverse("visit-move", args=[visit.pk], query={"at": at})


def test_a_visit_moves_with_its_reason(practice: Practice, desk: Client) -> None:
    visit = booked(practice)

    response = desk.post(move_url(visit, code(practice, at=time(12, 0))), {"reason": "works mornings"})

    visit.refresh_from_db()
    assert response.status_code == 302
    assert visit.local_time == time(12, 0)
    assert "works mornings" in desk.get(reverse("visit", args=[visit.pk])).content.decode()


def test_a_visit_does_not_move_onto_another(practice: Practice, desk: Client) -> None:
    visit, other = (
        booked(practice),
        booked(practice, at=time(12, 0), patient=practice.add("B", now=practice.ana.created_at)),
    )

    response = desk.post(move_url(visit, code(practice, at=other.local_time)), {"reason": ""})

    visit.refresh_from_db()
    assert response.status_code == 409
    assert "Nothing was moved." in response.content.decode()
    assert visit.local_time == time(10, 30)


def test_a_visit_is_cancelled_for_a_common_reason_or_in_own_words(practice: Practice, desk: Client) -> None:
    one, two = booked(practice), booked(practice, at=time(12, 0))

    desk.post(reverse("visit-cancel", args=[one.pk]), {"common": "patient_called", "own": ""})
    desk.post(reverse("visit-cancel", args=[two.pk]), {"common": "other", "own": "Storm warning"})

    statuses = Appointment.objects.for_clinic(practice.clinic).values_list("status", flat=True)
    assert set(statuses) == {AppointmentStatus.CANCELLED_BY_CLINIC}
    assert "The patient called" in desk.get(reverse("visit", args=[one.pk])).content.decode()
    assert "Storm warning" in desk.get(reverse("visit", args=[two.pk])).content.decode()


@pytest.mark.parametrize("typed", [{}, {"common": "nonsense"}, {"common": "other", "own": "  "}])
def test_a_visit_is_not_cancelled_without_a_reason(practice: Practice, desk: Client, typed: dict[str, str]) -> None:
    visit = booked(practice)

    response = desk.post(reverse("visit-cancel", args=[visit.pk]), typed)

    visit.refresh_from_db()
    assert response.status_code == 400
    assert "_error" in response.content.decode()
    assert visit.is_live


def test_a_cancelled_visit_can_be_neither_moved_nor_cancelled(practice: Practice, desk: Client) -> None:
    visit = booked(practice)
    cancel = reverse("visit-cancel", args=[visit.pk])
    desk.post(cancel, {"common": "patient_called", "own": ""})

    moved = desk.post(move_url(visit, code(practice, at=time(12, 0))), {"reason": ""}, follow=True)
    again = desk.get(cancel, follow=True)

    assert "so it cannot be moved" in moved.content.decode()
    assert "cancelled already" in again.content.decode()


def test_a_yes_by_phone_is_noted(practice: Practice, desk: Client) -> None:
    visit = booked(practice)

    desk.post(reverse("visit-confirm", args=[visit.pk]))

    visit.refresh_from_db()
    assert visit.status == AppointmentStatus.CONFIRMED


def test_a_service_that_is_offered_no_more_is_not_replaced_by_another(practice: Practice, desk: Client) -> None:
    gone = practice.service
    Service.objects.create(clinic=practice.clinic, name="Another", duration_minutes=60)
    Service.objects.for_clinic(practice.clinic).filter(pk=gone.pk).update(is_active=False)

    response = desk.post(book_url(practice), form())

    assert response.status_code == 409
    assert "no longer in use here" in response.content.decode()
    assert not Appointment.objects.for_clinic(practice.clinic).exists()


def test_the_review_names_its_service_even_where_it_was_not_chosen(practice: Practice, desk: Client) -> None:
    params = {"patient": str(practice.ana.pk), "at": code(practice)}

    page = desk.get(reverse("book"), params).content.decode()

    assert f'action="?patient={practice.ana.pk}&amp;at={code(practice)}&amp;service={practice.service.pk}"' in page


def test_a_child_is_not_taken_in_without_the_guardian_that_was_meant(practice: Practice, desk: Client) -> None:
    child = {"full_name": "Leo Ibarra", "language": "es", "guardians_phone": "on"}

    response = desk.post(reverse("book", query={"new": "", "guardian": 999999}), child)

    assert response.status_code == 400
    assert not Patient.objects.for_clinic(practice.clinic).filter(full_name="Leo Ibarra").exists()


def test_a_note_that_is_too_long_is_said_beside_it(practice: Practice, desk: Client) -> None:
    response = desk.post(book_url(practice), form(note="n" * 1001))

    page = response.content.decode()
    assert response.status_code == 400
    assert "at most 1000 characters" in page
    assert "Choose a patient and a time first." not in page
    assert not Appointment.objects.for_clinic(practice.clinic).exists()


@pytest.mark.parametrize("day", ["00010101", "99991231", "99991228"])
def test_days_at_the_ends_of_the_calendar_are_no_times(practice: Practice, desk: Client, day: str) -> None:
    at = f"{day}T2330-{practice.practitioner.pk}-{practice.room.pk}"

    shown, posted = desk.get(book_url(practice, at=at)), desk.post(book_url(practice, at=at), form())

    assert (shown.status_code, posted.status_code) == (200, 400)
    assert not Appointment.objects.for_clinic(practice.clinic).exists()


@pytest.mark.parametrize("name", ["ß" * 160, "ﷺ" * 100])
def test_a_name_that_grows_when_taken_apart_is_kept(practice: Practice, desk: Client, name: str) -> None:
    response = desk.post(reverse("book", query={"new": ""}), {"full_name": name, "language": "es"})

    assert response.status_code == 302
    assert Patient.objects.for_clinic(practice.clinic).filter(full_name=name).exists()


def test_digits_of_another_script_are_found_by_their_last_four(practice: Practice) -> None:
    patient = practice.add("Omar Lu", phone="٦٠٠١١١٢٢٢", now=practice.ana.created_at)

    assert PatientContact.objects.for_clinic(practice.clinic).get(patient=patient).tail == "1222"


def test_a_form_sent_before_says_that_its_visit_was_cancelled(practice: Practice, desk: Client) -> None:
    sent = form()
    desk.post(book_url(practice), sent, follow=True)
    visit = Appointment.objects.for_clinic(practice.clinic).get()
    cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=clock.now())

    again = desk.post(book_url(practice), sent, follow=True)

    page = again.content.decode()
    assert again.redirect_chain == [(reverse("visit", args=[visit.pk]), 302)]
    assert "This form was sent already; that visit was cancelled on" in page
    assert "<span>Booked.</span>" not in page


def test_a_form_sent_before_says_where_its_visit_is_now(practice: Practice, desk: Client) -> None:
    sent, day = form(), day_ahead(practice.clinic)
    desk.post(book_url(practice), sent)
    visit = Appointment.objects.for_clinic(practice.clinic).get()
    other = make_practice(practice.clinic, now=practice.ana.created_at, name="Dr. Paz")

    for slot, sentence in (
        (practice.slot(day, time(12, 0)), f"that visit has moved to {long_date(day)}, 12:00."),
        (other.slot(day, time(10, 30)), "that visit is with Dr. Paz now."),
    ):
        reschedule_appointment(practice.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=clock.now())

        assert sentence in desk.post(book_url(practice), sent, follow=True).content.decode()


def test_a_note_is_kept_for_another_time(practice: Practice, desk: Client) -> None:
    booked(practice, patient=practice.add("Bea Lu", now=practice.ana.created_at))
    refused = desk.post(book_url(practice), form(note="Fears needles")).content.decode()
    nearest = re.findall(r'formaction="([^"]+)"', refused)[0].replace("&amp;", "&")

    looked = desk.post(nearest, {"look": "1", "note": "Fears needles"}).content.decode()

    assert "Fears needles" in refused
    assert "Book and tell them" in looked
    assert ">\nFears needles</textarea>" in looked or 'value="Fears needles"' in looked
    assert Appointment.objects.for_clinic(practice.clinic).count() == 1


def test_a_reason_to_move_is_kept_for_another_time(practice: Practice, desk: Client) -> None:
    visit = booked(practice)
    booked(practice, at=time(12, 0), patient=practice.add("B", now=practice.ana.created_at))

    refused = desk.post(move_url(visit, code(practice, at=time(12, 0))), {"reason": "works mornings"}).content.decode()
    looked = desk.post(
        move_url(visit, code(practice, at=time(13, 0))), {"look": "1", "reason": "works mornings"}
    ).content.decode()

    assert ['value="works mornings"' in page for page in (refused, looked)] == [True, True]
    assert 'form="kept"' in refused
    assert "To be moved" in looked
    visit.refresh_from_db()
    assert visit.local_time == time(10, 30)


def skipped_time(practice: Practice) -> str:
    """Half past two in the next night in which the clocks go forward."""
    today = day_ahead(practice.clinic, 0)
    days = (today + timedelta(days=days) for days in range(1, 400))
    day = next(day for day in days if not exists(day, time(2, 30), zone=practice.clinic.zone))
    return f"{day:%Y%m%d}T0230-{practice.practitioner.pk}-{practice.room.pk}"


def test_a_time_that_the_clocks_skip_says_why(practice: Practice, desk: Client) -> None:
    at, visit = skipped_time(practice), booked(practice)

    answers = [
        desk.get(book_url(practice, at=at)),
        desk.post(book_url(practice, at=at), form(note="Fears needles")),
        desk.get(move_url(visit, at)),
        desk.post(move_url(visit, at), {"reason": "ill"}),
    ]

    assert [answer.status_code for answer in answers] == [200, 400, 200, 400]
    assert {"the clocks go forward over it" in answer.content.decode() for answer in answers} == {True}
    assert "Fears needles" in answers[1].content.decode()
    assert Appointment.objects.for_clinic(practice.clinic).count() == 1


@pytest.mark.parametrize("unseen", ["\u200b", "\u2060\u00ad", "\u202e", "\u0301"])
def test_what_nobody_can_see_is_no_name_and_no_reason(practice: Practice, desk: Client, unseen: str) -> None:
    visit = booked(practice)
    name = {"full_name": unseen, "language": "es"}

    answers = [
        desk.post(reverse("book", query={"new": "1"}), name),
        desk.post(reverse("patient-name", args=[practice.ana.pk]), name),
        desk.post(reverse("visit-cancel", args=[visit.pk]), {"common": "other", "own": unseen}),
    ]

    assert [answer.status_code for answer in answers] == [400] * 3
    visit.refresh_from_db()
    assert visit.is_live
    with pytest.raises(PatientNameMissingError):
        practice.add(unseen, now=clock.now())
    with pytest.raises(ReasonMissingError):
        cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, reason=unseen, now=clock.now())


def test_nul_in_what_is_typed_is_said_beside_the_field(practice: Practice, desk: Client) -> None:
    visit = booked(practice)

    answers = [
        desk.post(book_url(practice, at=code(practice, at=time(12, 0))), form(note="a\0")),
        desk.post(reverse("book", query={"new": "1"}), {"full_name": "A\0", "language": "es"}),
        desk.post(reverse("patient-name", args=[practice.ana.pk]), {"full_name": "A\0", "language": "es"}),
        desk.post(reverse("patient-phone", args=[practice.ana.pk]), {"phone": "612\0", "agreed": "on"}),
        desk.post(move_url(visit, code(practice, at=time(12, 0))), {"reason": "a\0"}),
        desk.post(reverse("visit-cancel", args=[visit.pk]), {"common": "other", "own": "a\0"}),
    ]

    assert [answer.status_code for answer in answers] == [400] * len(answers)
    assert {"Null characters are not allowed." in answer.content.decode() for answer in answers} == {True}
