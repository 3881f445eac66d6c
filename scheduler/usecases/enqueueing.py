"""Jobs enter here, in the caller's transaction: a job exists if and only if what it follows from does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection

from scheduler.contracts import MAX_ARGS_BYTES, Enqueued, JobArgs, NewJob, find_kind
from scheduler.errors import JobArgsTooLargeError, JobNotQueuedError, NaiveTimeError, UnknownJobKindError

# A key's holder may finish between our INSERT and our look; then the INSERT succeeds the next time.
_TRIES = 5

_INSERT = """
    WITH new AS MATERIALIZED (
        SELECT place, nextval('scheduler_scheduledjob_id_seq') AS id, clinic_id, queue, kind, args, run_at, priority, key
        FROM json_to_recordset(%(rows)s) AS wanted (
            place int, clinic_id bigint, queue text, kind text, args jsonb, run_at timestamptz, priority int, key text)
    ), inserted AS (
        INSERT INTO scheduler_scheduledjob
            (id, clinic_id, queue, kind, args, run_at, priority, unique_key, created_at,
             state, attempt, crash_count, runs_alone, claimed_alone, lease_no, reason, last_error, result)
        SELECT id, clinic_id, queue, kind, args, run_at, priority, key, %(now)s,
               'queued', 0, 0, false, false, 0, '', '', '{}'
        FROM new ORDER BY place
        ON CONFLICT (clinic_id, unique_key) WHERE state IN ('queued', 'running') AND unique_key IS NOT NULL DO NOTHING
        RETURNING id
    )
    SELECT new.place, new.id FROM new JOIN inserted USING (id)
"""

_FIND_LIVE = """
    SELECT wanted.place, job.id
    FROM json_to_recordset(%(rows)s) AS wanted (place int, clinic_id bigint, key text)
    JOIN scheduler_scheduledjob job ON job.clinic_id = wanted.clinic_id AND job.unique_key = wanted.key
    WHERE job.state IN ('queued', 'running')
"""


def enqueue(
    clinic_id: int,
    args: JobArgs,
    *,
    run_at: datetime,
    unique_key: str | None = None,
    priority: int | None = None,
    now: datetime,
) -> Enqueued:
    """Queue one job. When a live job of the clinic holds `unique_key`, that one is named and nothing is added.

    Raises: as `enqueue_many`.
    """
    job = NewJob(clinic_id=clinic_id, args=args, run_at=run_at, unique_key=unique_key, priority=priority)
    return enqueue_many([job], now=now)[0]


def enqueue_many(jobs: Sequence[NewJob], *, now: datetime) -> list[Enqueued]:
    """Queue many jobs with one INSERT. The answers stand in the order of `jobs`.

    Raises, before any of them is stored:
        NaiveTimeError: a `run_at` has no zone.
        UnknownJobKindError: nobody runs such jobs.
        BadJobArgsError, JobArgsTooLargeError: the arguments are not ids and times, or exceed 4 KB.
    """
    rows = [_row(job, place=place) for place, job in enumerate(jobs)]
    answers: dict[int, Enqueued] = {}
    for _ in range(_TRIES):
        left = [row for row in rows if row["place"] not in answers]
        if not left:
            break
        answers |= {place: Enqueued(job_id=job_id, is_new=True) for place, job_id in _ask(_INSERT, left, now=now)}
        held = [row for row in left if row["place"] not in answers]
        if held:
            answers |= {place: Enqueued(job_id=job_id, is_new=False) for place, job_id in _ask(_FIND_LIVE, held)}
    if len(answers) < len(rows):
        raise JobNotQueuedError
    return [answers[place] for place in range(len(rows))]


def check_args(args: JobArgs) -> dict[str, Any]:
    """The arguments as they are stored.

    Raises:
        BadJobArgsError: they are not ids and times.
        JobArgsTooLargeError: they exceed 4 KB.
    """
    payload = args.payload()
    if len(json.dumps(payload).encode()) > MAX_ARGS_BYTES:
        raise JobArgsTooLargeError
    return payload


def _row(job: NewJob, *, place: int) -> dict[str, Any]:
    if job.run_at.utcoffset() is None:
        raise NaiveTimeError
    kind = find_kind(job.args.kind)
    if kind is None:
        raise UnknownJobKindError(f"Nobody runs jobs of the kind {job.args.kind}.")
    return {
        "place": place,
        "clinic_id": job.clinic_id,
        "queue": kind.queue,
        "kind": kind.name,
        "args": check_args(job.args),
        "run_at": job.run_at.isoformat(),
        "priority": kind.priority if job.priority is None else job.priority,
        "key": job.unique_key,
    }


def _ask(sql: str, rows: Sequence[dict[str, Any]], **more: datetime) -> list[tuple[int, int]]:
    """Pairs of place and job id."""
    with connection.cursor() as cursor:
        cursor.execute(sql, {"rows": json.dumps(rows), **more})
        found: list[tuple[int, int]] = cursor.fetchall()
    return found
