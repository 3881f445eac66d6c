"""A visit in the hand: where it would go, whether it fits, what its patient would be told; and putting it there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http import Http404, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from appointments.errors import ServiceNotGivenError, SlotTakenError, TimeInGapError
from appointments.models import Appointment
from appointments.queries.fitting import fit_of
from appointments.queries.free_slots import SlotWish
from appointments.queries.offers import code_of, nearest_to, slot_of_code, taker_of
from appointments.queries.previews import notice_of_move
from appointments.queries.reach import is_reachable, reach_of, wants_no_messages
from appointments.reasons import sentence_of
from appointments.slots import Slot, slot_of
from appointments.usecases.booking import reschedule_appointment
from appointments.views.calendar import MOVES, calendar_context
from appointments.views.pages import number_of, page, part, read_clock
from appointments.views.toasts import say_done
from appointments.views.visits import visit_or_404
from appointments.views.wishes import override_for, read_override
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.clock import Reading
from clinicbot.errors import ClinicBotError


@require_safe
@permission_required_here(MOVES)
def calendar_hand(request: ClinicRequest) -> HttpResponse:
    """What stands beside the calendar while a visit is in the hand."""
    reading = read_clock()
    visit = visit_or_404(request, number_of(request.GET.get("hand", "")) or 0)
    if not visit.can_change(now=reading.now):
        raise Http404
    return part(request, "calendar/hand.html", _hand(request, visit, reading=reading), reading=reading)


@require_POST
@permission_required_here(MOVES)
def calendar_move(request: ClinicRequest, visit_id: int) -> HttpResponse:
    """Put it where the form says, if it still stands as the page showed it. The calendar itself stands in the address."""
    reading = read_clock()
    visit = visit_or_404(request, visit_id)
    code = request.POST.get("at", "")
    try:
        slot = slot_of_code(code, clinic=request.clinic, service=visit.service)
    except TimeInGapError as error:
        return _refuse(request, visit, error, code=code, slot=None, reading=reading)
    if slot is None:
        return HttpResponseRedirect(_address(request.GET, hand=visit.pk))
    try:
        moved = reschedule_appointment(
            request.clinic,
            appointment_id=visit.pk,
            slot=fit_of(request.clinic, visit=visit, slot=slot, now=reading.now).slot,
            actor=Actor.of(request),
            override=read_override(request),
            notice_version=number_of(request.POST.get("version", "")),
            now=reading.now,
        )
    except ClinicBotError as error:
        return _refuse(request, visit, error, code=code, slot=slot, reading=reading)
    has_news = moved.notice_version != visit.notice_version
    say_done(request, _("Moved."), visit=moved, now=reading.now, must_hear=has_news)
    return HttpResponseRedirect(_address(request.GET, day=moved.local_date, moved=moved.pk))


def _address(shown: QueryDict, **change: Any) -> str:
    """The same calendar, with nothing in the hand but what is named."""
    query = shown.copy()
    for name in ("hand", "at", "moved"):
        query.pop(name, None)
    for name, value in change.items():
        query[name] = str(value)
    return f"{resolve_url('calendar')}?{query.urlencode()}"


def _hand(request: ClinicRequest, visit: Appointment, *, reading: Reading) -> dict[str, Any]:
    code = request.GET.get("at", "")
    context: dict[str, Any] = {"hand": visit, "at": code}
    try:
        slot = slot_of_code(code, clinic=request.clinic, service=visit.service)
    except TimeInGapError as error:
        return context | {"refused": sentence_of(error)}
    if slot is None or _is_same(visit, slot):
        return context
    return context | _place(request, visit, slot=slot, reading=reading)


def _place(request: ClinicRequest, visit: Appointment, *, slot: Slot, reading: Reading) -> dict[str, Any]:
    """Whether it fits there, and what would be said."""
    fit = fit_of(request.clinic, visit=visit, slot=slot, now=reading.now)
    if fit.practitioner is None:
        return {"refused": sentence_of(fit.error) if fit.error else ""}
    context: dict[str, Any] = {"slot": fit.slot, "fit": fit}
    if fit.error is not None:
        context |= {"refused": sentence_of(fit.error), "override_form": override_for(request, fit.error)}
    if fit.error is None or context["override_form"] is not None:
        ways = reach_of(visit.patient, now=reading.now)
        context |= {
            "notice": notice_of_move(visit, slot=fit.slot, practitioner=fit.practitioner, now=reading.now),
            "can_tell": is_reachable(ways),
            "wants_none": wants_no_messages(ways),
            "way": next((way for way in ways if way.works), None),
        }
    return context


def _is_same(visit: Appointment, slot: Slot) -> bool:
    """Where it stands already. A code without a room means any."""
    own = slot_of(visit)
    return (own.practitioner_id, own.local_date, own.local_time) == (
        slot.practitioner_id,
        slot.local_date,
        slot.local_time,
    ) and slot.room_id in (None, own.room_id)


def _refuse(
    request: ClinicRequest,
    visit: Appointment,
    error: ClinicBotError,
    *,
    code: str,
    slot: Slot | None,
    reading: Reading,
) -> HttpResponse:
    """Nothing was moved: why, and what is free near it."""
    seen = visit_or_404(request, visit.pk)
    can_change = seen.can_change(now=reading.now)
    alternatives = []
    if slot is not None and can_change:
        wish = SlotWish(
            service=seen.service,
            from_day=slot.local_date,
            days=1,
            practitioner_id=None if isinstance(error, ServiceNotGivenError) else slot.practitioner_id,
            without_visit_id=seen.pk,
        )
        found = nearest_to(request.clinic, wish=wish, slot=slot, now=reading.now)
        alternatives = [replace(one, code=code_of(replace(one.free.slot, room_id=None))) for one in found]
    context = calendar_context(request, reading=reading, hand_id=seen.pk, at=slot)
    context |= {
        "panel": True,
        "hand": seen,
        "at": code,
        "slot": slot,
        "refused": sentence_of(error),
        "nothing_done": _("Nothing was moved."),
        "taker": taker_of(request.clinic, slot=slot) if slot and isinstance(error, SlotTakenError) else None,
        "alternatives": alternatives,
        "override_form": override_for(request, error),
        "can_change": can_change,
    }
    return page(request, "calendar/page.html", context, reading=reading, status=409)
