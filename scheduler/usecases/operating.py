"""What people do to jobs and queues: cancel, try again, pause, resume, set limits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import IntegrityError, connection, transaction

from clinicbot import audit
from clinicbot.actors import Actor
from clinicbot.models import Clinic
from scheduler.conf import RETRY_SPREAD_LIMIT_SECONDS, RETRY_SPREAD_SECONDS_PER_JOB
from scheduler.contracts import Reason
from scheduler.errors import BadQueueLimitsError, JobNotQueuedError
from scheduler.models import JobState, Queue, ScheduledJob

_IDS_IN_AUDIT = 1000

# A key may be taken between our look and our UPDATE; the next look sees by whom.
_TRIES = 5

# Of several jobs with one key only the newest can live; none can while another job with that key does.
_RETRY = """
    WITH wanted AS MATERIALIZED (
        SELECT id, clinic_id, unique_key FROM scheduler_scheduledjob
        WHERE id = ANY(%(ids)s) AND state IN ('dead', 'cancelled')
        ORDER BY id FOR NO KEY UPDATE
    ), newest AS MATERIALIZED (
        SELECT DISTINCT ON (clinic_id, COALESCE(unique_key, id::text)) id FROM wanted
        WHERE NOT EXISTS (
            SELECT FROM scheduler_scheduledjob live
            WHERE live.clinic_id = wanted.clinic_id AND live.unique_key = wanted.unique_key
              AND live.state IN ('queued', 'running')
        )
        ORDER BY clinic_id, COALESCE(unique_key, id::text), id DESC
    ), numbered AS MATERIALIZED (
        SELECT id, row_number() OVER (ORDER BY id) - 1 AS place, count(*) OVER () AS jobs FROM newest
    )
    UPDATE scheduler_scheduledjob job
    SET state = 'queued', finished_at = NULL, attempt = 0, crash_count = 0, unknown_since = NULL, reason = %(reason)s,
        run_at = %(now)s + make_interval(
            secs => LEAST(numbered.jobs * %(spread)s, %(spread_limit)s) * numbered.place / numbered.jobs)
    FROM numbered WHERE job.id = numbered.id AND job.state IN ('dead', 'cancelled')
    RETURNING job.id, job.clinic_id
"""
_RESCHEDULE = """
    WITH waiting AS MATERIALIZED (
        SELECT id FROM scheduler_scheduledjob WHERE id = ANY(%(ids)s) AND state = 'queued'
        ORDER BY id FOR NO KEY UPDATE
    ), numbered AS MATERIALIZED (
        SELECT id, row_number() OVER (ORDER BY id) - 1 AS place, count(*) OVER () AS jobs FROM waiting
    )
    UPDATE scheduler_scheduledjob job
    SET run_at = %(run_at)s + make_interval(secs => %(seconds)s * numbered.place / numbered.jobs)
    FROM numbered WHERE job.id = numbered.id AND job.state = 'queued'
    RETURNING job.id, job.clinic_id
"""
_SUPERSEDED_BY = """
    SELECT job.id, live.id FROM scheduler_scheduledjob job
    JOIN scheduler_scheduledjob live ON live.clinic_id = job.clinic_id AND live.unique_key = job.unique_key
    WHERE job.id = ANY(%(ids)s) AND job.state IN ('dead', 'cancelled') AND live.state IN ('queued', 'running')
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retried:
    """`superseded`: jobs left as they were, each with the live job that holds its key."""

    count: int
    superseded: Mapping[int, int] = field(default_factory=dict)


@transaction.atomic
def retry_jobs(job_ids: Iterable[int], *, actor: Actor, now: datetime) -> Retried:
    """Queue dead and cancelled jobs again, all counters at zero, many of them spread over up to half an hour.

    A job that was found to crash keeps running alone.

    Raises:
        JobNotQueuedError: others take the keys faster than we can look.
    """
    ids = list(job_ids)
    retried = _queue_again(ids, now=now)
    with connection.cursor() as cursor:
        cursor.execute(_SUPERSEDED_BY, {"ids": ids})
        superseded = dict(cursor.fetchall())
    _record(retried, action="scheduler.retry_jobs", actor=actor, now=now)
    return Retried(count=len(retried), superseded=superseded)


def _queue_again(ids: list[int], *, now: datetime) -> list[tuple[int, int]]:
    values: dict[str, Any] = {
        "ids": ids,
        "now": now,
        "reason": Reason.RETRIED_BY_STAFF,
        "spread": RETRY_SPREAD_SECONDS_PER_JOB,
        "spread_limit": RETRY_SPREAD_LIMIT_SECONDS,
    }
    for _ in range(_TRIES):
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(_RETRY, values)
                retried: list[tuple[int, int]] = cursor.fetchall()
                return retried
        except IntegrityError:
            continue
    raise JobNotQueuedError


@transaction.atomic
def cancel_jobs(job_ids: Iterable[int], *, actor: Actor, reason: str = "", now: datetime) -> int:
    """Cancel jobs that wait, and put dead ones to rest. Running ones go on. Answers how many.

    reason: the person's own words, for the audit trail.
    """
    jobs = ScheduledJob.unscoped.filter(pk__in=list(job_ids), state__in=[JobState.QUEUED, JobState.DEAD])
    waiting = list(jobs.select_for_update(no_key=True).order_by("pk").values_list("pk", "clinic_id"))
    ScheduledJob.unscoped.filter(pk__in=[pk for pk, _ in waiting]).update(
        state=JobState.CANCELLED, reason=Reason.CANCELLED_BY_STAFF, finished_at=now
    )
    _record(waiting, action="scheduler.cancel_jobs", actor=actor, now=now, reason=reason)
    return len(waiting)


@transaction.atomic
def reschedule_jobs(
    job_ids: Iterable[int], *, run_at: datetime, until: datetime, actor: Actor, reason: str = "", now: datetime
) -> int:
    """Move jobs that wait to that time, spread evenly until the other. Others stay as they are. Answers how many."""
    with connection.cursor() as cursor:
        seconds = (until - run_at).total_seconds()
        cursor.execute(_RESCHEDULE, {"ids": list(job_ids), "run_at": run_at, "seconds": seconds})
        moved: list[tuple[int, int]] = cursor.fetchall()
    _record(moved, action="scheduler.reschedule_jobs", actor=actor, now=now, reason=reason)
    return len(moved)


@transaction.atomic
def pause_queue(queue: Queue, *, actor: Actor, now: datetime) -> bool:
    """Claim nothing more from it; batches in progress end. False: it is paused already."""
    is_changed = Queue.objects.filter(pk=queue.pk, paused_at=None).update(paused_at=now, paused_by=actor.id) == 1
    if is_changed:
        audit.record(actor, clinic=None, action="scheduler.pause_queue", subject=queue, now=now)
    return is_changed


@transaction.atomic
def resume_queue(queue: Queue, *, actor: Actor, now: datetime) -> bool:
    """False: it is not paused."""
    is_changed = Queue.objects.filter(pk=queue.pk).exclude(paused_at=None).update(paused_at=None, paused_by=None) == 1
    if is_changed:
        audit.record(actor, clinic=None, action="scheduler.resume_queue", subject=queue, now=now)
    return is_changed


@transaction.atomic
def set_queue_limits(
    queue: Queue,
    *,
    concurrency: int,
    rate_per_second: float | None,
    max_attempts: int,
    backoff_base_seconds: int,
    actor: Actor,
    now: datetime,
) -> None:
    """Change what holds from the next claim on.

    Raises:
        BadQueueLimitsError: fewer than one batch or attempt, or a rate or back-off that never moves.
    """
    is_moving = rate_per_second is None or rate_per_second > 0
    if not is_moving or min(concurrency, max_attempts, backoff_base_seconds) < 1:
        raise BadQueueLimitsError
    Queue.objects.filter(pk=queue.pk).update(
        concurrency=concurrency,
        rate_per_second=rate_per_second,
        max_attempts=max_attempts,
        backoff_base_seconds=backoff_base_seconds,
    )
    detail = {"concurrency": concurrency, "rate_per_second": rate_per_second, "max_attempts": max_attempts}
    audit.record(actor, clinic=None, action="scheduler.set_queue_limits", subject=queue, detail=detail, now=now)


def _record(jobs: Iterable[tuple[int, int]], *, action: str, actor: Actor, now: datetime, reason: str = "") -> None:
    """One entry for each clinic, whatever the number of jobs."""
    ids_of: defaultdict[int, list[int]] = defaultdict(list)
    for job_id, clinic_id in jobs:
        ids_of[clinic_id].append(job_id)
    for clinic in Clinic.objects.filter(pk__in=ids_of):
        ids = ids_of[clinic.pk]
        detail = {"jobs": ids[:_IDS_IN_AUDIT], "count": len(ids)}
        audit.record(actor, clinic=clinic, action=action, subject=clinic, detail=detail, reason=reason, now=now)
