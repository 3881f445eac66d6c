"""Today, or any other day."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from appointments.queries.day_rows import FLAGS
from appointments.queries.today import day_at
from appointments.views.pages import day_of, number_of, page, part, read_clock, today_at
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.clock import Reading


@require_safe
@permission_required_here("appointments.view_appointment")
def today(request: ClinicRequest) -> HttpResponse:
    reading = read_clock()
    return page(request, "today/page.html", context_of_day(request, reading=reading), reading=reading)


@require_safe
@permission_required_here("appointments.view_appointment")
def today_live(request: ClinicRequest) -> HttpResponse:
    """The counts and the board alone, for a page that is open."""
    reading = read_clock()
    return part(request, "today/live.html", context_of_day(request, reading=reading), reading=reading)


def context_of_day(request: ClinicRequest, *, reading: Reading) -> dict[str, Any]:
    real_today = today_at(request.clinic, reading=reading)
    day = day_of(request.GET.get("day", "")) or real_today
    only = request.GET.get("only", "")
    board = day_at(request.clinic, day=day, now=reading.now, only=only if only in FLAGS else "")
    wanted = number_of(request.GET.get("who", ""))
    people = [lane.practitioner.pk for lane in board.lanes]
    return {
        "section": "today",
        "board": board,
        "only": only if only in FLAGS else "",
        "who": wanted if wanted in people else next(iter(people), None),
        "is_today": day == real_today,
        "real_today": real_today,
        "previous": day - timedelta(days=1) if day.toordinal() > 1 else day,
        "following": day + timedelta(days=1) if day.year < 9999 else day,
    }
