"""How our own rows stand: what is still open, what a person must decide, what was planned.

It answers each line of its input with one of JSON.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import Any

import django

django.setup()

from django.db import connection  # noqa: E402
from django.db.models import Count, Max, QuerySet  # noqa: E402

from clinicbot import clock  # noqa: E402
from messaging.models import (  # noqa: E402
    Attempt,
    Message,
    MessageState,
    MessageTemplate,
    StaffTask,
    WebhookCall,
    WebhookProbe,
)
from outbox.models import OutboxDelivery  # noqa: E402
from scheduler.models import Schedule, ScheduledJob, ScheduleRun  # noqa: E402
from tests.chaos.crowd import LOOK_KEY, TEMPLATES  # noqa: E402


def read() -> dict[str, Any]:
    due_jobs = ScheduledJob.unscoped.filter(run_at__lte=clock.now())
    in_doubt = Attempt.unscoped.filter(message__state=MessageState.UNKNOWN, message__tasks__state="open")
    approved = MessageTemplate.unscoped.filter(status="APPROVED", name__in=TEMPLATES, language="es")
    return {
        "deliveries": Counter(OutboxDelivery.unscoped.values_list("state", flat=True)),
        "jobs": Counter(due_jobs.values_list("state", flat=True)),
        "messages": Counter(Message.unscoped.values_list("state", flat=True)),
        "attempts": Counter(Attempt.unscoped.values_list("state", flat=True)),
        "tasks": Counter(StaffTask.unscoped.filter(state="open").values_list("reason", flat=True)),
        "sent_once_more": Attempt.unscoped.filter(possibly_twice=True).count(),
        "approved_templates": approved.count(),
        "phones_in_doubt": sorted(set(in_doubt.values_list("contact__address", flat=True))),
        "calls_left": WebhookCall.objects.count(),
        "phones_without_cause": sorted(set(_held_without_cause(in_doubt).values_list("contact__address", flat=True))),
        **_schedules(),
    }


def _held_without_cause(in_doubt: QuerySet[Attempt]) -> QuerySet[Attempt]:
    """Of those that a person must decide, what began after our webhook was last away. A receipt that found nobody may come
    again in days, so of what began before, the lack of one says nothing; of these it says that they did not go.
    """
    failed = WebhookProbe.objects.filter(was_up=False).aggregate(last=Max("probed_at"))["last"]
    refused = WebhookCall.objects.aggregate(last=Max("begun_at"))["last"]
    away = [moment for moment in (failed, refused) if moment is not None]
    return in_doubt.filter(started_at__gt=max(away)) if away else in_doubt


def _schedules() -> dict[str, int]:
    """Each of ours comes true once: that is one occurrence, and one job ever."""
    ours = Schedule.unscoped.filter(key__startswith=LOOK_KEY)
    planned = ours.annotate(count=Count("runs")).filter(count=1, runs__state="planned").values_list("pk", flat=True)
    jobs = Counter(
        ScheduledJob.unscoped.filter(unique_key__startswith="schedule:").values_list("unique_key", flat=True)
    )
    named = {f"schedule:{run.schedule_id}:{run.local_at}" for run in ScheduleRun.unscoped.filter(schedule__in=planned)}
    return {"schedules": ours.count(), "planned_once": sum(jobs[key] == 1 for key in named)}


if __name__ == "__main__":
    for _ in sys.stdin:
        sys.stdout.write(f"{json.dumps(read())}\n")
        sys.stdout.flush()
        connection.close()  # The database may be restarted before the next.
