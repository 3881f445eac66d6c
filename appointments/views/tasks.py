"""What needs a person and is no conversation: why, since when, and about whom."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from appointments.queries.desk_tasks import A_PAGE, desk_tasks
from appointments.views.pages import number_of, page, read_clock
from appointments.views.toasts import WayBack, say_with_way_back
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from messaging.queries.tasks import count_other_tasks, find_task
from messaging.usecases.tasks import finish_task, reopen_task

MANY = "shown"


@require_safe
@permission_required_here("messaging.view_stafftask")
def tasks(request: ClinicRequest) -> HttpResponse:
    shown = number_of(request.GET.get(MANY, "")) or A_PAGE
    found = desk_tasks(request.clinic, shown=shown)
    left = count_other_tasks(request.clinic.pk) - shown if len(found) == shown else 0
    context = {"section": "inbox", "tasks": found, "left": max(left, 0), "more": shown + A_PAGE}
    return page(request, "tasks/page.html", context, reading=read_clock())


@require_POST
@permission_required_here("messaging.finish_stafftask")
def done(request: ClinicRequest, task_id: int) -> HttpResponse:
    if find_task(request.clinic.pk, task_id) is None:
        raise Http404
    if finish_task(request.clinic.pk, task_id=task_id, actor=Actor.of(request), now=read_clock().now):
        say_with_way_back(request, _("Done."), WayBack(resolve_url("task-reopen", task_id), tells=False))
    else:
        messages.success(request, _("Somebody had done it already."))
    return HttpResponseRedirect(resolve_url("tasks"))


@require_POST
@permission_required_here("messaging.finish_stafftask")
def reopen(request: ClinicRequest, task_id: int) -> HttpResponse:
    """It was not done after all."""
    if find_task(request.clinic.pk, task_id) is None:
        raise Http404
    is_open = reopen_task(request.clinic.pk, task_id=task_id, now=read_clock().now)
    messages.success(request, _("Open again.") if is_open else _("It cannot be opened again. Nothing was changed."))
    return HttpResponseRedirect(resolve_url("tasks"))
