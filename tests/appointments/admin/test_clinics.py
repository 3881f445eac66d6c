"""What a clinic admin is told who changes the clinic's time zone, and in which zone the admin shows times."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from django.test import Client

from appointments.models import AppointmentChange, ClinicMove, ReminderRule, SendHours
from appointments.ticks import rederive_times_of_visits
from clinicbot import clock
from clinicbot.models import Clinic
from clinicbot.ticks import Deadline
from outbox.models import OutboxEvent
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


def moving(practice: Practice, *, old: str = "Calle Feria 12") -> str:
    """The clinic's page, where Ana was told of a visit at the old address."""
    Clinic.objects.filter(pk=practice.clinic.pk).update(address=old)
    practice.clinic.refresh_from_db()
    practice.book(now=clock.now(), notify=False)
    return page_of(practice.clinic)


def addresses_told(practice: Practice) -> list[str]:
    return list(ClinicMove.objects.for_clinic(practice.clinic).values_list("old_address", flat=True))


def test_a_new_address_asks_whether_to_tell_those_who_know_the_old_one_and_shows_what_they_would_read(
    practice: Practice, chief: Client
) -> None:
    page = moving(practice)
    changes = settings_of(practice.clinic, address="Plaza Nueva 3")

    plain = chief.get(page).content.decode()
    asked = chief.post(page, changes)
    practice.clinic.refresh_from_db()
    before = (practice.clinic.address, addresses_told(practice))
    saved = chief.post(page, {**changes, "those_who_know": "tell"}, follow=True)

    text = asked.content.decode()
    assert "those_who_know" not in plain
    assert "1 visit knows the old address." in text
    assert "Nos encontrará en Plaza Nueva 3, ya no en Calle Feria 12." in text
    form = asked.context["adminform"].form
    assert (form["those_who_know"].value(), form["address"].value()) == ("tell", "Plaza Nueva 3")
    assert before == ("Calle Feria 12", [])
    practice.clinic.refresh_from_db()
    assert practice.clinic.address == "Plaza Nueva 3"
    assert addresses_told(practice) == ["Calle Feria 12"]
    assert OutboxEvent.objects.for_clinic(practice.clinic).filter(type="appointments.clinic_moved").count() == 1
    assert any("about the new address" in str(one) for one in saved.context["messages"])


def test_an_address_that_was_misspelt_is_put_right_without_telling_anybody(practice: Practice, chief: Client) -> None:
    page = moving(practice)

    wanted = settings_of(practice.clinic, address="Calle Feria 21", those_who_know="leave")
    assert chief.post(page, wanted).status_code == 302

    practice.clinic.refresh_from_db()
    assert practice.clinic.address == "Calle Feria 21"
    assert addresses_told(practice) == []


@pytest.mark.parametrize(
    ("old", "new"), [("", "Plaza Nueva 3"), ("Calle Feria 12", ""), ("Calle Feria 12", "CALLE FERIA, 12")]
)
def test_nothing_is_asked_where_nobody_would_go_to_the_wrong_place(
    practice: Practice, chief: Client, old: str, new: str
) -> None:
    page = moving(practice, old=old)

    assert chief.post(page, settings_of(practice.clinic, address=new)).status_code == 302
    assert addresses_told(practice) == ([] if new else [old])  # Remembered for when there is one again.


def test_nothing_is_asked_where_no_visit_is_to_come_and_of_another_clinics_nothing_is_told(
    practice: Practice, chief: Client, elsewhere: Practice
) -> None:
    Clinic.objects.filter(pk=practice.clinic.pk).update(address="Calle Feria 12")
    moving(elsewhere)

    assert chief.post(page_of(practice.clinic), settings_of(practice.clinic, address="B 1")).status_code == 302
    assert chief.post(page_of(elsewhere.clinic), settings_of(elsewhere.clinic, address="B 1")).status_code != 200
    assert (addresses_told(practice), addresses_told(elsewhere)) == (
        ["Calle Feria 12"],
        [],
    )  # For a visit that stands again.


@pytest.mark.django_db
def test_a_new_clinic_begins_with_reminders_and_sending_hours(client: Client) -> None:
    client.force_login(UserFactory.create(is_superuser=True, is_staff=True))
    wanted = {"name": "Nova", "slug": "nova", "zone": "Europe/Madrid", "country": "ES", "language": "es"}

    assert client.post(add_to(Clinic), wanted).status_code == 302

    nova = Clinic.objects.get(slug="nova")
    assert ReminderRule.objects.for_clinic(nova).count() == 3
    assert SendHours.objects.for_clinic(nova).exists()
