"""Staff pages as a test visits them. Pages read the real clock, so their visits lie ahead of today."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Any

from django.test import Client
from django.urls import reverse

from appointments.models import Appointment
from clinicbot import clock
from clinicbot.clinic_time import at_clinic
from clinicbot.models import Clinic, Role
from tests.appointments.making import Practice
from tests.factories import MembershipFactory


def at_desk(clinic: Clinic, *, role: Role = Role.FRONT_DESK) -> Client:
    """Somebody logged in, who reads English."""
    client = Client(headers={"accept-language": "en"})
    client.force_login(MembershipFactory.create(clinic=clinic, role=role).user)
    return client


def day_ahead(clinic: Clinic, days: int = 3) -> date:
    return at_clinic(clock.now(), clinic).date() + timedelta(days=days)


def booked(practice: Practice, *, at: time = time(10, 30), days: int = 3, **rest: Any) -> Appointment:
    """A visit that a page can still change."""
    return practice.book(now=clock.now(), day=day_ahead(practice.clinic, days), at=at, **rest)


def code(practice: Practice, *, at: time = time(10, 30), days: int = 3) -> str:
    """What a page writes for a time with the practice's practitioner in its room."""
    day = day_ahead(practice.clinic, days)
    return f"{day:%Y%m%d}T{at:%H%M}-{practice.practitioner.pk}-{practice.room.pk}"


def book_url(practice: Practice, **rest: Any) -> str:
    """The last step of booking Ana."""
    wanted = {"patient": practice.ana.pk, "service": practice.service.pk, "at": code(practice)}
    return reverse("book", query={**wanted, **rest})
