"""What others may ask about jobs, queues, schedules and ticks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple, cast

from django.db import connection
from django.db.models import Min, QuerySet

from clinicbot.contracts import Backlog
from clinicbot.models import Clinic
from scheduler.contracts import DeadJob, PlannedJob
from scheduler.models import PURGEABLE, JobState, Queue, Schedule, ScheduledJob, TickRun

# Counting stops here: a page says "10,000+" at once instead of the truth too late.
COUNT_LIMIT = 10_001

PRIORITIES = list(range(10))

# Steps from pair to pair over the claim's index, not from row to row.
_DUE_PAIRS = """
    WITH RECURSIVE pair AS (
        SELECT wanted.queue, first.priority, first.clinic_id
        FROM unnest(%(queues)s::text[]) AS wanted (queue)
        CROSS JOIN LATERAL (
            SELECT priority, clinic_id FROM scheduler_scheduledjob
            WHERE state = 'queued' AND queue = wanted.queue ORDER BY priority, clinic_id LIMIT 1
        ) first
        UNION ALL
        SELECT pair.queue, next.priority, next.clinic_id
        FROM pair CROSS JOIN LATERAL (
            SELECT priority, clinic_id FROM scheduler_scheduledjob
            WHERE state = 'queued' AND queue = pair.queue AND (priority, clinic_id) > (pair.priority, pair.clinic_id)
            ORDER BY priority, clinic_id LIMIT 1
        ) next
    )
    SELECT queue, priority, clinic_id FROM pair
    CROSS JOIN LATERAL (
        SELECT run_at FROM scheduler_scheduledjob
        WHERE state = 'queued' AND queue = pair.queue AND priority = pair.priority AND clinic_id = pair.clinic_id
        ORDER BY run_at LIMIT 1
    ) oldest
    WHERE oldest.run_at <= %(now)s
"""
_FIRST_RUN_AT = """
    SELECT min(first.run_at) FROM unnest(%(queues)s::text[]) AS wanted (queue)
    CROSS JOIN LATERAL (
        SELECT run_at FROM scheduler_scheduledjob
        WHERE state = 'queued' AND queue = wanted.queue AND run_at {compared} %(now)s ORDER BY run_at LIMIT 1
    ) first
"""
_PLANNED = """
    SELECT floor(extract(epoch FROM run_at - %(since)s) / 3600)::int, count(*)
    FROM (
        SELECT run_at FROM scheduler_scheduledjob
        WHERE state = 'queued' AND queue = %(queue)s AND run_at >= %(since)s AND run_at < %(until)s {whose}
        LIMIT %(limit)s
    ) job GROUP BY 1
"""
_DEAD_GROUPS = """
    SELECT kind, COALESCE(NULLIF(last_error, ''), reason) AS why, count(*) AS jobs, max(finished_at)
    FROM (
        SELECT kind, last_error, reason, finished_at FROM scheduler_scheduledjob
        WHERE state = 'dead' {whose} ORDER BY finished_at DESC LIMIT %(counted)s
    ) dead GROUP BY 1, 2 ORDER BY jobs DESC, 4 DESC LIMIT %(limit)s
"""
# Each count reads so many rows and no more. Every priority is named, so that one index finds a clinic's jobs by their time.
_DEPTHS = """
    WITH job AS NOT MATERIALIZED (SELECT queue, state, run_at, attempt FROM scheduler_scheduledjob {whose})
    SELECT id AS queue_id, name, paused_at,
           (SELECT COALESCE(NULLIF(trim(first_name || ' ' || last_name), ''), username) FROM auth_user
            WHERE auth_user.id = paused_by_id) AS paused_by, concurrency, rate_per_second,
           (SELECT count(*) FROM (SELECT FROM job WHERE state = 'queued' AND queue = name AND run_at <= %(now)s
                                  LIMIT %(limit)s) one) AS waiting,
           (SELECT count(*) FROM (SELECT FROM job WHERE state = 'queued' AND queue = name AND run_at > %(now)s
                                  LIMIT %(limit)s) one) AS delayed,
           (SELECT count(*) FROM (SELECT FROM job WHERE state = 'running' AND queue = name
                                  LIMIT %(limit)s) one) AS running,
           (SELECT count(*) FROM (SELECT FROM job WHERE state = 'queued' AND attempt > 0 AND queue = name
                                  LIMIT %(limit)s) one) AS failing,
           (SELECT count(*) FROM (SELECT FROM job WHERE state = 'dead' AND queue = name LIMIT %(limit)s) one) AS dead,
           (SELECT run_at FROM job WHERE state = 'queued' AND queue = name AND run_at <= %(now)s
            ORDER BY run_at LIMIT 1) AS oldest_due_at
    FROM scheduler_queue ORDER BY name
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueDepth:
    """One queue at a glance: waiting (due), delayed (not due yet), running, failing (of these two, tried in vain), dead.

    Counts stop at `COUNT_LIMIT`.
    """

    queue_id: int
    name: str
    paused_at: datetime | None
    paused_by: str | None
    concurrency: int
    rate_per_second: float | None
    waiting: int
    delayed: int
    running: int
    failing: int
    dead: int
    oldest_due_at: datetime | None


class DeadGroup(NamedTuple):
    """Jobs of one kind, given up for one cause. why: class and code of their last failure, or the stable word."""

    kind: str
    why: str
    cases: int
    latest_at: datetime


def list_open_queues() -> list[Queue]:
    return list(Queue.objects.filter(paused_at=None).order_by("name"))


def list_due_pairs(queues: Sequence[str], *, now: datetime) -> Mapping[str, list[tuple[int, int]]]:
    """(priority, clinic id) pairs with due jobs, by queue."""
    found: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(_DUE_PAIRS, {"queues": list(queues), "now": now})
        for queue, priority, clinic_id in cursor.fetchall():
            found[queue].append((priority, clinic_id))
    return found


def find_next_due_at(queues: Sequence[str], *, now: datetime) -> datetime | None:
    """When the next job of these queues becomes due, after `now`."""
    return _find_first_run_at(queues, compared=">", now=now)


def find_oldest_due_at(queues: Sequence[str], *, now: datetime) -> datetime | None:
    """Since when the longest-waiting job of these queues is due."""
    return _find_first_run_at(queues, compared="<=", now=now)


def _find_first_run_at(queues: Sequence[str], *, compared: Literal[">", "<="], now: datetime) -> datetime | None:
    with connection.cursor() as cursor:
        cursor.execute(_FIRST_RUN_AT.format(compared=compared), {"queues": list(queues), "now": now})
        found: datetime | None = cursor.fetchone()[0]
    return found


def next_run_at(*, now: datetime) -> datetime | None:
    """When something planned happens next, at any clinic: a queued job, or a schedule's occurrence."""
    names = list(Queue.objects.values_list("name", flat=True))
    scheduled = Schedule.unscoped.filter(is_enabled=True, next_due_at__gt=now).aggregate(first=Min("next_due_at"))
    moments = [find_next_due_at(names, now=now), scheduled["first"]]
    return min((moment for moment in moments if moment is not None), default=None)


def list_queue_depths(*, clinic: Clinic | None = None, now: datetime) -> list[QueueDepth]:
    """Every queue, with the jobs of one clinic or of all."""
    whose = "" if clinic is None else "WHERE clinic_id = %(clinic)s AND priority = ANY(%(priorities)s)"
    with connection.cursor() as cursor:
        cursor.execute(
            _DEPTHS.format(whose=whose),
            {
                "now": now,
                "limit": COUNT_LIMIT,
                "clinic": clinic.pk if clinic else None,
                "priorities": PRIORITIES,
            },
        )
        names = [column.name for column in cursor.description]
        return [QueueDepth(**dict(zip(names, row, strict=True))) for row in cursor.fetchall()]


def count_planned_by_hour(queue: str, *, clinic: Clinic | None, since: datetime, until: datetime) -> Mapping[int, int]:
    """How many of a queue's waiting jobs, of one clinic or of all, fall into each hour from `since` on. Counts stop as above."""
    whose = "" if clinic is None else "AND clinic_id = %(clinic)s AND priority = ANY(%(priorities)s)"
    values: dict[str, Any] = {
        "queue": queue,
        "since": since,
        "until": until,
        "limit": COUNT_LIMIT,
        "priorities": PRIORITIES,
    }
    with connection.cursor() as cursor:
        cursor.execute(_PLANNED.format(whose=whose), {**values, "clinic": clinic.pk if clinic else None})
        return dict(cursor.fetchall())


def list_newest_ticks(limit: int = 200) -> list[TickRun]:
    """The oldest of them first."""
    return list(TickRun.objects.order_by("-started_at")[:limit])[::-1]


def list_dead_groups(*, clinic: Clinic | None, limit: int) -> list[DeadGroup]:
    """Jobs that were given up, by kind and cause, the most frequent first."""
    whose = "" if clinic is None else "AND clinic_id = %(clinic)s"
    with connection.cursor() as cursor:
        values = {"clinic": clinic.pk if clinic else None, "counted": COUNT_LIMIT, "limit": limit}
        cursor.execute(_DEAD_GROUPS.format(whose=whose), values)
        return [DeadGroup(*row) for row in cursor.fetchall()]


def last_tick() -> TickRun | None:
    """The newest tick, finished or not."""
    return next(iter(newest_ticks()), None)


def newest_ticks() -> QuerySet[TickRun]:
    """The newest one alone, for a page that asks for it together with other things."""
    return TickRun.objects.order_by("-started_at")[:1]


def backlog(now: datetime) -> Backlog:
    """Due and waiting jobs of all queues that are not paused."""
    queues = [queue.name for queue in list_open_queues()]
    due = ScheduledJob.unscoped.filter(state=JobState.QUEUED, run_at__lte=now, queue__in=queues)
    return Backlog(due=due[:COUNT_LIMIT].count(), oldest_due_at=find_oldest_due_at(queues, now=now))


def jobs_of_subject(clinic: Clinic | int, *, unique_key_prefix: str) -> list[PlannedJob]:
    """Jobs whose unique key begins so, in the order of their time; finished ones too, while they are kept.

    Keys are made for this: `appointments.send_reminder:{appointment_id}:...`. End the prefix with its separator.
    """
    return planned_jobs(job_rows_of_subject(clinic, unique_key_prefix=unique_key_prefix))


def job_rows_of_subject(clinic: Clinic | int, *, unique_key_prefix: str) -> QuerySet[ScheduledJob]:
    """What `planned_jobs` reads, for a page that asks for it together with other things."""
    jobs = ScheduledJob.objects.for_clinic(clinic).filter(unique_key__startswith=unique_key_prefix)
    return jobs.order_by("run_at", "id")


def planned_jobs(rows: Iterable[ScheduledJob]) -> list[PlannedJob]:
    return [
        PlannedJob(job_id=job.pk, kind=job.kind, args=job.args, run_at=job.run_at, state=job.state, reason=job.reason)
        for job in rows
    ]


def live_unique_keys(clinic: Clinic | int, *, prefix: str) -> list[str]:
    """Of the clinic's jobs that are still to be done and whose key begins so, in order. One query."""
    live = ScheduledJob.objects.for_clinic(clinic).filter(
        unique_key__startswith=prefix, state__in=[JobState.QUEUED, JobState.RUNNING]
    )
    return sorted(key for key in live.values_list("unique_key", flat=True) if key)


def count_due_until(clinic: Clinic | int, *, queue: str, until: datetime) -> int:
    """The clinic's jobs of a queue that are to run by then. Counting stops at `COUNT_LIMIT`."""
    jobs = ScheduledJob.objects.for_clinic(clinic).filter(queue=queue, state=JobState.QUEUED, run_at__lte=until)
    return jobs.values("pk")[:COUNT_LIMIT].count()


def list_dead(*, since: datetime, after: DeadJob | None = None, limit: int) -> list[DeadJob]:
    """Of all clinics, the longest dead first; `after` is where the page before ended. `since` is in `now` time."""
    dead = _dead(since=after.finished_at if after else since)
    if after is not None:
        dead = dead.exclude(finished_at=after.finished_at, pk__lte=after.job_id)
    return [_dead_job(one) for one in dead.order_by("finished_at", "id")[:limit]]


def count_dead(*, since: datetime) -> int:
    """Of all clinics."""
    return _dead(since=since).values("pk")[:COUNT_LIMIT].count()


def settled_among(job_ids: Collection[int]) -> set[int]:
    """Those of these, of all clinics, that ended well, had no more to do, or were put to rest by staff."""
    settled = ScheduledJob.unscoped.filter(pk__in=job_ids, state__in=PURGEABLE)
    return set(settled.values_list("pk", flat=True))


def _dead(*, since: datetime) -> QuerySet[ScheduledJob]:
    return ScheduledJob.unscoped.filter(state=JobState.DEAD, finished_at__gte=since)


def _dead_job(job: ScheduledJob) -> DeadJob:
    return DeadJob(
        job_id=job.pk,
        clinic_id=job.clinic_id,
        kind=job.kind,
        unique_key=job.unique_key or "",
        why=job.last_error or job.reason,
        finished_at=cast(datetime, job.finished_at),  # A constraint says so of what is dead.
    )
