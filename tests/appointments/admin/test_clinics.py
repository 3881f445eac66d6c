"""What a clinic admin is told who changes the clinic's time zone, and in which zone the admin shows times."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from django.test import Client

from appointments.models import AppointmentChange, ReminderRule, SendHours
from appointments.ticks import rederive_times_of_visits
from clinicbot import clock
from clinicbot.models import Clinic
from clinicbot.ticks import Deadline
from tests.appointments.admin.pages import add_to, list_of, page_of, text_of
from tests.appointments.making import Practice
from tests.factories import UserFactory


def settings_of(clinic: Clinic, **changes: str) -> dict[str, str]:
    names = ("name", "slug", "zone", "country", "language", "phone", "address")
    return {name: getattr(clinic, name) for name in names} | changes


def test_who_changes_the_zone_is_told_how_many_visits_keep_their_clock_time(
    practice: Practice, chief: Client, desk: Client
) -> None:
    now = clock.now()
    visit = practice.book(now=now)
    page = page_of(practice.clinic)

    saved = chief.post(page, settings_of(practice.clinic, zone="America/Mexico_City"), follow=True)
    again = chief.post(page, settings_of(practice.clinic, zone="America/Mexico_City", phone="1"), follow=True)
    rederive_times_of_visits(now=now, real=now, deadline=Deadline(20))

    assert [str(one)[:30] for one in saved.context["messages"]][:1] == ["1 coming visit keeps its clock"]
    assert all("clock time" not in str(one) for one in again.context["messages"])
    then = visit.starts_at
    visit.refresh_from_db()
    assert visit.zone == "America/Mexico_City"
    assert timedelta(hours=7) <= visit.starts_at - then <= timedelta(hours=8)


def test_the_admin_shows_times_as_the_clinics_clock_shows_them(practice: Practice, chief: Client) -> None:
    Clinic.objects.filter(pk=practice.clinic.pk).update(zone="America/Mexico_City")
    practice.book(now=datetime(2026, 4, 14, 19, 7, tzinfo=UTC), day=date(2026, 4, 21))
    assert AppointmentChange.unscoped.get().happened_at.hour == 19

    listed = text_of(chief, list_of(AppointmentChange))

    assert "1:07 p.m." in listed or "13:07" in listed
    assert "7:07 p.m." not in listed


@pytest.mark.django_db
def test_a_new_clinic_begins_with_reminders_and_sending_hours(client: Client) -> None:
    client.force_login(UserFactory.create(is_superuser=True, is_staff=True))
    wanted = {"name": "Nova", "slug": "nova", "zone": "Europe/Madrid", "country": "ES", "language": "es"}

    assert client.post(add_to(Clinic), wanted).status_code == 302

    nova = Clinic.objects.get(slug="nova")
    assert ReminderRule.objects.for_clinic(nova).count() == 3
    assert SendHours.objects.for_clinic(nova).exists()
