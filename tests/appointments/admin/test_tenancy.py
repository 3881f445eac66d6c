"""One clinic's admin neither shows, offers nor takes what is another's."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Any

import pytest
from django.contrib import admin
from django.db import models
from django.test import Client

from appointments.models import (
    Appointment,
    AppointmentChange,
    BookingKey,
    CalendarFeed,
    Closure,
    Patient,
    Practitioner,
    ReminderRule,
    Room,
    SendHours,
    Service,
    WorkingHours,
)
from appointments.usecases.clinics import add_default_rules
from appointments.usecases.feeds import open_feed
from clinicbot.models import Role
from tests.appointments.admin.conftest import sign_in
from tests.appointments.admin.pages import add_to, found, list_of, page_of
from tests.appointments.making import DESK, Practice
from tests.factories import UserFactory

MODELS = [
    Appointment,
    AppointmentChange,
    BookingKey,
    CalendarFeed,
    Closure,
    Patient,
    Practitioner,
    ReminderRule,
    Room,
    SendHours,
    Service,
]


@pytest.fixture
def full(practice: Practice, elsewhere: Practice, now: datetime) -> Practice:
    """Both clinics have a row of each kind; this is the own one."""
    for one in (practice, elsewhere):
        one.book(now=now)
        add_default_rules(one.clinic)
        open_feed(one.clinic, practitioner_id=one.practitioner.pk, shows_names=False, actor=DESK, now=now)
        Closure.objects.create(clinic=one.clinic, begins_on=date(2026, 8, 1), ends_on=date(2026, 8, 2))
    return practice


def rows_of(model: Any, practice: Practice) -> list[object]:
    return list(model.objects.for_clinic(practice.clinic).order_by("pk").values_list("pk", flat=True))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.model_name)
def test_a_list_holds_the_own_rows_and_all_of_them(full: Practice, chief: Client, model: type[models.Model]) -> None:
    assert sorted(found(chief, model), key=str) == sorted(rows_of(model, full), key=str)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.model_name)
def test_another_clinic_s_page_does_not_exist(full: Practice, elsewhere: Practice, chief: Client, model: Any) -> None:
    foreign = model.objects.for_clinic(elsewhere.clinic).order_by("pk").first()
    before = model.unscoped.filter(pk=foreign.pk).values().get()

    for view in ("change", "history"):
        for response in (chief.get(page_of(foreign, view)), chief.post(page_of(foreign, view), {"note": "stolen"})):
            assert response.status_code in (302, 403)  # What machines write takes no POST at all.

    assert model.unscoped.filter(pk=foreign.pk).values().get() == before


def test_hours_offer_own_rooms_and_take_no_other(practice: Practice, elsewhere: Practice, chief: Client) -> None:
    form = {
        "full_name": "Dr Own",
        "initials": "OW",
        "hue": 1,
        "is_active": "on",
        "hours-TOTAL_FORMS": 1,
        "hours-INITIAL_FORMS": 0,
        "hours-0-weekday": 2,
        "hours-0-begins": "09:00",
        "hours-0-ends": "12:00",
    }

    refused = chief.post(add_to(Practitioner), form | {"hours-0-room": elsewhere.room.pk})
    taken = chief.post(add_to(Practitioner), form | {"hours-0-room": practice.room.pk})

    assert (refused.status_code, taken.status_code) == (200, 302)
    hours = WorkingHours.objects.for_clinic(practice.clinic).get(practitioner__full_name="Dr Own")
    assert (hours.weekday, hours.begins, hours.room) == (2, time(9), practice.room)


def test_a_practitioner_s_login_is_somebody_s_who_works_here(practice: Practice, chief: Client) -> None:
    stranger = UserFactory.create()
    form = {"full_name": "Dr Own", "initials": "OW", "hue": 1, "hours-TOTAL_FORMS": 0, "hours-INITIAL_FORMS": 0}

    refused = chief.post(add_to(Practitioner), form | {"user": stranger.pk})

    assert refused.status_code == 200
    assert not Practitioner.objects.for_clinic(practice.clinic).filter(full_name="Dr Own").exists()


def test_a_closure_takes_own_practitioners_only(practice: Practice, elsewhere: Practice, chief: Client) -> None:
    days = {"begins_on": "2026-08-01", "ends_on": "2026-08-15", "reason": "Holidays"}

    form = chief.get(add_to(Closure)).content.decode()
    refused = chief.post(add_to(Closure), days | {"practitioner": elsewhere.practitioner.pk})
    taken = chief.post(add_to(Closure), days | {"practitioner": practice.practitioner.pk})

    assert practice.practitioner.full_name in form
    assert "Dr Foreign" not in form
    assert (refused.status_code, taken.status_code) == (200, 302)
    assert [closure.practitioner_id for closure in Closure.unscoped.all()] == [practice.practitioner.pk]


def test_an_action_does_not_reach_another_clinic_s_visit(
    practice: Practice, elsewhere: Practice, chief: Client, now: datetime
) -> None:
    foreign = elsewhere.book(now=now)

    chief.post(
        list_of(Appointment),
        {"action": "cancel_selected", "_selected_action": [foreign.pk], "reason": "because"},
    )

    assert Appointment.objects.for_clinic(elsewhere.clinic).get().is_live


def test_every_model_of_the_house_has_a_page_but_what_only_stops_double_clicks() -> None:
    shown = {model.__name__ for model in admin.site._registry if model._meta.app_label == "appointments"}

    assert shown == {model.__name__ for model in MODELS}


@pytest.mark.parametrize("model", [Practitioner, Room, Service, Closure, ReminderRule, SendHours])
def test_the_practice_is_the_clinic_admin_s_to_change(practice: Practice, model: type[models.Model]) -> None:
    statuses = {role: sign_in(practice.clinic, role).get(add_to(model)).status_code for role in Role}

    assert statuses == {Role.CLINIC_ADMIN: 200, Role.FRONT_DESK: 403, Role.PRACTITIONER: 403}
