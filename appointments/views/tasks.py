"""What needs a person: why, since when, about whom, and what they wrote."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from appointments.queries.desk_tasks import desk_tasks
from appointments.views.pages import page, read_clock
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from messaging.queries.tasks import find_task
from messaging.usecases.tasks import finish_task


@require_safe
@permission_required_here("messaging.view_stafftask")
def tasks(request: ClinicRequest) -> HttpResponse:
    context = {"section": "tasks", "tasks": desk_tasks(request.clinic)}
    return page(request, "tasks/page.html", context, reading=read_clock())


@require_POST
@permission_required_here("messaging.finish_stafftask")
def done(request: ClinicRequest, task_id: int) -> HttpResponse:
    if find_task(request.clinic.pk, task_id) is None:
        raise Http404
    was_open = finish_task(request.clinic.pk, task_id=task_id, actor=Actor.of(request), now=read_clock().now)
    messages.success(request, _("Done.") if was_open else _("Somebody had done it already."))
    return HttpResponseRedirect(resolve_url("tasks"))
