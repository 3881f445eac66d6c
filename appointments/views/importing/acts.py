"""An import is started, looked at again, stopped, or goes on."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from appointments.errors import ImportOverError
from appointments.models import ImportState
from appointments.reasons import sentence_of
from appointments.usecases.bringing import running, uploading
from appointments.views.importing.door import IMPORT, run_or_404
from appointments.views.pages import day_of, read_clock
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.errors import ClinicBotError


@require_POST
@permission_required_here(IMPORT)
def start(request: ClinicRequest, run_id: int) -> HttpResponse:
    """A second press of the button finds it running, which is what was wanted."""
    run, wish = run_or_404(request, run_id), request.POST.get("from", "")
    first = day_of(wish)
    if wish and first is None:
        messages.error(request, _("Choose the day from which visits get messages. Nothing was started."))
        return HttpResponseRedirect(resolve_url("import", run.pk))
    try:
        running.start_import(
            request.clinic, run_id=run.pk, remind_from=first, actor=Actor.of(request), now=read_clock().now
        )
    except ClinicBotError as error:
        run.refresh_from_db(fields=["state"])
        if run.state in (ImportState.LOOKED_AT, ImportState.CANCELLED):
            messages.error(request, sentence_of(error))
    return HttpResponseRedirect(resolve_url("import", run.pk))


@require_POST
@permission_required_here(IMPORT)
def again(request: ClinicRequest, run_id: int) -> HttpResponse:
    run = run_or_404(request, run_id)
    try:
        uploading.look_again(request.clinic, run_id=run.pk, now=read_clock().now)
    except ImportOverError as error:
        messages.error(request, sentence_of(error))
    return HttpResponseRedirect(resolve_url("import", run.pk))


@require_POST
@permission_required_here(IMPORT)
def stop(request: ClinicRequest, run_id: int) -> HttpResponse:
    run, seen_as = run_or_404(request, run_id), request.POST.get("state", "")
    try:
        running.stop_import(
            request.clinic, run_id=run.pk, seen_as=seen_as, actor=Actor.of(request), now=read_clock().now
        )
    except ImportOverError as error:
        messages.error(request, sentence_of(error))
        return HttpResponseRedirect(resolve_url("import", run.pk))
    if seen_as == ImportState.LOOKED_AT:
        messages.success(request, _("Put away: the file is removed, and nothing was brought in."))
        return HttpResponseRedirect(resolve_url("imports"))
    return HttpResponseRedirect(resolve_url("import", run.pk))


@require_POST
@permission_required_here(IMPORT)
def go_on(request: ClinicRequest, run_id: int) -> HttpResponse:
    run = run_or_404(request, run_id)
    try:
        running.go_on(request.clinic, run_id=run.pk, now=read_clock().now)
    except ImportOverError as error:
        messages.error(request, sentence_of(error))
    return HttpResponseRedirect(resolve_url("import", run.pk))
