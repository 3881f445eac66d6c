"""Sending a message again, and letting messages go on after a stop."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from appointments.events import VISIT
from appointments.forms import SendAgainForm
from appointments.models import Appointment, ReminderRule
from appointments.queries.reach import reach_of
from appointments.queries.story_messages import may_be_sent_again, title_of_message
from appointments.reasons import sentence_of
from appointments.views.going_back import url_after
from appointments.views.pages import may_release, page, read_clock
from appointments.views.visits import visit_or_404
from clinicbot.access import ClinicRequest, clinic_required, permission_required_here
from clinicbot.actors import Actor
from clinicbot.errors import ClinicBotError
from messaging.contracts import MessageFact
from messaging.queries.messages import find_message
from messaging.queries.stops import ACCOUNT, list_stops
from messaging.usecases.accounts import resume_account
from messaging.usecases.sending_again import send_again
from messaging.usecases.switches import release_switch


@require_http_methods(["GET", "HEAD", "POST"])
@permission_required_here("messaging.resend_message")
def send_again_page(request: ClinicRequest, visit_id: int, message_id: UUID) -> HttpResponse:
    """Once more, knowingly, with a reason."""
    reading = read_clock()
    visit = visit_or_404(request, visit_id)
    message = _message_or_404(visit, message_id)
    form = SendAgainForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            send_again(
                request.clinic.pk,
                message_id=message_id,
                reason=form.reason,
                actor=Actor.of(request),
                now=reading.now,
            )
        except ClinicBotError as error:
            messages.error(request, sentence_of(error))
        else:
            messages.success(request, _("It goes out again."))
        return HttpResponseRedirect(url_after(request, visit_id=visit.pk))
    rules = {str(rule.pk): rule for rule in ReminderRule.objects.for_clinic(request.clinic)}
    context = {
        "visit": visit,
        "form": form,
        "title": title_of_message(message, rules=rules),
        "ways": reach_of(visit.patient, now=reading.now),
    }
    return page(request, "visits/send_again.html", context, reading=reading, status=400 if form.is_bound else 200)


def _message_or_404(visit: Appointment, message_id: UUID) -> MessageFact:
    message = find_message(visit.clinic_id, message_id=message_id)
    is_about_it = message is not None and any(one.type == VISIT and one.id == str(visit.pk) for one in message.subjects)
    if message is None or not is_about_it or not may_be_sent_again(message):
        raise Http404
    return message


@require_POST
@clinic_required
def go_on(request: ClinicRequest, what: str, stop_id: int) -> HttpResponse:
    """End a stop that a banner tells of. What was held is looked at by the next tick."""
    stop = next((one for one in list_stops(request.clinic.pk) if (one.what, one.id) == (what, stop_id)), None)
    if stop is None:
        raise Http404
    if not may_release(request, what):
        raise PermissionDenied
    reading = read_clock()
    if what == ACCOUNT:
        resume_account(
            request.clinic.pk, account_id=stop_id, actor=Actor.of(request), real=reading.real, now=reading.now
        )
    else:
        release_switch(stop_id, actor=Actor.of(request), now=reading.now)
    messages.success(request, _("Messages go on."))
    return HttpResponseRedirect(resolve_url("today"))
