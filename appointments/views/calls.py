"""Whom to call, and what came of each call."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBadRequest, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from appointments.errors import CallNotFoundError
from appointments.models import Appointment, CallAttempt, CallOutcome
from appointments.queries.call_list import call_list, count_to_call
from appointments.queries.call_numbers import numbers_of
from appointments.reasons import sentence_of
from appointments.usecases.phoning import note_call, take_back_call
from appointments.views.going_back import BACK, CALLS
from appointments.views.pages import number_of, page, part, read_clock
from appointments.views.toasts import WayBack, say_with_way_back
from appointments.views.visits import visit_or_404
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.clock import Reading
from clinicbot.errors import ClinicBotError

MAY_CALL = "appointments.add_callattempt"


@require_safe
@permission_required_here(MAY_CALL)
def calls(request: ClinicRequest) -> HttpResponse:
    reading = read_clock()
    return page(request, "calls/page.html", _context(request, reading=reading), reading=reading)


@require_safe
@permission_required_here(MAY_CALL)
def calls_live(request: ClinicRequest) -> HttpResponse:
    """The list alone, for a page that is open."""
    reading = read_clock()
    return part(request, "calls/live.html", _context(request, reading=reading), reading=reading)


@require_safe
@permission_required_here(MAY_CALL)
def calls_count(request: ClinicRequest) -> HttpResponse:
    """For the bar of every page, which asks for it after the page is there."""
    reading = read_clock()
    count = count_to_call(request.clinic, now=reading.now)
    return part(request, "calls/count.html", {"count": count}, reading=reading)


@require_POST
@permission_required_here(MAY_CALL)
def note(request: ClinicRequest, visit_id: int) -> HttpResponse:
    visit, reading = visit_or_404(request, visit_id), read_clock()
    outcome, version = request.POST.get("outcome", ""), number_of(request.POST.get("version", ""))
    if outcome not in CallOutcome.values or version is None:
        return HttpResponseBadRequest()
    try:
        call = note_call(
            request.clinic,
            appointment_id=visit.pk,
            outcome=CallOutcome(outcome),
            contact_id=number_of(request.POST.get("contact", "")),
            notice_version=version,
            actor=Actor.of(request),
            now=reading.now,
        )
    except ClinicBotError as error:
        messages.error(request, " ".join([sentence_of(error), _("Nothing was noted.")]))
        return HttpResponseRedirect(resolve_url("calls"))
    way_back = WayBack(resolve_url("call-take-back", call.pk), tells=False)
    say_with_way_back(request, _said(request, call, visit=visit), way_back)
    if outcome == CallOutcome.MOVE:
        return HttpResponseRedirect(reverse("visit-move", args=[visit.pk], query={BACK: CALLS}))
    return HttpResponseRedirect(resolve_url("calls"))


@require_POST
@permission_required_here(MAY_CALL)
def take_back(request: ClinicRequest, call_id: int) -> HttpResponse:
    try:
        take_back_call(request.clinic, call_id=call_id, actor=Actor.of(request), now=read_clock().now)
    except CallNotFoundError:
        raise Http404 from None
    except ClinicBotError as error:
        messages.error(request, " ".join([sentence_of(error), _("Nothing was changed.")]))
    else:
        messages.success(request, _("Taken back."))
    return HttpResponseRedirect(resolve_url("calls"))


def _context(request: ClinicRequest, *, reading: Reading) -> dict[str, Any]:
    return {"section": "calls", "list": call_list(request.clinic, now=reading.now)}


def _said(request: ClinicRequest, call: CallAttempt, *, visit: Appointment) -> str:
    name = {"name": visit.patient.first_name}
    if call.outcome == CallOutcome.WRONG_NUMBER:
        number = numbers_of(request.clinic, patient_ids=[visit.patient_id]).get(visit.patient_id)
        if number is None:
            return _("Nothing more goes to that number. %(name)s has no other: ask for one at the visit.") % name
        return _("Nothing more goes to that number. %(name)s has another: %(number)s.") % {
            **name,
            "number": number.short,
        }
    sentences = {
        CallOutcome.LEFT_MESSAGE: _("Noted: a message was left for %(name)s."),
        CallOutcome.NO_ANSWER: _("Noted: %(name)s did not answer, and stays at the end of the list."),
        CallOutcome.WILL_COME: _("Noted: %(name)s comes."),
        CallOutcome.MOVE: _("Noted: %(name)s wants another time."),
        CallOutcome.TOLD: _("Noted: %(name)s knows now."),
    }
    return sentences[CallOutcome(call.outcome)] % name
