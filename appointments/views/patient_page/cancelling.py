"""Cancelling on the patient's page: which of them, and why if they care to say."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from appointments.models import Appointment
from appointments.queries.patient_page import PatientPage, page_of
from appointments.reasons import PATIENT_REASONS
from appointments.usecases.patient_page import cancel_shown
from appointments.views.patient_page.door import back, patient_page, show
from appointments.views.patient_page.looking import CHANGED, word_for
from appointments.views.patient_page.wishes import WISH, shown_of
from clinicbot import clock


@patient_page
@require_http_methods(["GET", "HEAD", "POST"])
def cancel(request: HttpRequest, visit: Appointment) -> HttpResponse:
    now = clock.now()
    page = page_of(visit, now=now)
    if request.method != "POST":
        if not page.changeable:
            return back(visit, said=CHANGED)
        return _ask(request, visit, page=page)
    shown = shown_of(request, page)
    if not shown:
        return _ask(request, visit, page=page, is_nothing_chosen=True)
    reason = request.POST.get("reason", "")
    known = reason if reason in dict(PATIENT_REASONS) else ""
    return back(visit, said=word_for(cancel_shown(shown, reason=known, now=now), all_done="cancelled"))


def _ask(
    request: HttpRequest, visit: Appointment, *, page: PatientPage, is_nothing_chosen: bool = False
) -> HttpResponse:
    chosen = request.GET.get(WISH, "")
    context = {
        "page": page,
        "chosen": [row.visit.pk for row in page.changeable if str(row.visit.pk) == chosen],
        "reasons": PATIENT_REASONS,
        "picked_reason": request.POST.get("reason", ""),
        "is_nothing_chosen": is_nothing_chosen,
    }
    return show(request, visit, "patient_page/cancel.html", context, status=400 if is_nothing_chosen else 200)
