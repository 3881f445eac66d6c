"""The page of queues: how much waits, what is stuck, and the switch that pauses one."""

from __future__ import annotations

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from clinicbot import clock
from clinicbot.actors import Actor
from clinicbot.admin_scope import active_clinic
from scheduler import queries
from scheduler.models import Queue
from scheduler.usecases.operating import pause_queue, resume_queue


def queues(request: HttpRequest) -> HttpResponse:
    """A clinic's own counts where somebody works at one; all clinics' for a superuser who chose none."""
    if not request.user.has_perm("scheduler.view_scheduledjob"):
        raise PermissionDenied
    now = clock.now()
    clinic = active_clinic(request)
    context = {
        **admin.site.each_context(request),
        "title": _("Queues"),
        "depths": queries.list_queue_depths(clinic=clinic, now=now),
        "is_of_clinic": clinic is not None,
        "may_pause": request.user.has_perm("scheduler.pause_queue"),
        "last_tick": queries.last_tick(),
        "real": clock.real(),
        "now": now,
        "count_limit": queries.COUNT_LIMIT,
    }
    return render(request, "scheduler/queues.html", context)


@require_POST
def pause(request: HttpRequest, name: str) -> HttpResponse:
    pause_queue(_queue(request, name), actor=Actor.of(request), now=clock.now())
    messages.success(request, _("Paused. Jobs in progress end; the others wait."))
    return HttpResponseRedirect(reverse("queues"))


@require_POST
def resume(request: HttpRequest, name: str) -> HttpResponse:
    resume_queue(_queue(request, name), actor=Actor.of(request), now=clock.now())
    messages.success(request, _("Running again from the next tick on."))
    return HttpResponseRedirect(reverse("queues"))


def _queue(request: HttpRequest, name: str) -> Queue:
    if not request.user.has_perm("scheduler.pause_queue"):
        raise PermissionDenied
    return get_object_or_404(Queue, name=name)
