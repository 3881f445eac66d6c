"""A page that stood open while somebody else changed the same thing takes nothing of that back."""

from __future__ import annotations

import html
from datetime import time

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from appointments.models import Appointment, Patient, Service
from appointments.usecases.booking import reschedule_appointment
from appointments.usecases.changing import edit_visit
from appointments.usecases.people import keep_guardian_out
from appointments.usecases.relocating import change_address
from clinicbot import clock
from clinicbot.actors import Actor
from clinicbot.models import AuditEntry, Clinic, Role
from tests.appointments.admin.conftest import sign_in
from tests.appointments.admin.pages import page_of
from tests.appointments.making import DESK, Practice, gives_all
from tests.appointments.pages import at_desk, booked, code, day_ahead

CHANGED = "changed it at"


@pytest.fixture
def chief(practice: Practice) -> Client:
    return sign_in(practice.clinic, Role.CLINIC_ADMIN)


def moved_by_patient(practice: Practice, visit: Appointment) -> None:
    slot = practice.slot(day_ahead(practice.clinic, days=4), time(9))
    who = Actor.patient(practice.ana.pk)
    reschedule_appointment(practice.clinic, appointment_id=visit.pk, slot=slot, actor=who, now=clock.now())


def posted(page: Client, url: str) -> dict[str, str]:
    """What a browser sends of an admin form as it is drawn."""
    form = page.get(url).context["adminform"].form
    drawn = {bound.html_name: bound.value() for bound in form if bound.value() not in (None, False)}
    hidden = {
        bound.html_initial_name: str("" if bound.initial is None else bound.initial)
        for bound in form
        if bound.field.show_hidden_initial
    }
    inlines = {f"{prefix}-{kind}_FORMS": "0" for prefix in ("changes", "reached_at") for kind in ("TOTAL", "INITIAL")}
    return {**hidden, **drawn, **inlines}


def again(visit: Appointment) -> Appointment:
    return Appointment.objects.for_clinic(visit.clinic_id).get(pk=visit.pk)


def test_a_note_on_an_old_admin_page_moves_nothing_back(practice: Practice, chief: Client) -> None:
    visit = booked(practice)
    data = posted(chief, page_of(visit))
    moved_by_patient(practice, visit)

    chief.post(page_of(visit), {**data, "note": "brings a scan"})

    assert (again(visit).local_time, again(visit).note) == (time(9), "brings a scan")


def test_another_time_on_an_old_admin_page_is_refused_and_saved_once_seen(practice: Practice, chief: Client) -> None:
    visit = booked(practice)
    data = posted(chief, page_of(visit))
    moved_by_patient(practice, visit)

    refused = chief.post(page_of(visit), {**data, "local_time": "12:00"})

    assert refused.status_code == 200 and "The patient changed this on" in refused.content.decode()
    assert "It is now: 09:00:00" in refused.content.decode()
    assert again(visit).local_time == time(9)


def test_the_admin_page_carries_what_it_was_drawn_from(practice: Practice, chief: Client) -> None:
    assert b'name="initial-note"' in chief.get(page_of(booked(practice))).content


def test_a_note_on_an_old_page_of_a_patient_leaves_the_guardian_out(practice: Practice, chief: Client) -> None:
    now = clock.now()
    child = practice.add("Leo Ruiz", phone="+34 612 345 678", guardian=practice.ana, now=now)
    data = posted(chief, page_of(child))
    keep_guardian_out(practice.clinic, patient_id=child.pk, is_kept_out=True, actor=DESK, now=now)

    chief.post(page_of(child), {**data, "note": "x"})

    kept = Patient.objects.for_clinic(practice.clinic).get(pk=child.pk)
    assert (kept.is_guardian_kept_out, kept.note) == (True, "x")


def patient_again(practice: Practice) -> Patient:
    return Patient.objects.for_clinic(practice.clinic).get(pk=practice.ana.pk)


def drawn(page: Client, practice: Practice, form: str) -> dict[str, str]:
    """What a browser sends of a form of the patient's page as it is drawn."""
    shown = page.get(reverse("patient", args=[practice.ana.pk])).context[form]
    return {bound.html_name: str(bound.value()) for bound in shown}


@pytest.mark.parametrize(
    ("form", "url", "column", "typed"),
    [
        ("name_form", "patient-name", "full_name", "Ana Núñez Gil"),
        ("name_form", "patient-name", "language", "pt"),
        ("note_form", "patient-note", "note", "needs a ramp"),
    ],
)
def test_an_old_page_of_a_patient_says_what_stands_there_now_and_keeps_what_was_typed(
    practice: Practice, form: str, url: str, column: str, typed: str
) -> None:
    desk, other = at_desk(practice.clinic), at_desk(practice.clinic)
    first = User.objects.get(pk=other.session["_auth_user_id"])
    User.objects.filter(pk=first.pk).update(first_name="Noor", last_name="Haddad")
    address, data = reverse(url, args=[practice.ana.pk]), drawn(desk, practice, form)
    theirs = {"full_name": "Ana N. Ruiz", "language": "en", "note": "allergic to latex\nask first"}[column]
    assert other.post(address, {**drawn(other, practice, form), column: theirs}).status_code == 302

    refused = desk.post(address, {**data, column: typed})

    said = html.unescape(refused.content.decode())
    shown = "English" if column == "language" else theirs
    assert refused.status_code == 409 and getattr(patient_again(practice), column) == theirs
    assert (
        "Nothing was saved: Noor Haddad changed this on" in said
        and f"Look again, then save. It is now: {shown}" in said
    )
    again = {bound.html_name: str(bound.value()) for bound in refused.context[form]}
    assert (again[column], again[f"drawn_{column}"]) == (typed, theirs)

    assert desk.post(address, again).status_code == 302  # Whoever saves it once more has seen it.
    assert getattr(patient_again(practice), column) == typed


def test_what_nobody_touched_on_an_old_page_of_a_patient_stays_as_it_is(practice: Practice) -> None:
    desk = at_desk(practice.clinic)
    data, address = drawn(desk, practice, "name_form"), reverse("patient-name", args=[practice.ana.pk])
    note_data = {**drawn(desk, practice, "note_form"), "note": " "}
    at_desk(practice.clinic).post(address, {**data, "language": "pt"})
    at_desk(practice.clinic).post(reverse("patient-note", args=[practice.ana.pk]), {**note_data, "note": "deaf"})

    named = desk.post(address, {**data, "full_name": "Ana Gil"})
    noted = desk.post(reverse("patient-note", args=[practice.ana.pk]), note_data)

    ana = patient_again(practice)
    assert (named.status_code, noted.status_code) == (302, 302)
    assert (ana.full_name, ana.language, ana.note) == ("Ana Gil", "pt", "deaf")


def test_who_typed_the_same_as_somebody_else_changes_nothing(practice: Practice) -> None:
    desk, address = at_desk(practice.clinic), reverse("patient-name", args=[practice.ana.pk])
    data = {**drawn(desk, practice, "name_form"), "full_name": "Ana Gil"}
    at_desk(practice.clinic).post(address, data)

    assert desk.post(address, data).status_code == 302
    assert AuditEntry.objects.filter(action="patient.renamed", subject_id=str(practice.ana.pk)).count() == 1


def test_the_admin_names_whoever_changed_the_same_at_the_desk_or_there(practice: Practice, chief: Client) -> None:
    data, desk = posted(chief, page_of(practice.ana)), at_desk(practice.clinic)
    User.objects.filter(pk=desk.session["_auth_user_id"]).update(first_name="Noor", last_name="Haddad")
    desk.post(
        reverse("patient-note", args=[practice.ana.pk]), {**drawn(desk, practice, "note_form"), "note": "allergic"}
    )
    other = sign_in(practice.clinic, Role.CLINIC_ADMIN)
    User.objects.filter(pk=other.session["_auth_user_id"]).update(first_name="Luz", last_name="Paz")
    other.post(page_of(practice.ana), {**posted(other, page_of(practice.ana)), "born_on": "1980-02-03"})

    refused = chief.post(page_of(practice.ana), {**data, "note": "x", "born_on": "1980-02-04"}).content.decode()

    assert "Nothing was saved: Noor Haddad changed this on" in refused and "It is now: allergic" in refused
    assert "Nothing was saved: Luz Paz changed this on" in refused and "It is now: 1980-02-03" in refused


def test_what_nobody_is_known_to_have_changed_is_somebody_s(practice: Practice, chief: Client) -> None:
    data = posted(chief, page_of(practice.ana))
    Patient.objects.for_clinic(practice.clinic).filter(pk=practice.ana.pk).update(note="written by a script")

    refused = chief.post(page_of(practice.ana), {**data, "note": "x"}).content.decode()

    assert "somebody changed this meanwhile. Look again, then save. It is now: written by a script" in refused


def test_a_phone_on_an_old_page_of_the_clinic_leaves_its_new_address(practice: Practice, chief: Client) -> None:
    Clinic.objects.filter(pk=practice.clinic.pk).update(address="Calle Feria 12")
    data = posted(chief, page_of(practice.clinic))
    change_address(practice.clinic.pk, address="Plaza Nueva 3", tells=False, now=clock.now())

    chief.post(page_of(practice.clinic), {**data, "phone": "+34 910 000 000"})

    kept = Clinic.objects.get(pk=practice.clinic.pk)
    assert (kept.address, kept.phone) == ("Plaza Nueva 3", "+34 910 000 000")


def test_who_does_not_say_whether_the_guardian_is_notified_changes_nothing(practice: Practice) -> None:
    now = clock.now()
    child = practice.add("Leo Ruiz", phone="+34 612 345 678", guardian=practice.ana, now=now)
    keep_guardian_out(practice.clinic, patient_id=child.pk, is_kept_out=True, actor=DESK, now=now)

    at_desk(practice.clinic).post(reverse("patient-guardian", args=[child.pk]), {})

    assert Patient.objects.for_clinic(practice.clinic).get(pk=child.pk).is_guardian_kept_out


@pytest.mark.parametrize("what", ["move", "cancel"])
def test_an_old_page_neither_moves_nor_cancels(practice: Practice, what: str) -> None:
    visit = booked(practice)
    url = reverse(f"visit-{what}", args=[visit.pk])
    url = f"{url}?at={code(practice, at=time(12))}" if what == "move" else url
    moved_by_patient(practice, visit)

    answer = at_desk(practice.clinic).post(
        url, {"version": visit.notice_version, "reason": "", "common": "patient_called", "own": ""}
    )

    assert (again(visit).local_time, again(visit).is_live) == (time(9), True)
    assert f"The patient {CHANGED}" in answer.content.decode()
    assert f'name="version" value="{again(visit).notice_version}"' in at_desk(practice.clinic).get(url).content.decode()


@pytest.mark.parametrize(("typed", "kept"), [("", "fasting"), ("late by 5", "fasting")])
def test_an_old_page_edits_only_what_was_touched(practice: Practice, typed: str, kept: str) -> None:
    visit = booked(practice)
    longer = Service.objects.create(clinic=practice.clinic, name="Surgery", duration_minutes=60)
    gives_all(practice.clinic)
    drawn = {"drawn_service": visit.service_id, "drawn_note": visit.note, "service": visit.service_id}
    edit_visit(practice.clinic, appointment_id=visit.pk, service=longer, note="fasting", actor=DESK, now=clock.now())

    answer = at_desk(practice.clinic).post(reverse("visit-edit", args=[visit.pk]), {**drawn, "note": typed})

    assert (again(visit).service_id, again(visit).note) == (longer.pk, kept)
    assert answer.status_code == (409 if typed else 302)
    assert not typed or (
        typed in answer.content.decode() and f'value="{longer.pk}" selected' in answer.content.decode()
    )
