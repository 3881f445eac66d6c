"""What is old enough goes, in small batches, the oldest first. Dead jobs never go by machine; live ones even less."""

from __future__ import annotations

from datetime import datetime

from django.db import connection

_DELETE_JOBS = """
    WITH old AS MATERIALIZED (
        SELECT id FROM scheduler_scheduledjob
        WHERE state IN ('done', 'skipped', 'cancelled') AND finished_at < %(before)s
        ORDER BY finished_at, id LIMIT %(limit)s
        FOR UPDATE SKIP LOCKED
    )
    DELETE FROM scheduler_scheduledjob job USING old
    WHERE job.id = old.id AND job.state IN ('done', 'skipped', 'cancelled')
"""
_DELETE_RUNS = """
    WITH old AS MATERIALIZED (
        SELECT id FROM scheduler_schedulerun WHERE planned_at < %(before)s
        ORDER BY planned_at, id LIMIT %(limit)s
        FOR UPDATE SKIP LOCKED
    )
    DELETE FROM scheduler_schedulerun run USING old WHERE run.id = old.id
"""
_DELETE_TICKS = """
    WITH old AS MATERIALIZED (
        SELECT id FROM scheduler_tickrun WHERE started_at < %(before)s
        ORDER BY started_at, id LIMIT %(limit)s
        FOR UPDATE SKIP LOCKED
    )
    DELETE FROM scheduler_tickrun tick USING old WHERE tick.id = old.id
"""
_DELETE_SAMPLES = """
    WITH old AS MATERIALIZED (
        SELECT id FROM scheduler_queuesample WHERE real_at < %(before)s
        ORDER BY real_at, id LIMIT %(limit)s
        FOR UPDATE SKIP LOCKED
    )
    DELETE FROM scheduler_queuesample sample USING old WHERE sample.id = old.id
"""


def purge_finished_jobs(*, before: datetime, limit: int) -> int:
    """Jobs done, skipped or cancelled before that moment, by when they ended, never by when they were made."""
    return _delete(_DELETE_JOBS, before=before, limit=limit)


def purge_occurrences(*, before: datetime, limit: int) -> int:
    """Records of planned and missed occurrences. `before` must lie further back than any grace, or one could run again."""
    return _delete(_DELETE_RUNS, before=before, limit=limit)


def purge_ticks(*, before: datetime, limit: int) -> int:
    """Ticks that began before that moment. Real time."""
    return _delete(_DELETE_TICKS, before=before, limit=limit)


def purge_samples(*, before: datetime, limit: int) -> int:
    """How the queues stood before that moment. Real time."""
    return _delete(_DELETE_SAMPLES, before=before, limit=limit)


def _delete(sql: str, *, before: datetime, limit: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql, {"before": before, "limit": limit})
        return int(cursor.rowcount)
