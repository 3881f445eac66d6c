"""The patient's page itself: how their visits stand, and the way to say that they come."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.views.decorators.http import require_http_methods, require_safe

from appointments.models import Appointment
from appointments.queries.patient_page import PageState, PatientPage, days_until, page_of
from appointments.queries.reach import is_reachable, reach_of
from appointments.usecases.patient_page import Done, confirm_shown
from appointments.views.patient_page.door import back, patient_page, said_on, show
from appointments.views.patient_page.wishes import shown_of
from clinicbot import clock

CHANGED, PARTLY = "changed", "partly"
# What was done is said only while it is true of a row. One of a household that was cancelled has none.
TRUE_OF = {
    "confirmed": {PageState.CONFIRMED},
    "moved": {PageState.BOOKED, PageState.CONFIRMED},
}


@patient_page
@require_safe
def look(request: HttpRequest, visit: Appointment) -> HttpResponse:
    now = clock.now()
    page = page_of(visit, now=now)
    said = _said(said_on(request, visit), page)
    context = {
        "page": page,
        "days": days_until(page.lead.visit, clinic=visit.clinic, now=now),
        "said": said,
        "is_written_to": bool(said) and is_reachable(reach_of(visit.patient, now=now)),
    }
    return show(request, visit, "patient_page/page.html", context)


@patient_page
@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HttpRequest, visit: Appointment) -> HttpResponse:
    """A machine that follows the link only sees the page."""
    if request.method != "POST":
        return HttpResponseRedirect(resolve_url("patient-page", visit.link_token))
    now = clock.now()
    done = confirm_shown(shown_of(request, page_of(visit, now=now)), now=now)
    return back(visit, said=word_for(done, all_done="confirmed"))


def word_for(done: Done, *, all_done: str) -> str:
    return {Done.ALL: all_done, Done.SOME: PARTLY, Done.NONE: CHANGED}[done]


def _said(said: str, page: PatientPage) -> str:
    states = TRUE_OF.get(said)
    return said if states is None or any(row.state in states for row in page.rows) else ""
