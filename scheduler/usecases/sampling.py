"""Once a minute: how much waits, how long what was begun had waited. One row, whatever the number of jobs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from scheduler.models import QueueSample
from scheduler.queries import QueueDepth, list_queue_depths
from scheduler.waits import BOUNDS_SECONDS, PLACES

SETTLES_WITHIN = timedelta(seconds=5)
"""A job's end bears the time at which its round began, and is seen when the round commits."""

LOOKS_BACK = timedelta(minutes=15)
"""The most that one sample tells of: after an outage nothing had been done."""

MOVED_BY_MORE_THAN = timedelta(seconds=2)

_FINISHED = """
    SELECT queue, width_bucket(extract(epoch FROM finished_at - run_at)::int, %(bounds)s::int[]), count(*)
    FROM scheduler_scheduledjob
    WHERE state IN ('done', 'skipped') AND finished_at > %(since)s AND finished_at <= %(until)s
    GROUP BY 1, 2
"""
_DIED = """
    SELECT queue, count(*) FROM scheduler_scheduledjob
    WHERE state = 'dead' AND finished_at > %(since)s AND finished_at <= %(until)s GROUP BY 1
"""


@dataclass(slots=True, kw_only=True)
class _OfQueue:
    waiting: int
    delayed: int
    running: int
    failing: int
    dead: int
    finished: int = 0
    died: int = 0


def sample_queues(*, now: datetime, real: datetime) -> QueueSample:
    """Keep how the queues of all clinics stand, and what was finished since the sample before."""
    before = QueueSample.objects.order_by("-real_at").first()
    since, until = _span(before, now=now, real=real)
    depths = list_queue_depths(now=now)
    of_queue = {one.name: _of(one) for one in depths}
    waits = _count_finished(of_queue, since=since, until=until)
    oldest = min((one.oldest_due_at for one in depths if one.oldest_due_at and not one.paused_at), default=None)
    return QueueSample.objects.create(
        taken_at=now,
        real_at=real,
        # Who moves the demo's clock makes things due; nobody waited for them.
        waits=[] if _is_moved(before, now=now, real=real) else waits,
        finished=sum(one.finished for one in of_queue.values()),
        died=sum(one.died for one in of_queue.values()),
        waiting=sum(one.waiting for one in of_queue.values()),
        oldest_due_seconds=int((now - oldest).total_seconds()) if oldest else 0,
        queues={name: asdict(one) for name, one in of_queue.items()},
    )


def _span(before: QueueSample | None, *, now: datetime, real: datetime) -> tuple[datetime, datetime]:
    """Each moment belongs to one sample: where this one ends, the next begins."""
    until = now - SETTLES_WITHIN
    begins = before.taken_at - SETTLES_WITHIN if before else until - timedelta(minutes=1)
    return max(begins, until - LOOKS_BACK), until


def _is_moved(before: QueueSample | None, *, now: datetime, real: datetime) -> bool:
    return before is not None and (now - before.taken_at) - (real - before.real_at) > MOVED_BY_MORE_THAN


def _of(depth: QueueDepth) -> _OfQueue:
    return _OfQueue(
        waiting=depth.waiting,
        delayed=depth.delayed,
        running=depth.running,
        failing=depth.failing,
        dead=depth.dead,
    )


def _count_finished(of_queue: dict[str, _OfQueue], *, since: datetime, until: datetime) -> list[int]:
    waits = [0] * PLACES
    values: dict[str, Any] = {"since": since, "until": until, "bounds": list(BOUNDS_SECONDS)}
    with connection.cursor() as cursor:
        cursor.execute(_FINISHED, values)
        for queue, place, count in cursor.fetchall():
            waits[place] += count
            if queue in of_queue:
                of_queue[queue].finished += count
        cursor.execute(_DIED, values)
        for queue, count in cursor.fetchall():
            if queue in of_queue:
                of_queue[queue].died += count
    return waits
