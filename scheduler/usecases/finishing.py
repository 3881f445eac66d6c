"""What became of claimed jobs is written here, matched on (id, running, lease_no): who has lost the lease writes nothing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection

from clinicbot.backoff import Backoff
from scheduler.conf import BACKOFF_CAP_SECONDS, SHORTEST_SNOOZE_SECONDS
from scheduler.contracts import Reason, Result, Verdict
from scheduler.models import JobState
from scheduler.usecases.claiming import ClaimedJob, Policy

_LOCK = """
    SELECT job.id FROM scheduler_scheduledjob job
    JOIN unnest(%(ids)s::bigint[], %(lease_nos)s::int[]) AS held (id, lease_no)
      ON job.id = held.id AND job.lease_no = held.lease_no
    WHERE job.state = 'running'
    ORDER BY job.id FOR NO KEY UPDATE OF job
"""
_FINISH = """
    UPDATE scheduler_scheduledjob job
    SET state = outcome.state, run_at = COALESCE(outcome.run_at, job.run_at), reason = outcome.reason,
        last_error = outcome.error, result = outcome.result,
        attempt = CASE WHEN outcome.gives_back THEN GREATEST(job.attempt - 1, 0) ELSE job.attempt END,
        unknown_since = outcome.unknown_since,
        finished_at = CASE WHEN outcome.state = 'queued' THEN NULL ELSE %(now)s END,
        claim_id = NULL, leased_until = NULL
    FROM json_to_recordset(%(outcomes)s) AS outcome (
        id bigint, lease_no int, state text, run_at timestamptz, reason text, error text, result jsonb,
        gives_back boolean, unknown_since timestamptz)
    WHERE job.id = outcome.id AND job.lease_no = outcome.lease_no AND job.state = 'running'
    RETURNING job.id
"""
# Most jobs end so: nothing to say of them but that they are done.
_FINISH_DONE = """
    UPDATE scheduler_scheduledjob job
    SET state = 'done', reason = '', last_error = '', result = '{}', unknown_since = NULL, finished_at = %(now)s,
        claim_id = NULL, leased_until = NULL
    FROM unnest(%(ids)s::bigint[], %(lease_nos)s::int[]) AS held (id, lease_no)
    WHERE job.id = held.id AND job.lease_no = held.lease_no AND job.state = 'running'
"""
_RELEASE = """
    WITH released AS (
        UPDATE scheduler_scheduledjob job
        SET state = 'queued', attempt = GREATEST(job.attempt - 1, 0), claim_id = NULL, leased_until = NULL
        FROM unnest(%(ids)s::bigint[], %(lease_nos)s::int[]) AS held (id, lease_no)
        WHERE job.id = held.id AND job.lease_no = held.lease_no AND job.state = 'running'
        RETURNING job.id
    ), returned AS (
        UPDATE scheduler_queue
        SET tokens = LEAST(tokens + (SELECT count(*) FROM released), GREATEST(rate_per_second, 1))
        WHERE name = %(queue)s AND rate_per_second IS NOT NULL
    )
    SELECT count(*) FROM released
"""

_FINAL_STATES = {
    Verdict.DONE: JobState.DONE,
    Verdict.SKIPPED: JobState.SKIPPED,
    Verdict.CANCELLED: JobState.CANCELLED,
    Verdict.DEAD: JobState.DEAD,
}


class Outcome(NamedTuple):
    """One job's result, and what a person may read of its failure: class and code, never the exception's words."""

    job: ClaimedJob
    result: Result
    error: str = ""
    unknown_since: datetime | None = None

    @property
    def is_just_done(self) -> bool:
        return self.result is Result.done() and not self.error and not self.unknown_since


@dataclass(frozen=True, slots=True, kw_only=True)
class _Write:
    state: str
    word: str
    run_at: datetime | None = None
    reason: str
    gives_back: bool = False


def lock_held(jobs: Sequence[ClaimedJob]) -> list[ClaimedJob]:
    """Those whose lease is still ours, locked until the transaction ends, so that no rescue takes them meanwhile."""
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, _ids_and_leases(jobs))
        held = {job_id for (job_id,) in cursor.fetchall()}
    return [job for job in jobs if job.job_id in held]


def finish_jobs(outcomes: Sequence[Outcome], *, policy: Policy, now: datetime) -> dict[str, int]:
    """Write all outcomes, in two statements at most. Answers how many ended how, by word, `stale_results` among them.

    A retry waits by the queue's back-off, and the last attempt's makes the job dead; a snooze gives the attempt back.
    """
    told: list[Outcome] = []
    done: list[ClaimedJob] = []
    for outcome in outcomes:
        if outcome.is_just_done:
            done.append(outcome.job)
        else:
            told.append(outcome)
    return Counter(_finish_done(done, now=now)) + Counter(_finish_told(told, policy=policy, now=now))


def _finish_done(jobs: Sequence[ClaimedJob], *, now: datetime) -> dict[str, int]:
    if not jobs:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_FINISH_DONE, {**_ids_and_leases(jobs), "now": now})
        return {"jobs_done": cursor.rowcount, "stale_results": len(jobs) - cursor.rowcount}


def _finish_told(outcomes: Sequence[Outcome], *, policy: Policy, now: datetime) -> dict[str, int]:
    if not outcomes:
        return {}
    writes = [_write(outcome, policy=policy, now=now) for outcome in outcomes]
    rows = [_row(outcome, write) for outcome, write in zip(outcomes, writes, strict=True)]
    with connection.cursor() as cursor:
        cursor.execute(_FINISH, {"outcomes": json.dumps(rows, cls=DjangoJSONEncoder), "now": now})
        written = {job_id for (job_id,) in cursor.fetchall()}
    counts: dict[str, int] = {}
    for outcome, write in zip(outcomes, writes, strict=True):
        word = write.word if outcome.job.job_id in written else "stale_results"
        counts[word] = counts.get(word, 0) + 1
    return counts


def release_jobs(jobs: Sequence[ClaimedJob], *, policy: Policy) -> dict[str, int]:
    """Give back what was not started: its attempt uncharged, its part of the rate returned."""
    if not jobs:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_RELEASE, {**_ids_and_leases(jobs), "queue": policy.queue})
        (released,) = cursor.fetchone()
    return {"jobs_released": released}


def _write(outcome: Outcome, *, policy: Policy, now: datetime) -> _Write:
    result, attempt = outcome.result, outcome.job.attempt
    is_spent = result.verdict is Verdict.RETRY and attempt >= policy.max_attempts
    state = JobState.DEAD if is_spent else _FINAL_STATES.get(result.verdict)
    if state is not None:
        return _Write(state=state, word=f"jobs_{state}", reason=result.reason)
    is_retry = result.verdict is Verdict.RETRY
    return _Write(
        state=JobState.QUEUED,
        word="jobs_retried" if is_retry else "jobs_snoozed",
        run_at=now + timedelta(seconds=_delay_seconds(result, attempt=attempt, policy=policy)),
        reason=result.reason,
        gives_back=not is_retry,
    )


def _row(outcome: Outcome, write: _Write) -> dict[str, Any]:
    return {
        "id": outcome.job.job_id,
        "lease_no": outcome.job.lease_no,
        "state": write.state,
        "run_at": write.run_at and write.run_at.isoformat(),
        "reason": write.reason[:64],
        "error": outcome.error[:500],
        "result": outcome.result.detail,
        "gives_back": write.gives_back,
        "unknown_since": outcome.unknown_since and outcome.unknown_since.isoformat(),
    }


def _delay_seconds(result: Result, *, attempt: int, policy: Policy) -> float:
    floor = result.after_seconds or 0.0
    if result.verdict is Verdict.SNOOZE and result.reason != Reason.RATE_LIMITED:
        return max(floor, SHORTEST_SNOOZE_SECONDS)
    backoff = Backoff(base_seconds=policy.backoff_base_seconds, cap_seconds=BACKOFF_CAP_SECONDS)
    return backoff.seconds_after(max(1, attempt), at_least_seconds=floor)


def _ids_and_leases(jobs: Sequence[ClaimedJob]) -> dict[str, str]:
    return {"ids": _array(job.job_id for job in jobs), "lease_nos": _array(job.lease_no for job in jobs)}


def _array(numbers: Iterable[int]) -> str:
    """As PostgreSQL reads one. The driver writes lists too, but takes long over many."""
    return "{" + ",".join(map(str, numbers)) + "}"
