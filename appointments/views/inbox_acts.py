"""What staff do with a conversation: give it to somebody, end it, open it again, have it seen."""

from __future__ import annotations

from datetime import datetime

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBadRequest, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from appointments.queries.names import staff_names
from appointments.reasons import sentence_of
from appointments.views.inbox import MAY_READ, inbox_url
from appointments.views.pages import number_of, read_clock
from appointments.views.toasts import WayBack, next_page, say_with_way_back
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.errors import ClinicBotError
from messaging.errors import ContactNotFoundError
from messaging.queries.conversation_news import Seen
from messaging.usecases import conversations

MAY_ACT = "messaging.finish_stafftask"
TO, NOBODY = "to", ""
SEEN, TASKS, UNTIL = "seen", "tasks", "until"


@require_POST
@permission_required_here(MAY_ACT)
def assign(request: ClinicRequest, contact_id: int) -> HttpResponse:
    """`to`: in the form, or in the address of the way back; "" is nobody."""
    given = request.POST.get(TO, request.GET.get(TO))
    to = number_of(given or "")
    if given is None or (given != NOBODY and to is None):
        return HttpResponseBadRequest()
    try:
        done = conversations.assign(
            request.clinic, contact_id=contact_id, to=to, actor=Actor.of(request), now=read_clock().now
        )
    except ContactNotFoundError:
        raise Http404 from None
    except ClinicBotError as error:
        messages.error(request, sentence_of(error))
    else:
        if done.is_new:
            way = reverse("inbox-assign", args=[contact_id], query={TO: done.before or NOBODY})
            say_with_way_back(request, _given_to(request, to), WayBack(way, tells=False))
    return HttpResponseRedirect(next_page(request, otherwise=resolve_url("inbox-talk", contact_id)))


@require_POST
@permission_required_here(MAY_ACT)
def done(request: ClinicRequest, contact_id: int) -> HttpResponse:
    """Only what was on the page: what has come since needs somebody still."""
    task_ids = [number for one in request.POST.get(TASKS, "").split(",") if (number := number_of(one)) is not None]
    try:
        is_done = conversations.finish(
            request.clinic,
            contact_id=contact_id,
            task_ids=task_ids,
            seen=Seen.read(request.POST.get(SEEN, "")),
            actor=Actor.of(request),
            now=read_clock().now,
        )
    except ContactNotFoundError:
        raise Http404 from None
    except ClinicBotError as error:
        messages.error(request, f"{sentence_of(error)} {_('Nothing was changed.')}")
        return HttpResponseRedirect(resolve_url("inbox-talk", contact_id))
    if is_done:
        say_with_way_back(request, _("Done."), WayBack(resolve_url("inbox-reopen", contact_id), tells=False))
    else:
        messages.success(request, _("Somebody had done it already."))
    return HttpResponseRedirect(inbox_url(request))


@require_POST
@permission_required_here(MAY_ACT)
def reopen(request: ClinicRequest, contact_id: int) -> HttpResponse:
    """It needs a person after all."""
    try:
        conversations.reopen(request.clinic, contact_id=contact_id, actor=Actor.of(request), now=read_clock().now)
    except ContactNotFoundError:
        raise Http404 from None
    messages.success(request, _("Open again."))
    return HttpResponseRedirect(resolve_url("inbox-talk", contact_id))


@require_POST
@permission_required_here(MAY_READ)
def seen(request: ClinicRequest, contact_id: int) -> HttpResponse:
    """The page says until when it shows what they wrote."""
    try:
        until = datetime.fromisoformat(request.POST.get(UNTIL, ""))
    except ValueError:
        return HttpResponseBadRequest()
    now = read_clock().now
    if until.tzinfo is None or until > now:
        return HttpResponseBadRequest()
    try:
        conversations.note_seen(request.clinic, contact_id=contact_id, until=until)
    except ContactNotFoundError:
        raise Http404 from None
    return HttpResponse(status=204)


def _given_to(request: ClinicRequest, to: int | None) -> str:
    if to is None:
        return _("It is nobody's now.")
    if to == request.user.pk:
        return _("It is yours now.")
    return _("It is %(name)s's now.") % {"name": staff_names([to])[to]}
