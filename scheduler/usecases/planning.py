"""Occurrences that have come due get their job, under the schedule's row lock, so that any number of hosts make one."""

from __future__ import annotations

import json
import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection, transaction

from clinicbot.tz_data import tz_version
from scheduler.conf import MISSES_KEPT_PER_SCHEDULE, SCHEDULES_PER_ROUND
from scheduler.contracts import find_kind
from scheduler.models import RunState, Schedule, ScheduleRun
from scheduler.usecases.occurrences import Occurrence, Recurrence

logger = logging.getLogger(__name__)

DEFAULT_PRIORITY = 5

# Occurrence and job are born together: an occurrence without its job would never be made good.
_INSERT_RUNS_WITH_JOBS = """
    WITH wanted AS MATERIALIZED (
        SELECT nextval('scheduler_scheduledjob_id_seq') AS job_id, due.*
        FROM unnest(%(schedules)s::bigint[], %(clinics)s::bigint[], %(queues)s::text[], %(kinds)s::text[],
                    %(args)s::text[], %(priorities)s::int[], %(local_ats)s::text[], %(due_ats)s::timestamptz[],
                    %(late_seconds)s::int[])
             AS due (schedule_id, clinic_id, queue, kind, args, priority, local_at, due_at, late_seconds)
        WHERE NOT EXISTS (
            SELECT FROM scheduler_schedulerun run
            WHERE run.schedule_id = due.schedule_id AND run.local_at = due.local_at
        )
    ), job AS (
        INSERT INTO scheduler_scheduledjob
            (id, clinic_id, queue, kind, args, run_at, priority, unique_key, created_at,
             state, attempt, crash_count, runs_alone, claimed_alone, lease_no, reason, last_error, result)
        SELECT job_id, clinic_id, queue, kind, args::jsonb, due_at, priority,
               'schedule:' || schedule_id || ':' || local_at, %(now)s,
               'queued', 0, 0, false, false, 0, '', '', '{}'
        FROM wanted
        ON CONFLICT (clinic_id, unique_key) WHERE state IN ('queued', 'running') AND unique_key IS NOT NULL DO NOTHING
        RETURNING id
    )
    INSERT INTO scheduler_schedulerun (clinic_id, schedule_id, local_at, due_at, state, job_id, late_seconds, planned_at)
    SELECT clinic_id, schedule_id, local_at, due_at, 'planned', job_id, late_seconds, %(now)s
    FROM wanted JOIN job ON job.id = wanted.job_id
    RETURNING id
"""
_MOVE_ON = """
    UPDATE scheduler_schedule schedule
    SET planned_until = %(now)s, next_due_at = moved.next_due_at, tz_version = %(tz_version)s
    FROM unnest(%(ids)s::bigint[], %(next_due_ats)s::timestamptz[]) AS moved (id, next_due_at)
    WHERE schedule.id = moved.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """What one round planned. `more`: other schedules are due too."""

    planned: int = 0
    missed: int = 0
    more: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Due:
    schedule: Schedule
    run: Occurrence | None
    missed: Sequence[Occurrence]


@transaction.atomic
def plan_schedules(*, now: datetime) -> Planned:
    """Plan what has come due. After an outage only the latest occurrence of a schedule runs, if its grace allows.

    The rows are locked before their cron is read: an edit waits, or is seen.
    """
    schedules = list(
        Schedule.unscoped.filter(is_enabled=True, next_due_at__lte=now)
        .select_for_update(skip_locked=True, no_key=True)
        .order_by("next_due_at")[:SCHEDULES_PER_ROUND]
    )
    if not schedules:
        return Planned()
    dues = [_due(schedule, now=now) for schedule in schedules]
    planned = _insert_runs([due for due in dues if due.run], now=now)
    missed = _insert_misses(dues, now=now)
    _move_on(schedules, now=now)
    return Planned(planned=planned, missed=missed, more=len(schedules) == SCHEDULES_PER_ROUND)


def recurrence_of(schedule: Schedule) -> Recurrence:
    return Recurrence(cron=schedule.cron, zone=schedule.zone, ends_at=schedule.ends_at)


def _due(schedule: Schedule, *, now: datetime) -> _Due:
    occurrences = recurrence_of(schedule).between(schedule.planned_until, now)
    newest = sorted(deque(occurrences, maxlen=MISSES_KEPT_PER_SCHEDULE))
    if not newest:
        return _Due(schedule=schedule, run=None, missed=[])
    latest = newest[-1]
    if now - latest.due_at > timedelta(seconds=schedule.grace_seconds):
        return _Due(schedule=schedule, run=None, missed=newest)
    return _Due(schedule=schedule, run=latest, missed=newest[:-1])


def _insert_runs(dues: Sequence[_Due], *, now: datetime) -> int:
    runs = [(due.schedule, due.run) for due in dues if due.run]
    if not runs:
        return 0
    kinds = [find_kind(schedule.kind) for schedule, _ in runs]
    with connection.cursor() as cursor:
        cursor.execute(
            _INSERT_RUNS_WITH_JOBS,
            {
                "schedules": [schedule.pk for schedule, _ in runs],
                "clinics": [schedule.clinic_id for schedule, _ in runs],
                "queues": [schedule.queue for schedule, _ in runs],
                "kinds": [schedule.kind for schedule, _ in runs],
                "args": [json.dumps({**schedule.args, "local_at": run.local_at}) for schedule, run in runs],
                "priorities": [kind.priority if kind else DEFAULT_PRIORITY for kind in kinds],
                "local_ats": [run.local_at for _, run in runs],
                "due_ats": [run.due_at for _, run in runs],
                "late_seconds": [int((now - run.due_at).total_seconds()) for _, run in runs],
                "now": now,
            },
        )
        return len(cursor.fetchall())


def _insert_misses(dues: Sequence[_Due], *, now: datetime) -> int:
    misses = [
        ScheduleRun(
            clinic_id=due.schedule.clinic_id,
            schedule=due.schedule,
            local_at=occurrence.local_at,
            due_at=occurrence.due_at,
            state=RunState.MISSED,
            late_seconds=int((now - occurrence.due_at).total_seconds()),
            planned_at=now,
        )
        for due in dues
        for occurrence in due.missed
    ]
    if misses:
        ScheduleRun.unscoped.bulk_create(misses, ignore_conflicts=True)
        logger.warning("Occurrences of schedules were missed.", extra={"missed": len(misses)})
    return len(misses)


def _move_on(schedules: Sequence[Schedule], *, now: datetime) -> None:
    next_due_ats = [recurrence_of(schedule).first_after(now) for schedule in schedules]
    with connection.cursor() as cursor:
        ids = [schedule.pk for schedule in schedules]
        cursor.execute(_MOVE_ON, {"ids": ids, "next_due_ats": next_due_ats, "now": now, "tz_version": tz_version()})
