"""What every staff page is rendered with, and what views share."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render

from appointments.queries.frame import frame_of
from clinicbot import clock
from clinicbot.access import ClinicRequest, is_superuser
from clinicbot.clinic_time import at_clinic
from clinicbot.clock import Reading
from clinicbot.models import Clinic
from messaging.queries.stops import ACCOUNT, ALL


def page(
    request: ClinicRequest, template: str, context: Mapping[str, Any], *, reading: Reading, status: int = 200
) -> HttpResponse:
    """A whole page: with the bar, the banners and, in a demo, the clock."""
    sets_reminders = request.user.has_perm("appointments.change_reminderrule")
    frame = frame_of(request.clinic, sets_reminders=sets_reminders, reading=reading)
    stops = [banner.stop for banner in frame.banners if banner.stop]
    return render(
        request,
        template,
        {
            **context,
            "clinic": request.clinic,
            "now": reading.now,
            "frame": frame,
            "may_release": [stop.what for stop in stops if may_release(request, stop.what)],
            "phones_url": settings.SIMULATOR_URL,
            "languages": settings.LANGUAGES,
        },
        status=status,
    )


def part(
    request: ClinicRequest, template: str, context: Mapping[str, Any], *, reading: Reading, status: int = 200
) -> HttpResponse:
    """A piece of a page that asks for itself again."""
    return render(request, template, {**context, "clinic": request.clinic, "now": reading.now}, status=status)


def read_clock() -> Reading:
    """Once in each view."""
    return clock.read()


def today_at(clinic: Clinic, *, reading: Reading) -> date:
    return at_clinic(reading.now, clinic).date()


def day_of(text: str) -> date | None:
    """None for what is no day."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def number_of(text: str) -> int | None:
    """An id from an address; None for what is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None


def may_release(request: ClinicRequest, what: str) -> bool:
    """The switch of every clinic is a superuser's."""
    if what == ALL:
        return is_superuser(request.user)
    permission = "messaging.pause_sendingaccount" if what == ACCOUNT else "messaging.throw_killswitch"
    return request.user.has_perm(permission)
