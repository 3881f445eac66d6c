"""Calendar feeds: who has one, and the file itself, for programs that know the address."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from appointments.errors import NotAtThisClinicError
from appointments.models import Practitioner
from appointments.queries.feeds import feed_file, feeds_of, find_feed
from appointments.usecases.feeds import close_feed, note_reading, open_feed
from appointments.views.pages import page, read_clock
from clinicbot import clock
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.secret_links import hash_of

OPENED = "opened_feed"


@require_safe
@permission_required_here("appointments.view_appointment")
def feeds(request: ClinicRequest) -> HttpResponse:
    """Everybody's for those who keep practitioners; one's own for the others."""
    lines = [line for line in feeds_of(request.clinic) if _may_keep(request, line.practitioner)]
    opened, reading = request.session.pop(OPENED, None), read_clock()
    context = {
        "section": "feeds",
        "real": reading.real,
        "lines": lines,
        "opened_for": opened and opened["practitioner"],
        "address": opened and opened["address"],
    }
    return page(request, "feeds/page.html", context, reading=reading)


@require_POST
@permission_required_here("appointments.view_appointment")
def open_one(request: ClinicRequest, practitioner_id: int) -> HttpResponse:
    practitioner = _practitioner_or_404(request, practitioner_id)
    try:
        opened = open_feed(
            request.clinic,
            practitioner_id=practitioner.pk,
            shows_names=request.POST.get("shows_names") == "on",
            actor=Actor.of(request),
            now=read_clock().now,
        )
    except NotAtThisClinicError:
        raise Http404 from None
    address = f"{settings.BASE_URL.rstrip('/')}{reverse('feed', args=[opened.token])}"
    # Shown once, on the page that follows; then nobody can read it again.
    request.session[OPENED] = {"practitioner": practitioner.pk, "address": address}
    return HttpResponseRedirect(resolve_url("feeds"))


@require_POST
@permission_required_here("appointments.view_appointment")
def close_one(request: ClinicRequest, practitioner_id: int) -> HttpResponse:
    practitioner = _practitioner_or_404(request, practitioner_id)
    was_open = close_feed(
        request.clinic, practitioner_id=practitioner.pk, actor=Actor.of(request), now=read_clock().now
    )
    messages.success(
        request,
        _("The address no longer works. Calendars that read it stay as they were, and get nothing new.")
        if was_open
        else _("There was no address any more."),
    )
    return HttpResponseRedirect(resolve_url("feeds"))


@login_not_required
@never_cache
@require_safe
def feed(request: HttpRequest, token: str) -> HttpResponse:
    found = find_feed(hash_of(token))
    if found is None:
        raise Http404
    reading = clock.read()
    note_reading(found, real=reading.real)
    with translation.override(found.clinic.language):
        content = feed_file(found, now=reading.now)
    return HttpResponse(
        content,
        content_type="text/calendar; charset=utf-8",
        headers={"Content-Disposition": 'inline; filename="visits.ics"', "Referrer-Policy": "no-referrer"},
    )


def _practitioner_or_404(request: ClinicRequest, practitioner_id: int) -> Practitioner:
    practitioner = Practitioner.objects.for_clinic(request.clinic).filter(pk=practitioner_id).first()
    if practitioner is None:
        raise Http404
    if not _may_keep(request, practitioner):
        raise PermissionDenied
    return practitioner


def _may_keep(request: ClinicRequest, practitioner: Practitioner) -> bool:
    return practitioner.user_id == request.user.pk or request.user.has_perm("appointments.change_practitioner")
