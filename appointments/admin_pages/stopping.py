"""The kill switch in plain words: what it would hold, who threw it and since when, and letting messages go on."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from appointments.queries.names import staff_names
from appointments.views.pages import may_release
from clinicbot import clock
from clinicbot.access import ClinicRequest
from clinicbot.actors import Actor
from clinicbot.admin_pages import render_settings, settings_page
from clinicbot.human_text import HumanTextField
from clinicbot.models import Clinic
from messaging.errors import SwitchAlreadyThrownError, SwitchNotThrownError
from messaging.queries.stops import ACCOUNT, ALL, CLINIC, list_past_stops, list_stops
from messaging.queries.suspensions import count_held
from messaging.queries.waiting import count_to_go
from messaging.usecases.switches import release_switch, throw_switch
from scheduler.queries import count_due_until

SECTION = "settings-stop"
REMINDERS = "appointment-reminders"
LOOK_AHEAD = timedelta(hours=24)
MOST_PAST = 10


class StopForm(forms.Form):
    """Why, and that what it holds was read: the one act here that patients notice at once."""

    reason = HumanTextField(label=gettext_lazy("Why"), max_length=200)
    knows = forms.BooleanField(
        error_messages={"required": gettext_lazy("Mark this, so that nobody stops all messages by a slip of the hand.")}
    )


@require_http_methods(["GET", "HEAD", "POST"])
@settings_page(SECTION)
def stopping(request: ClinicRequest) -> HttpResponse:
    form = StopForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            throw_switch(request.clinic, reason=form.cleaned_data["reason"], actor=Actor.of(request), now=clock.now())
        except SwitchAlreadyThrownError:
            messages.info(request, _("Somebody has stopped the messages already."))
        else:
            messages.success(request, _("Stopped. Messages wait from now on, and none is lost."))
        return HttpResponseRedirect(resolve_url(SECTION))
    context = {**_context(request), "form": form}
    status = 400 if form.errors else 200
    title = _("Stop all messages")
    return render_settings(request, "settings/stop.html", context, section=SECTION, title=title, status=status)


@require_POST
@settings_page(SECTION)
def release(request: ClinicRequest, switch_id: int) -> HttpResponse:
    """What was held is looked at by the next tick, and goes where it is still useful."""
    stops = list_stops(request.clinic.pk)
    stop = next((one for one in stops if one.what in (ALL, CLINIC) and one.id == switch_id), None)
    if stop is None:
        mine = list_past_stops(request.clinic.pk, most=MOST_PAST)
        if not any(one.id == switch_id for one in mine):
            raise Http404
        messages.info(request, _("Somebody has let the messages go on already."))
        return HttpResponseRedirect(resolve_url(SECTION))
    if not may_release(request, stop.what):
        raise PermissionDenied
    try:
        release_switch(switch_id, actor=Actor.of(request), now=clock.now())
    except SwitchNotThrownError:
        messages.info(request, _("Somebody has let the messages go on already."))
    else:
        messages.success(request, _("Messages go on. What waited goes within a minute, if it is still useful."))
    return HttpResponseRedirect(resolve_url(SECTION))


def _context(request: ClinicRequest) -> dict[str, Any]:
    """Six queries."""
    clinic, now = request.clinic, clock.now()
    past = list_past_stops(clinic.pk, most=MOST_PAST)
    switches = [one for one in past if one.released_at is None]
    names = staff_names({who for one in past for who in (one.thrown_by, one.released_by)})
    stops = list_stops(clinic.pk)
    return {
        "switches": [
            (one, names.get(one.thrown_by or 0, ""), may_release(request, ALL if one.is_of_all else CLINIC))
            for one in switches
        ],
        "is_stopped_here": any(not one.is_of_all for one in switches),
        "past": [
            (one, names.get(one.thrown_by or 0, ""), names.get(one.released_by or 0, ""))
            for one in past
            if one.released_at is not None
        ],
        "paused_accounts": [stop for stop in stops if stop.what == ACCOUNT],
        "held": count_held(clinic.pk),
        "would_hold": 0 if any(not one.is_of_all for one in switches) else _would_hold(clinic, now=now),
        "now": now,
    }


def _would_hold(clinic: Clinic, *, now: datetime) -> int:
    """What is to go within a day: messages that wait, and reminders that are planned. Two queries."""
    until = now + LOOK_AHEAD
    return count_to_go(clinic.pk, until=until) + count_due_until(clinic, queue=REMINDERS, until=until)
