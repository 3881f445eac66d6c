"""Another time, on the patient's page: free times, a look at old and new, and only then the move."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from appointments.errors import SlotTakenError, TimeInGapError
from appointments.models import Appointment
from appointments.queries.free_slots import FreeSlot
from appointments.queries.offers import code_of, nearest_to, slot_of_code
from appointments.queries.patient_page import PageVisit, find_offered, page_of, times_for, wish_for
from appointments.slots import Slot
from appointments.usecases.patient_page import Shown, move_shown
from appointments.views.pages import day_of
from appointments.views.patient_page.door import back, patient_page, show
from appointments.views.patient_page.looking import CHANGED
from appointments.views.patient_page.wishes import WISH, row_of, shown_of
from clinicbot import clock
from clinicbot.clinic_time import at_clinic
from clinicbot.errors import ClinicBotError

FURTHEST_YEARS = 2


@patient_page
@require_http_methods(["GET", "HEAD", "POST"])
def change(request: HttpRequest, visit: Appointment) -> HttpResponse:
    now = clock.now()
    page = page_of(visit, now=now)
    if request.method == "POST":
        shown = shown_of(request, page)
        return _move(request, visit, shown=shown[0], now=now) if shown else back(visit, said=CHANGED)
    row = row_of(page, wanted=request.GET.get(WISH, ""))
    if not row.can_change:
        return back(visit, said=CHANGED)
    slot = _slot(request.GET.get("at", ""), row.visit)
    if slot is None:
        return _offer(request, visit, row=row, now=now)
    picked = find_offered(row.visit, slot=slot, now=now)
    if picked is None:
        return _refuse(request, visit, row=row, slot=slot, now=now)
    return _review(request, visit, row=row, picked=picked)


def _move(request: HttpRequest, visit: Appointment, *, shown: Shown, now: datetime) -> HttpResponse:
    row = row_of(page_of(visit, now=now), wanted=str(shown.visit.pk))
    slot = _slot(request.POST.get("at", ""), shown.visit)
    if slot is not None and _stands_there(shown.visit, slot):
        return back(shown.visit, said="moved")  # Pressed twice.
    if not row.can_change or shown.notice_version != shown.visit.notice_version:
        return back(visit, said=CHANGED)
    if slot is None:
        return _offer(request, visit, row=row, now=now)
    offered = find_offered(shown.visit, slot=slot, now=now)
    try:
        if offered is None:
            raise SlotTakenError
        is_moved = move_shown(shown, slot=offered.slot, now=now)
    except ClinicBotError:
        return _refuse(request, visit, row=row, slot=slot, now=now)
    # One of a household that moves to another day stands on its own page.
    return back(shown.visit, said="moved") if is_moved else back(visit, said=CHANGED)


def _offer(
    request: HttpRequest, visit: Appointment, *, row: PageVisit, now: datetime, status: int = 200, **more: Any
) -> HttpResponse:
    today = at_clinic(now, visit.clinic).date()
    from_day = min(max(day_of(request.GET.get("from", "")) or today, today), date(today.year + FURTHEST_YEARS, 1, 1))
    context = {
        "row": row,
        "times": times_for(row.visit, from_day=from_day, now=now),
        "is_later": from_day > today,
        **more,
    }
    return show(request, visit, "patient_page/change.html", context, status=status)


def _review(request: HttpRequest, visit: Appointment, *, row: PageVisit, picked: FreeSlot) -> HttpResponse:
    context = {"row": row, "picked": picked, "code": code_of(picked.slot)}
    return show(request, visit, "patient_page/review.html", context)


def _refuse(request: HttpRequest, visit: Appointment, *, row: PageVisit, slot: Slot, now: datetime) -> HttpResponse:
    """Nothing was moved: what is free near that time."""
    wish = wish_for(row.visit, from_day=slot.local_date)
    nearest = nearest_to(visit.clinic, wish=wish, slot=slot, now=now)
    return _offer(request, visit, row=row, now=now, status=409, wanted=slot, nearest=nearest)


def _slot(code: str, visit: Appointment) -> Slot | None:
    """None for what is none, or a time that the clocks skip."""
    try:
        return slot_of_code(code, clinic=visit.clinic, service=visit.service)
    except TimeInGapError:
        return None


def _stands_there(visit: Appointment, slot: Slot) -> bool:
    return visit.is_live and (visit.practitioner_id, visit.local_date, visit.local_time) == (
        slot.practitioner_id,
        slot.local_date,
        slot.local_time,
    )
