"""Open tasks that only a call can answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from appointments.events import VISIT
from appointments.models import CallOutcome
from clinicbot.models import Clinic
from messaging.contracts import TaskReason
from messaging.queries.tasks import open_tasks_about

TO_CALL = (
    TaskReason.WANTS_NO_MESSAGES,
    TaskReason.NO_REACHABLE_CONTACT,
    TaskReason.NOT_DELIVERED,
    TaskReason.NOT_KNOWN_WHETHER_SENT,
)
TELLS = (CallOutcome.WILL_COME, CallOutcome.TOLD)
"""Somebody has spoken with them, and they know."""
MANY_TASKS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTask:
    """detail: a stable word, for `why_of`."""

    task_id: int
    reason: TaskReason
    detail: str
    since: datetime
    visit_ids: frozenset[int]


def tasks_of_calls(clinic: Clinic) -> list[CallTask]:
    """Oldest first, each with all visits that it is about. One query."""
    tasks = open_tasks_about(clinic.pk, subject_type=VISIT, reasons=TO_CALL, limit=MANY_TASKS)
    return [
        CallTask(
            task_id=task.task_id,
            reason=TaskReason(task.reason),
            detail=task.detail,
            since=task.opened_at,
            visit_ids=frozenset(int(one) for one in visit_ids),
        )
        for task, visit_ids in tasks
    ]
