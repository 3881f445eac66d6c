"""The search in the bar of every page."""

from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from appointments.queries.people import find_patients
from appointments.views.pages import page, part, read_clock
from clinicbot.access import ClinicRequest, permission_required_here


@require_safe
@permission_required_here("appointments.view_patient")
def find(request: ClinicRequest) -> HttpResponse:
    typed = request.GET.get("q", "").strip()[:160]
    context = {"typed": typed, "found": find_patients(request.clinic, text=typed)}
    return page(request, "patients/found_page.html", context, reading=read_clock())


@require_safe
@permission_required_here("appointments.view_patient")
def find_live(request: ClinicRequest) -> HttpResponse:
    """The list under the field, as it is typed."""
    typed = request.GET.get("q", "").strip()[:160]
    context = {"typed": typed, "found": find_patients(request.clinic, text=typed)}
    return part(request, "patients/found.html", context, reading=read_clock())
