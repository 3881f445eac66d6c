"""The calendar file of a visit."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from appointments.models import Appointment
from appointments.queries.calendar_file import calendar_file, method_of
from appointments.queries.patient_page import page_of
from appointments.views.patient_page.door import patient_page
from appointments.views.patient_page.wishes import WISH, row_of
from clinicbot import clock


@patient_page
@require_safe
def calendar(request: HttpRequest, visit: Appointment) -> HttpResponse:
    """Of the link's own visit, or of another of its household."""
    now = clock.now()
    wanted = row_of(page_of(visit, now=now), wanted=request.GET.get(WISH, "")).visit
    return HttpResponse(
        calendar_file(wanted, now=now),
        content_type=f"text/calendar; charset=utf-8; method={method_of(wanted)}",
        headers={"Content-Disposition": 'inline; filename="visit.ics"'},
    )
