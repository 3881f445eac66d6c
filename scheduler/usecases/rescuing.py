"""Jobs whose process died, or overran its lease, come back here; by the end of the lease alone, whoever held it."""

from __future__ import annotations

from datetime import datetime

from django.db import connection

from scheduler.conf import CRASHES_TO_DEAD, RESCUE_BATCH
from scheduler.contracts import Reason

# A crash of several says nothing about any one of them: all are marked to run alone, and nobody is charged.
_RESCUE = """
    WITH lapsed AS MATERIALIZED (
        SELECT id FROM scheduler_scheduledjob
        WHERE state = 'running' AND leased_until < %(real)s
        ORDER BY leased_until, id LIMIT %(limit)s
        FOR NO KEY UPDATE SKIP LOCKED
    ), rescued AS (
        UPDATE scheduler_scheduledjob job
        SET state = CASE WHEN claimed_alone AND crash_count + 1 >= %(crashes)s THEN 'dead' ELSE 'queued' END,
            finished_at = CASE WHEN claimed_alone AND crash_count + 1 >= %(crashes)s THEN %(now)s END,
            crash_count = crash_count + claimed_alone::int,
            attempt = GREATEST(attempt - 1, 0), runs_alone = true, reason = %(reason)s,
            claim_id = NULL, leased_until = NULL
        FROM lapsed
        WHERE job.id = lapsed.id AND job.state = 'running'
        RETURNING job.state, job.claimed_alone
    )
    SELECT count(*), count(*) FILTER (WHERE claimed_alone), count(*) FILTER (WHERE state = 'dead') FROM rescued
"""


def rescue_jobs(*, now: datetime, real: datetime) -> dict[str, int]:
    """Take back lapsed leases, at most a batch of them. A rescue gives the attempt back; the third crash alone is the last.

    Answers `jobs_rescued`, `jobs_crashed` (charged) and `jobs_dead`.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            _RESCUE,
            {"real": real, "now": now, "limit": RESCUE_BATCH, "crashes": CRASHES_TO_DEAD, "reason": Reason.CRASHED},
        )
        rescued, charged, dead = cursor.fetchone()
    return {"jobs_rescued": rescued, "jobs_crashed": charged, "jobs_dead": dead}
