"""A practitioner's visits as a calendar that other programs ask for again and again (RFC 5545)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Exists, OuterRef, Q
from django.urls import reverse
from icalendar import Calendar, Event, Timezone

from appointments.models import Appointment, AppointmentStatus, CalendarFeed, Practitioner
from appointments.queries.calendar_file import PRODUCT, sequence_of, uid_of
from clinicbot.models import Clinic, Membership

BACK, AHEAD = timedelta(days=31), timedelta(days=366)
REFRESH = timedelta(minutes=30)
YEAR = timedelta(days=366)


class FeedLine(NamedTuple):
    """feed: None where the practitioner has none."""

    practitioner: Practitioner
    feed: CalendarFeed | None


def feeds_of(clinic: Clinic) -> list[FeedLine]:
    """One line for everybody who works here, by name. Two queries."""
    people = Practitioner.objects.for_clinic(clinic).filter(works_here()).order_by("full_name", "pk")
    live = CalendarFeed.objects.for_clinic(clinic).filter(revoked_at__isnull=True)
    of_person = {feed.practitioner_id: feed for feed in live}
    return [FeedLine(person, of_person.get(person.pk)) for person in people]


def find_feed(token_hash: str) -> CalendarFeed | None:
    """Of whichever clinic: the address is the key. None once it has ended, or the practitioner no longer works here."""
    return (
        CalendarFeed.unscoped.select_related("clinic", "practitioner")
        .filter(works_here("practitioner__"), token_hash=token_hash, revoked_at__isnull=True)
        .first()
    )


def works_here(path: str = "") -> Q:
    """Of practitioners, or of what leads to one: in use, and their login, if they have one, may log in at their clinic now."""
    member = Membership.objects.filter(
        user=OuterRef(f"{path}user"), clinic=OuterRef(f"{path}clinic"), user__is_active=True
    )
    return Q(**{f"{path}is_active": True}) & (Q(**{f"{path}user": None}) | Q(Exists(member)))


def feed_file(feed: CalendarFeed, *, now: datetime) -> bytes:
    """From a month back to a year ahead; what was cancelled is in it as such, so that programs take it away."""
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", f"{feed.practitioner.full_name}, {feed.clinic.name}")
    calendar.add("refresh-interval", REFRESH, parameters={"value": "DURATION"})
    calendar.add("x-published-ttl", REFRESH)
    visits = list(_visits(feed, now=now))
    for zone in sorted({visit.zone for visit in visits}):
        first, last = now.date() - YEAR, now.date() + 2 * YEAR
        calendar.add_component(Timezone.from_tzinfo(ZoneInfo(zone), tzid=zone, first_date=first, last_date=last))
    for visit in visits:
        calendar.add_component(_event(visit, shows_names=feed.shows_names, now=now))
    return bytes(calendar.to_ical())


def initials_of(full_name: str) -> str:
    """ "Ana María López" is "A. M. L."."""
    return " ".join(f"{part[0].upper()}." for part in full_name.split())


def _visits(feed: CalendarFeed, *, now: datetime) -> Iterable[Appointment]:
    return (
        Appointment.objects.for_clinic(feed.clinic_id)
        .filter(practitioner_id=feed.practitioner_id, starts_at__gte=now - BACK, starts_at__lt=now + AHEAD)
        .exclude(status__in=[AppointmentStatus.REQUESTED, AppointmentStatus.EXPIRED])
        .select_related("patient", "room", "service")
        .order_by("starts_at", "pk")
    )


def _event(visit: Appointment, *, shows_names: bool, now: datetime) -> Event:
    name = visit.patient.full_name
    event, zone = Event(), ZoneInfo(visit.zone)
    event.add("uid", uid_of(visit))
    event.add("sequence", sequence_of(visit))
    event.add("dtstamp", now)
    event.add("dtstart", visit.starts_at.astimezone(zone))
    event.add("dtend", visit.ends_at.astimezone(zone))
    event.add("summary", name if shows_names else initials_of(name))
    event.add("status", "CONFIRMED" if visit.is_live else "CANCELLED")
    event.add("class", "PRIVATE")
    if visit.room:
        event.add("location", visit.room.name)
    if settings.BASE_URL:
        event.add("url", f"{settings.BASE_URL.rstrip('/')}{reverse('visit', args=[visit.pk])}")
    if shows_names:
        event.add("description", visit.service.name)
    return event
