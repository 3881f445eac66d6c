"""A visit as a calendar file. The same visit has the same UID for ever, and a SEQUENCE that rises with each change (RFC 5545)."""

from __future__ import annotations

from datetime import datetime, timedelta
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils.translation import gettext as _
from icalendar import Calendar, Event, Timezone

from appointments.models import Appointment
from appointments.models.visits import FIRST_VERSION
from appointments.queries.addresses import moves_since_booked
from appointments.saying import link_of

PRODUCT = "-//clinicbot//visits//EN"
YEAR = timedelta(days=366)


def uid_of(visit: Appointment) -> str:
    return f"visit-{visit.pk}@{urlsplit(settings.BASE_URL).hostname or 'clinicbot'}"


def sequence_of(visit: Appointment) -> int:
    return visit.notice_version - FIRST_VERSION


def method_of(visit: Appointment) -> str:
    return "PUBLISH" if visit.is_live else "CANCEL"


def calendar_file(visit: Appointment, *, now: datetime) -> bytes:
    """In the active language, with the clinic's time zone, and without what the visit is for."""
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("method", method_of(visit))
    calendar.add_component(
        Timezone.from_tzinfo(
            ZoneInfo(visit.zone),
            tzid=visit.zone,
            first_date=visit.local_date - YEAR,
            last_date=visit.local_date + YEAR,
        )
    )
    calendar.add_component(_event(visit, now=now))
    return bytes(calendar.to_ical())


def _event(visit: Appointment, *, now: datetime) -> Event:
    clinic, zone, link = visit.clinic, ZoneInfo(visit.zone), link_of(visit)
    names = {"name": visit.patient.first_name, "clinic": clinic.name}
    event = Event()
    event.add("uid", uid_of(visit))
    # What the patient keeps has changed also when the clinic is elsewhere.
    event.add("sequence", sequence_of(visit) + moves_since_booked(visit))
    event.add("dtstamp", now)
    event.add("dtstart", visit.starts_at.astimezone(zone))
    event.add("dtend", visit.ends_at.astimezone(zone))
    event.add("summary", _("%(name)s: visit at %(clinic)s") % names)
    event.add("location", ", ".join(part for part in (clinic.name, clinic.address) if part))
    event.add("description", _description(visit, link=link))
    event.add("url", link)
    event.add("status", "CONFIRMED" if visit.is_live else "CANCELLED")
    return event


def _description(visit: Appointment, *, link: str) -> str:
    lines = [_("With %(name)s.") % {"name": visit.practitioner.full_name}]
    if visit.clinic.phone:
        lines.append(_("Telephone: %(phone)s") % {"phone": visit.clinic.phone})
    lines.append(_("How it stands now, and other times: %(link)s") % {"link": link})
    return "\n".join(lines)
