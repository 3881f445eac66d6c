"""Moving a visit: free times as in booking, and what the patient will be told before it is done."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from appointments.errors import ChangedMeanwhileError, SlotTakenError, TimeInGapError
from appointments.forms import MoveForm
from appointments.models import Appointment
from appointments.queries.free_slots import SlotWish
from appointments.queries.meanwhile import said_of_last_change
from appointments.queries.offers import as_free_now, nearest_to, taker_of
from appointments.queries.previews import MoveRows, notice_of_move
from appointments.queries.reach import ReachRows, is_reachable, reach_of, wants_no_messages
from appointments.queries.series import count_following
from appointments.reasons import sentence_of
from appointments.slots import Slot
from appointments.usecases.booking import reschedule_appointment
from appointments.views.going_back import url_after
from appointments.views.pages import number_of, page, read_clock, today_at
from appointments.views.toasts import say_done
from appointments.views.visits import visit_or_404
from appointments.views.wishes import (
    LOOK,
    Choices,
    kept_in,
    override_for,
    read_choices,
    read_override,
    read_slot,
    times_shown,
)
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.clock import Reading
from clinicbot.errors import ClinicBotError
from clinicbot.together import fetch_together

WEEK = timedelta(days=7)


@require_http_methods(["GET", "HEAD", "POST"])
@permission_required_here("appointments.change_appointment")
def move(request: ClinicRequest, visit_id: int) -> HttpResponse:
    """Which time is picked stands in the address; what is posted is only the last step."""
    reading = read_clock()
    visit = visit_or_404(request, visit_id)
    if not visit.can_change(now=reading.now):
        messages.error(request, _("The visit is over, or cancelled, so it cannot be moved."))
        return HttpResponseRedirect(resolve_url("visit", visit.pk))
    if LOOK in request.POST:
        return _show(request, visit, reading=reading, form=_form_again(request))
    if request.method == "POST":
        return _move(request, visit, reading=reading)
    return _show(request, visit, reading=reading)


def _show(
    request: ClinicRequest, visit: Appointment, *, reading: Reading, status: int = 200, **more: Any
) -> HttpResponse:
    today = today_at(request.clinic, reading=reading)
    choices, wish = _wish(request, visit, reading=reading)
    context: dict[str, Any] = {
        "visit": visit,
        "choices": choices,
        "today": today,
        "next_week": choices.from_day + WEEK,
        "last_week": max(choices.from_day - WEEK, today),
        "form": MoveForm(),
        **times_shown(request.clinic, wish=wish, choices=choices, today=today, reading=reading),
    }
    if "refused" not in more:
        context |= _review(request, visit, choices=choices, reading=reading)
    context |= more
    context["kept"] = kept_in(context["form"], name="reason", has_review="review" in context)
    return page(request, "visits/move.html", context, reading=reading, status=status)


def _wish(request: ClinicRequest, visit: Appointment, *, reading: Reading) -> tuple[Choices, SlotWish]:
    choices = read_choices(
        request.clinic,
        request.GET,
        today=today_at(request.clinic, reading=reading),
        fixed_service=visit.service,
        practitioner_id=visit.practitioner_id,
    )
    wish = SlotWish(
        service=visit.service,
        from_day=choices.from_day,
        days=28,
        practitioner_id=choices.practitioner.pk if choices.practitioner else None,
        without_visit_id=visit.pk,
    )
    return choices, wish


def _review(request: ClinicRequest, visit: Appointment, *, choices: Choices, reading: Reading) -> dict[str, Any]:
    try:
        slot = read_slot(request.clinic, request.GET, service=visit.service)
    except TimeInGapError as error:
        return {"refused": sentence_of(error)}
    if slot is None:
        return {}
    practitioner = next((one for one in choices.practitioners if one.pk == slot.practitioner_id), None)
    if practitioner is None:
        return {}
    reach, rows = ReachRows.of(visit.clinic_id, patient_id=visit.patient_id), MoveRows.of(visit, slot=slot)
    fetch_together(*reach.all, *rows.all)
    ways = reach_of(visit.patient, now=reading.now, rows=reach)
    return {
        "at": request.GET["at"],
        "picked": slot,
        "picked_practitioner": practitioner,
        "notice": notice_of_move(visit, slot=slot, practitioner=practitioner, rows=rows, now=reading.now),
        "can_tell": is_reachable(ways),
        "wants_none": wants_no_messages(ways),
        "followers": count_following(visit, now=reading.now),
        "review": True,
    }


def _move(request: ClinicRequest, visit: Appointment, *, reading: Reading) -> HttpResponse:
    _choices, wish = _wish(request, visit, reading=reading)
    form, again = MoveForm(request.POST), _form_again(request)
    try:
        slot = read_slot(request.clinic, request.GET, service=visit.service)
    except TimeInGapError as error:
        return _show(request, visit, reading=reading, status=400, refused=sentence_of(error), form=again)
    if "reason" in form.errors:
        return _show(request, visit, reading=reading, status=400, form=form)
    if slot is None or not form.is_valid():
        return _show(request, visit, reading=reading, status=400, refused=_("Choose a time first."), form=again)
    try:
        moved = reschedule_appointment(
            request.clinic,
            appointment_id=visit.pk,
            slot=as_free_now(request.clinic, wish=wish, slot=slot, now=reading.now),
            actor=Actor.of(request),
            reason=form.cleaned_data["reason"],
            override=read_override(request),
            notice_version=number_of(request.POST.get("version", "")),
            now=reading.now,
        )
    except ClinicBotError as error:
        return _refuse(request, visit, error, slot=slot, wish=wish, reading=reading)
    has_news = moved.notice_version != visit.notice_version
    say_done(request, _("Moved."), visit=moved, now=reading.now, must_hear=has_news)
    return HttpResponseRedirect(url_after(request, visit_id=visit.pk))


def _refuse(
    request: ClinicRequest,
    visit: Appointment,
    error: ClinicBotError,
    *,
    slot: Slot,
    wish: SlotWish,
    reading: Reading,
) -> HttpResponse:
    """Nothing was moved: why, and what is free near it."""
    is_taken = isinstance(error, SlotTakenError)
    refused = sentence_of(error)
    if isinstance(error, ChangedMeanwhileError):
        visit, refused = visit_or_404(request, visit.pk), said_of_last_change(request.clinic, visit_id=visit.pk)
    return _show(
        request,
        visit,
        reading=reading,
        status=409,
        refused=refused,
        nothing_done=_("Nothing was moved."),
        wanted=slot,
        taker=taker_of(request.clinic, slot=slot) if is_taken else None,
        alternatives=nearest_to(request.clinic, wish=wish, slot=slot, now=reading.now),
        form=_form_again(request),
        override_form=override_for(request, error),
    )


def _form_again(request: ClinicRequest) -> MoveForm:
    """For another time, with what was typed for the first."""
    return MoveForm(initial={"reason": request.POST.get("reason", "")})
