"""A patient's page as a phone opens it: no login, only the link."""

from __future__ import annotations

from typing import Any

from django.test import Client
from django.urls import reverse

from appointments.models import Appointment
from appointments.queries.patient_page import PageState, state_of
from appointments.usecases.booking import cancel_appointment, reschedule_appointment
from appointments.usecases.people import NewPatient, add_patient
from clinicbot import clock
from messaging.contracts import Category
from tests.appointments.making import DESK, Practice
from tests.appointments.pages import booked, day_ahead
from tests.canary import values

ROUTES = ("patient-page", "patient-confirm", "patient-change", "patient-cancel", "patient-hearing", "patient-calendar")


def link(visit: Appointment, name: str = "patient-page", /, **query: Any) -> str:
    return reverse(name, args=[visit.link_token], query=query or None)


def wish(visit: Appointment) -> str:
    """What a button of the page posts, shown now."""
    visit.refresh_from_db()
    return f"{visit.pk}:{visit.notice_version}"


def state(visit: Appointment) -> PageState:
    visit.refresh_from_db()
    return state_of(visit, now=clock.now())


def leo_of(practice: Practice, **rest: Any) -> Appointment:
    """The visit of Ana's son, reached at her number, on the same day."""
    newcomer = NewPatient(full_name="Leo Núñez", phone=values.ANA_TYPED, language="es", agreed_to=(Category.VISITS,))
    leo = add_patient(practice.clinic, newcomer=newcomer, actor=DESK, now=clock.now())
    return booked(practice, patient=leo, **rest)


def move(practice: Practice, visit: Appointment, **rest: Any) -> None:
    """By the desk."""
    slot = practice.slot(day_ahead(practice.clinic, rest.pop("days", 3)), rest.pop("at"))
    reschedule_appointment(practice.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=clock.now())


def cancel(practice: Practice, visit: Appointment) -> None:
    """By the desk."""
    cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=clock.now())


def phone() -> Client:
    """Whoever holds the link: strange to the site, and checked for CSRF like a browser."""
    return Client(enforce_csrf_checks=True, headers={"accept-language": "en", "origin": "null"})
