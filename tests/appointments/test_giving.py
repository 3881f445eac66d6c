"""Who gives which service: asked at every door, and set in the admin."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse

from appointments.errors import NotAtThisClinicError, ServiceNotGivenError
from appointments.models import Appointment, Practitioner, PractitionerService, Service
from appointments.queries.free_slots import SlotWish, find_free_slots
from appointments.queries.giving import given_pairs
from appointments.usecases.booking import reschedule_appointment
from appointments.usecases.changing import VisitWish, change_visit, edit_visit
from appointments.usecases.giving import set_givers_of, set_services_of
from appointments.usecases.importing import import_visit
from clinicbot.models import Role
from tests.appointments.admin.conftest import sign_in
from tests.appointments.admin.pages import add_to, page_of
from tests.appointments.making import DESK, Practice, make_practice
from tests.appointments.pages import at_desk, book_url, booked, code, day_ahead
from tests.appointments.patient_page.links import link
from tests.factories import ClinicFactory

DAY = date(2026, 4, 21)


@pytest.fixture
def colleague(practice: Practice, now: datetime) -> Practice:
    """At the same clinic; gives only the own service, which nobody else gives."""
    other = make_practice(practice.clinic, now=now, name="Dr. Mateo Quiroga")
    for one in (practice, other):
        set_services_of(one.clinic, practitioner_id=one.practitioner.pk, service_ids=[one.service.pk])
    return other


def gives(practice: Practice) -> set[int]:
    return {service for person, service in given_pairs(practice.clinic) if person == practice.practitioner.pk}


def test_a_service_is_booked_only_with_those_who_give_it(
    practice: Practice, colleague: Practice, now: datetime
) -> None:
    with pytest.raises(ServiceNotGivenError):
        practice.book(now=now, day=DAY, service=colleague.service)

    assert colleague.book(now=now, day=DAY, service=colleague.service).practitioner == colleague.practitioner


def test_a_visit_moves_only_to_those_who_give_its_service(
    practice: Practice, colleague: Practice, now: datetime
) -> None:
    visit = practice.book(now=now, day=DAY)

    with pytest.raises(ServiceNotGivenError):
        reschedule_appointment(
            practice.clinic, appointment_id=visit.pk, slot=colleague.slot(DAY, time(12)), actor=DESK, now=now
        )
    set_services_of(practice.clinic, practitioner_id=practice.practitioner.pk, service_ids=[])
    with pytest.raises(ServiceNotGivenError):  # Nor to another time with somebody who no longer gives it.
        reschedule_appointment(
            practice.clinic, appointment_id=visit.pk, slot=practice.slot(DAY, time(12)), actor=DESK, now=now
        )

    visit.refresh_from_db()
    assert (visit.local_time, visit.notice_version) == (time(10, 30), 1)


def test_another_service_must_be_the_practitioner_s_or_come_with_another(
    practice: Practice, colleague: Practice, now: datetime
) -> None:
    visit = practice.book(now=now, day=DAY)

    with pytest.raises(ServiceNotGivenError):
        edit_visit(practice.clinic, appointment_id=visit.pk, service=colleague.service, note="", actor=DESK, now=now)
    wish = VisitWish(service=colleague.service, note="", slot=colleague.slot(DAY, time(12)))
    both = change_visit(practice.clinic, appointment_id=visit.pk, wish=wish, actor=DESK, now=now)

    assert (both.practitioner, both.service) == (colleague.practitioner, colleague.service)


def test_what_is_brought_in_is_given_by_them_if_it_is_to_come(
    practice: Practice, colleague: Practice, now: datetime
) -> None:
    def bring(day: date) -> Appointment:
        slot = practice.slot(day, time(9))
        return import_visit(practice.clinic, patient=practice.ana, slot=slot, service=colleague.service, now=now)

    with pytest.raises(ServiceNotGivenError):
        bring(DAY)

    assert bring(now.date() - timedelta(days=7)).service == colleague.service  # It was so.


def test_free_times_with_anyone_are_with_those_who_give_it(
    practice: Practice, colleague: Practice, now: datetime
) -> None:
    def people(service: Service, practitioner_id: int | None = None) -> set[int]:
        wish = SlotWish(service=service, from_day=DAY, days=2, practitioner_id=practitioner_id)
        found = find_free_slots(practice.clinic, wish=wish, now=now, limit=1000)
        return {free.slot.practitioner_id for free in found}

    assert people(practice.service) == {practice.practitioner.pk}
    assert people(colleague.service) == {colleague.practitioner.pk}
    assert people(colleague.service, practice.practitioner.pk) == set()


def test_the_booking_page_offers_who_gives_it_and_says_who_does_not(practice: Practice, colleague: Practice) -> None:
    desk = at_desk(practice.clinic)
    wish = {"patient": practice.ana.pk, "service": colleague.service.pk, "with": practice.practitioner.pk}

    page = desk.get(reverse("book", query=wish)).content.decode()
    picked = desk.get(book_url(practice, service=colleague.service.pk)).content.decode()

    assert f">{colleague.practitioner.full_name}</option>" in page
    assert f">{practice.practitioner.full_name}</option>" not in page
    assert f"{practice.practitioner.full_name} does not give “{colleague.service.name}”." in page
    assert "Once a time is chosen" in picked


def test_the_desk_is_told_why_it_is_not_booked(practice: Practice, colleague: Practice) -> None:
    url = book_url(practice, service=colleague.service.pk)

    response = at_desk(practice.clinic).post(url, {"token": "6c1d2a52-8f39-4a55-9f0c-1f2f3a4b5c6d", "note": ""})

    assert response.status_code == 409
    assert "That practitioner does not give this service." in response.content.decode()
    assert not Appointment.objects.for_clinic(practice.clinic).exists()


def test_the_edit_page_offers_another_time_with_those_who_give_it(practice: Practice, colleague: Practice) -> None:
    visit = booked(practice)

    response = at_desk(practice.clinic).post(
        reverse("visit-edit", args=[visit.pk]), {"service": colleague.service.pk, "note": ""}
    )

    assert response.status_code == 409
    assert "That practitioner does not give this service." in response.content.decode()
    assert f"-{colleague.practitioner.pk}-" in response.content.decode()


def test_a_patient_s_page_neither_offers_nor_takes_who_does_not_give_it(
    practice: Practice, colleague: Practice, client: Client
) -> None:
    visit = booked(practice)
    at = code(colleague, at=time(12))

    page = client.get(link(visit, "patient-change")).content.decode()
    answer = client.post(link(visit, "patient-change"), {"visit": f"{visit.pk}:1", "at": at})

    visit.refresh_from_db()
    assert colleague.practitioner.full_name not in page
    assert (answer.status_code, visit.practitioner) == (409, practice.practitioner)


def test_the_admin_s_form_of_a_visit_says_the_same(practice: Practice, colleague: Practice) -> None:
    visit = booked(practice)
    form = {
        "local_date": day_ahead(practice.clinic),
        "local_time": "12:00",
        "practitioner": colleague.practitioner.pk,
        "room": "",
        "service": practice.service.pk,
        "note": "",
    }

    page = sign_in(practice.clinic, Role.CLINIC_ADMIN).post(page_of(visit), form, headers={"accept-language": "en"})

    assert "That practitioner does not give this service." in page.content.decode()


def form_of(practice: Practice, **rest: object) -> dict[str, object]:
    one = practice.practitioner
    hours = {"hours-TOTAL_FORMS": 0, "hours-INITIAL_FORMS": 0}
    return {"full_name": one.full_name, "initials": "LB", "hue": 1, "is_active": "on", **hours, **rest}


def test_the_admin_ticks_what_somebody_gives_and_hears_what_stands(practice: Practice, colleague: Practice) -> None:
    booked(practice)
    chief = sign_in(practice.clinic, Role.CLINIC_ADMIN)

    form = chief.get(page_of(practice.practitioner)).content.decode()
    saved = chief.post(
        page_of(practice.practitioner),
        form_of(practice, gives=[colleague.service.pk]),
        follow=True,
        headers={"accept-language": "en"},
    )

    assert form.count('name="gives"') == 2
    assert gives(practice) == {colleague.service.pk}
    assert "1 coming visit is with somebody who does not give its service." in saved.content.decode()


def test_a_new_service_asks_who_gives_it_and_a_new_practitioner_what(practice: Practice, colleague: Practice) -> None:
    chief = sign_in(practice.clinic, Role.CLINIC_ADMIN)
    new = {"name": "Whitening", "duration_minutes": 30, "buffer_before_minutes": 0, "buffer_after_minutes": 0}

    form = chief.get(add_to(Service)).content.decode()
    chief.post(add_to(Service), new | {"is_active": "on", "given_by": [practice.practitioner.pk]})
    chief.post(add_to(Practitioner), form_of(practice, full_name="Dr New", gives=[colleague.service.pk]))

    whitening = Service.objects.for_clinic(practice.clinic).get(name="Whitening")
    newcomer = Practitioner.objects.for_clinic(practice.clinic).get(full_name="Dr New")
    assert form.count("checked") >= 2
    assert list(whitening.practitioners.all()) == [practice.practitioner]
    assert list(newcomer.services.all()) == [colleague.service]


def test_who_only_looks_sees_what_is_given(practice: Practice, colleague: Practice) -> None:
    page = sign_in(practice.clinic, Role.FRONT_DESK).get(page_of(practice.practitioner)).content.decode()

    assert practice.service.name in page
    assert colleague.service.name not in page


@pytest.mark.parametrize("from_service", [False, True])
def test_another_clinic_s_rows_are_not_given(practice: Practice, now: datetime, from_service: bool) -> None:
    foreign = make_practice(ClinicFactory.create(), now=now, name="Dr Foreign")
    chief = sign_in(practice.clinic, Role.CLINIC_ADMIN)
    own = (practice.practitioner.pk, practice.service.pk)

    def by_use_case() -> None:
        if from_service:
            set_givers_of(practice.clinic, service_id=own[1], practitioner_ids=[foreign.practitioner.pk])
        else:
            set_services_of(practice.clinic, practitioner_id=own[0], service_ids=[foreign.service.pk])

    with pytest.raises(NotAtThisClinicError):
        by_use_case()
    chief.post(page_of(practice.practitioner), form_of(practice, gives=[foreign.service.pk]))

    assert given_pairs(practice.clinic) == {own}
    assert given_pairs(foreign.clinic) == {(foreign.practitioner.pk, foreign.service.pk)}


@pytest.mark.parametrize("column", ["practitioner", "service"])
def test_the_database_keeps_what_is_given_within_a_clinic(practice: Practice, now: datetime, column: str) -> None:
    foreign = make_practice(ClinicFactory.create(), now=now, name="Dr Foreign")
    pair = {"practitioner": practice.practitioner, "service": practice.service, column: getattr(foreign, column)}

    row = PractitionerService.objects.create(clinic=practice.clinic, **pair)

    with pytest.raises(IntegrityError), transaction.atomic():
        connection.check_constraints()
    row.delete()
