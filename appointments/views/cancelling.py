"""Cancelling a visit: with a reason, and what the patient will receive before it is done."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from appointments.errors import ChangedMeanwhileError
from appointments.forms import ReasonForm
from appointments.models import Appointment
from appointments.queries.meanwhile import said_of_last_change
from appointments.queries.previews import notice_of_cancellation, told_of
from appointments.queries.reach import is_reachable, reach_of, wants_no_messages
from appointments.queries.series import count_following
from appointments.reasons import sentence_of
from appointments.usecases.booking import cancel_appointment
from appointments.views.going_back import url_after
from appointments.views.pages import number_of, page, read_clock
from appointments.views.toasts import say_done
from appointments.views.visits import visit_or_404
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.clock import Reading
from clinicbot.errors import ClinicBotError


@require_http_methods(["GET", "HEAD", "POST"])
@permission_required_here("appointments.change_appointment")
def cancel(request: ClinicRequest, visit_id: int) -> HttpResponse:
    reading = read_clock()
    visit = visit_or_404(request, visit_id)
    if not visit.can_change(now=reading.now):
        messages.error(request, _("The visit is over, or cancelled already."))
        return HttpResponseRedirect(resolve_url("visit", visit.pk))
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if request.method != "POST" or not form.is_valid():
        return _show(request, visit, form=form, reading=reading)
    is_known = told_of(visit, now=reading.now) is not None
    try:
        cancel_appointment(
            request.clinic,
            appointment_id=visit.pk,
            actor=Actor.of(request),
            reason=form.reason,
            notice_version=number_of(request.POST.get("version", "")),
            now=reading.now,
        )
    except ChangedMeanwhileError:
        form.refuse("common", said_of_last_change(request.clinic, visit_id=visit.pk))
        return _show(request, visit_or_404(request, visit.pk), form=form, reading=reading)
    except ClinicBotError as error:
        form.refuse("common", sentence_of(error))
        return _show(request, visit, form=form, reading=reading)
    say_done(request, _("Cancelled. The time is free again."), visit=visit, now=reading.now, must_hear=is_known)
    return HttpResponseRedirect(url_after(request, visit_id=visit.pk))


def _show(request: ClinicRequest, visit: Appointment, *, form: ReasonForm, reading: Reading) -> HttpResponse:
    notice = notice_of_cancellation(visit, now=reading.now)
    ways = reach_of(visit.patient, now=reading.now)
    context: dict[str, Any] = {
        "visit": visit,
        "form": form,
        "notice": notice,
        "can_tell": is_reachable(ways),
        "wants_none": wants_no_messages(ways),
        "followers": count_following(visit, now=reading.now),
    }
    return page(request, "visits/cancel.html", context, reading=reading, status=400 if form.is_bound else 200)
