"""The calendar file: one visit is one entry for ever, whatever becomes of it."""

from __future__ import annotations

from datetime import date, time

from icalendar import Calendar, Event

from appointments.models import Appointment
from clinicbot import clock
from clinicbot.clinic_time import at_clinic
from tests.appointments.chat import run, said
from tests.appointments.making import Practice
from tests.appointments.pages import booked
from tests.appointments.patient_page.links import cancel, leo_of, link, move, phone
from tests.messaging.sending.fakes import FakeChannel


def file_of(visit: Appointment, /, **query: object) -> tuple[Calendar, Event]:
    response = phone().get(link(visit, "patient-calendar", **query))
    assert response.headers["Content-Type"].startswith("text/calendar; charset=utf-8; method=")
    calendar = Calendar.from_ical(response.content)
    assert isinstance(calendar, Calendar)
    return calendar, calendar.events[0]


def test_two_moves_and_a_cancellation_are_one_entry_with_rising_numbers(practice: Practice) -> None:
    visit = booked(practice)
    files = [file_of(visit)]
    for at in (time(12), time(15)):
        move(practice, visit, at=at)
        files.append(file_of(visit))
    cancel(practice, visit)
    files.append(file_of(visit))

    assert {str(event["UID"]) for _calendar, event in files} == {f"visit-{visit.pk}@testserver"}
    assert [event.sequence for _calendar, event in files] == [0, 1, 2, 3]
    assert [str(calendar["METHOD"]) for calendar, _event in files] == ["PUBLISH"] * 3 + ["CANCEL"]
    assert [str(event["STATUS"]) for _calendar, event in files] == ["CONFIRMED"] * 3 + ["CANCELLED"]


def test_the_file_has_the_clinics_time_and_zone_and_not_what_the_visit_is_for(practice: Practice) -> None:
    practice.clinic.address, practice.clinic.phone = "C/ Mayor 5", "954 55 01 20"
    practice.clinic.save()
    visit = booked(practice)

    calendar, event = file_of(visit)

    assert event["DTSTART"].params["TZID"] == practice.clinic.zone
    assert (visit.starts_at, visit.ends_at) == (event.DTSTART, event.DTEND)
    assert f":{visit.local_date:%Y%m%d}T103000" in calendar.to_ical().decode()
    assert [str(zone["TZID"]) for zone in calendar.walk("VTIMEZONE")] == [practice.clinic.zone]
    assert "C/ Mayor 5" in str(event["LOCATION"])
    assert "954 55 01 20" in str(event["DESCRIPTION"]) and link(visit) in str(event["DESCRIPTION"])
    assert str(event["SUMMARY"]) == f"Ana: cita en {practice.clinic.name}"
    assert practice.service.name not in calendar.to_ical().decode()


def test_ten_in_july_is_ten_in_the_message_on_the_page_and_in_the_file(
    speaking: Practice, channel: FakeChannel
) -> None:
    """clinics C03, C04: never eight, which is what it is in UTC."""
    now = clock.now()
    july = date(at_clinic(now, speaking.clinic).year + 1, 7, 15)
    visit = speaking.book(now=now, day=july, at=time(10))
    run(now=now)

    page = phone().get(link(visit)).content.decode()
    file = phone().get(link(visit, "patient-calendar")).content.decode()

    (message,) = said(channel)
    assert "15 jul, 10:00" in message and "08:00" not in message
    assert "10:00" in page and "08:00" not in page
    assert "DTSTART;TZID=Europe/Madrid:" + f"{july:%Y%m%d}T100000" in file


def test_each_of_a_household_has_its_own_file(practice: Practice) -> None:
    ana, leo = booked(practice), leo_of(practice, at=time(12))

    _calendar, event = file_of(ana, visit=leo.pk)

    assert str(event["UID"]) == f"visit-{leo.pk}@testserver"
    assert file_of(ana, visit=booked(practice, days=4).pk)[1]["UID"] == f"visit-{ana.pk}@testserver"
