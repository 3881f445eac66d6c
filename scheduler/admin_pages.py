"""The page of queues: how much waits, how long, what is stuck, how the schedules go, and the switch that pauses a queue."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from clinicbot import clock
from clinicbot.actors import Actor
from clinicbot.charts import spark
from clinicbot.panels import ask_of, list_troubles
from scheduler import queries
from scheduler.models import Queue
from scheduler.queries import QueueDepth
from scheduler.queues_page import (
    EACH_WORDS,
    SPAN_WORDS,
    Span,
    schedules_told,
    waits_of,
)
from scheduler.usecases.operating import pause_queue, resume_queue
from scheduler.waits_chart import finished_chart, waits_chart

QUEUE_WORDS = {
    "appointment-reminders": gettext_lazy("reminders of visits"),
    "daily-agenda": gettext_lazy("the day's list for practitioners"),
    "dental-messages": gettext_lazy("other messages to patients"),
    "imports": gettext_lazy("files that are brought in"),
    "maintenance": gettext_lazy("templates, and acts on many rows"),
}


def queues(request: HttpRequest) -> HttpResponse:
    """A clinic's own counts where somebody works at one; all clinics' for a superuser who chose none."""
    if not request.user.has_perm("scheduler.view_scheduledjob"):
        raise PermissionDenied
    reading = clock.read()
    ask = ask_of(request, now=reading.now, real=reading.real)
    depths = queries.list_queue_depths(clinic=ask.clinic, now=ask.now)
    context = {
        **admin.site.each_context(request),
        "title": _("Queues"),
        "ask": ask,
        "clinic": ask.clinic,
        "depths": depths,
        "is_of_clinic": ask.clinic is not None,
        "may_pause": request.user.has_perm("scheduler.pause_queue"),
        "may_change": request.user.has_perm("scheduler.change_queue"),
        "last_tick": queries.last_tick(),
        "real": ask.real,
        "now": ask.now,
        "count_limit": queries.COUNT_LIMIT,
        "totals": _totals(depths, now=ask.now),
        "troubles": list_troubles(request.user, ask=ask),
        "schedules": schedules_told(ask.clinic),
        **_throughput(request, now=ask.now, is_of_clinic=ask.clinic is not None),
    }
    context["rows"] = _rows(depths, sparks=context["sparks"])
    return render(request, "scheduler/queues.html", context)


def _throughput(request: HttpRequest, *, now: datetime, is_of_clinic: bool) -> dict[str, Any]:
    """How fast all clinics' jobs go: what whoever runs the installation looks at."""
    if is_of_clinic:
        return {"sparks": {}}
    wish = request.GET.get("span", "")
    span = Span(wish) if wish in list(Span) else Span.HOUR
    waits = waits_of(span, now=now)
    sampled = any(one.is_sampled for one in waits.buckets)
    return {
        "span": span,
        "spans": SPAN_WORDS,
        "each_words": EACH_WORDS[span],
        "waits": waits,
        "sparks": {name: spark(counts) for name, counts in waits.lately.items() if len(counts) > 1},
        "charts": [
            {
                "css": "only-narrow" if is_narrow else "only-wide",
                "waits": waits_chart(waits, span=span, now=now, is_narrow=is_narrow),
                "finished": finished_chart(waits, span=span, now=now, is_narrow=is_narrow),
            }
            for is_narrow in (False, True)
        ]
        if sampled
        else [],
    }


def _totals(depths: Sequence[QueueDepth], *, now: datetime) -> dict[str, Any]:
    oldest = min((one.oldest_due_at for one in depths if one.oldest_due_at and not one.paused_at), default=None)
    return {
        "oldest_due_at": oldest,
        "waiting": sum(one.waiting for one in depths),
        "delayed": sum(one.delayed for one in depths),
        "failing": sum(one.failing for one in depths),
        "dead": sum(one.dead for one in depths),
    }


def _rows(depths: Sequence[QueueDepth], *, sparks: dict[str, str]) -> list[dict[str, Any]]:
    """Each queue with its words and its last half hour."""
    return [
        {
            "depth": depth,
            "words": QUEUE_WORDS.get(depth.name, ""),
            "spark": sparks.get(depth.name, ""),
        }
        for depth in depths
    ]


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
