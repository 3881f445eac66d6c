"""Which messages come to which of the patient's numbers, and the way to stop them or have them again."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from appointments.models import Appointment
from appointments.queries.hearing_wishes import wishes_of
from appointments.usecases.patient_page import choose_messages
from appointments.views.patient_page.door import back, patient_page, said_on, show
from clinicbot import clock
from messaging.contracts import Category

WANTS = {"yes": True, "no": False}


@patient_page
@require_http_methods(["GET", "HEAD", "POST"])
def hearing(request: HttpRequest, visit: Appointment) -> HttpResponse:
    now = clock.now()
    ways = wishes_of(visit.patient, now=now)
    if request.method != "POST":
        context = {"ways": ways, "said": said_on(request, visit)}
        return show(request, visit, "patient_page/hearing.html", context)
    wanted = WANTS.get(request.POST.get("wants", ""))
    contact_id, category = request.POST.get("contact", ""), request.POST.get("category", "")
    may = any(str(way.contact_id) == contact_id and wish.category == category for way in ways for wish in way.wishes)
    if wanted is None or not may:
        return back(visit, name="patient-hearing")
    choose_messages(visit, contact_id=int(contact_id), category=Category(category), wanted=wanted, now=now)
    return back(visit, said="started" if wanted else "stopped", name="patient-hearing")
