"""The claim: take a batch of due jobs under a lease, in a short transaction of its own.

Raw SQL with materialised steps: the planner may run a plain `IN (SELECT ... LIMIT n FOR UPDATE SKIP LOCKED)` once per row
and so take more than n.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection, transaction

from clinicbot.ids import uuid7
from scheduler.conf import BATCH_SIZE, CLAIMS_PER_CLAIM_BY_AGE, LEASE_MARGIN_SECONDS
from scheduler.contracts import DEFAULT_TIME_LIMIT_SECONDS, external_kind_names, time_limits_seconds
from scheduler.models import Queue
from scheduler.usecases.rotation import Pair, Rotation

# Each pair's oldest due jobs, ranked: the first of each pair come before the second of any. The pair's rows are asked for as
# a range of `scheduler_jobs_to_claim`; asked for by equality, the planner may read through all that is due to find them.
_IN_TURN = """
    SELECT job.id, job.is_alone, pair.priority, job.rank, pair.position
    FROM unnest(%(priorities)s::int[], %(clinics)s::bigint[]) WITH ORDINALITY AS pair (priority, clinic_id, position)
    CROSS JOIN LATERAL (
        SELECT due.id, due.is_alone, row_number() OVER (ORDER BY due.run_at, due.id) AS rank
        FROM (
            SELECT id, run_at, runs_alone OR kind = ANY(%(alone_kinds)s::text[]) AS is_alone
            FROM scheduler_scheduledjob
            WHERE state = 'queued' AND queue = %(queue)s
              AND (priority, clinic_id) >= (pair.priority, pair.clinic_id)
              AND (priority, clinic_id, run_at) <= (pair.priority, pair.clinic_id, %(now)s)
            ORDER BY priority, clinic_id, run_at, id LIMIT %(quota)s
        ) due
    ) job
    WHERE (SELECT batches FROM live) < %(concurrency)s
"""
_BY_AGE = """
    SELECT job.id, job.is_alone, 0 AS priority, row_number() OVER (ORDER BY job.run_at, job.id) AS rank, 0 AS position
    FROM (
        SELECT id, run_at, runs_alone OR kind = ANY(%(alone_kinds)s::text[]) AS is_alone
        FROM scheduler_scheduledjob
        WHERE state = 'queued' AND queue = %(queue)s AND run_at <= %(now)s
        ORDER BY run_at, id LIMIT %(size)s
    ) job
    WHERE (SELECT batches FROM live) < %(concurrency)s
"""
# A batch is what stands before the first job that must run alone; or that job, when it comes first. The commit does not wait
# for the disk: whatever is done under the claim is committed after it, and so brings it to the disk; should the server die
# before that, neither was. Except where something leaves the database meanwhile: a call to the outside, or a part of the rate.
_CLAIM = """
    WITH live AS MATERIALIZED (
        SELECT count(DISTINCT claim_id) AS batches FROM scheduler_scheduledjob
        WHERE state = 'running' AND queue = %(queue)s AND leased_until > %(real)s
    ), candidates AS MATERIALIZED ({candidates}),
    ordered AS MATERIALIZED (
        SELECT id, is_alone, row_number() OVER (ORDER BY priority, rank, position) AS place
        FROM candidates ORDER BY place LIMIT %(size)s
    ), cut AS MATERIALIZED (
        SELECT min(place) AS place FROM ordered WHERE is_alone
    ), picked AS MATERIALIZED (
        SELECT id FROM ordered WHERE place = 1 OR place < COALESCE((SELECT place FROM cut), %(size)s + 1)
    ), locked AS MATERIALIZED (
        SELECT id FROM scheduler_scheduledjob
        WHERE id = ANY(ARRAY(SELECT id FROM picked)) AND state = 'queued'
        FOR NO KEY UPDATE SKIP LOCKED
    ), claimed AS (
        UPDATE scheduler_scheduledjob job
        SET state = 'running', attempt = attempt + 1, lease_no = lease_no + 1,
            claim_id = %(claim_id)s, claimed_alone = (SELECT count(*) FROM locked) = 1,
            leased_until = %(ends_at)s + make_interval(
                secs => COALESCE((%(limits)s::jsonb ->> kind)::float, %(default_limit)s) + %(margin)s)
        FROM locked
        WHERE job.id = locked.id AND job.state = 'queued'
        RETURNING job.id, job.lease_no, job.clinic_id, job.kind, job.attempt, job.unknown_since,
                  job.args, job.priority, job.run_at
    ), charged AS (
        UPDATE scheduler_queue
        SET tokens = %(tokens)s - (SELECT count(*) FROM claimed), tokens_at = %(real)s, claims = claims + 1
        WHERE id = %(queue_id)s AND EXISTS (SELECT FROM claimed)
    ), unhurried AS MATERIALIZED (
        SELECT set_config('synchronous_commit', 'off', true)
        WHERE %(is_unlimited)s AND NOT EXISTS (SELECT FROM claimed WHERE kind = ANY(%(alone_kinds)s::text[]))
    )
    SELECT id, lease_no, clinic_id, kind, attempt, unknown_since, args, priority, (SELECT place FROM cut) IS NOT NULL
    FROM claimed LEFT JOIN unhurried ON true ORDER BY priority, run_at, id
"""
_Row = tuple[Any, ...]
_CLAIM_IN_TURN = _CLAIM.format(candidates=_IN_TURN)
_CLAIM_BY_AGE = _CLAIM.format(candidates=_BY_AGE)


class ClaimedJob(NamedTuple):
    """One job of a batch, its arguments not yet read. In the order of the claim's columns: made by the ten thousand."""

    job_id: int
    lease_no: int
    clinic_id: int
    kind: str
    attempt: int
    unknown_since: datetime | None
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How the queue treats failures."""

    queue: str
    max_attempts: int
    backoff_base_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What one claim took. `wait_seconds`: nothing, for the rate allows the next batch only then."""

    jobs: Sequence[ClaimedJob] = ()
    policy: Policy
    wait_seconds: float | None = None


@transaction.atomic(durable=True)
def claim_batch(
    queue_name: str, rotation: Rotation, *, now: datetime, real: datetime, ends_at: datetime, size: int = BATCH_SIZE
) -> Batch:
    """Take up to `size` due jobs; none when the queue is paused, gone, at its limit of batches, or out of tokens.

    ends_at: when this tick must have ended (real time); the lease covers it and the longest time limit of the queue's kinds.
    The queue's row is locked meanwhile, so that its limits hold across hosts.
    """
    queue = Queue.objects.select_for_update(no_key=True).filter(name=queue_name).first()
    if queue is None or queue.paused_at is not None:
        return Batch(policy=Policy(queue=queue_name, max_attempts=1, backoff_base_seconds=1))
    policy = Policy(queue=queue.name, max_attempts=queue.max_attempts, backoff_base_seconds=queue.backoff_base_seconds)
    tokens = tokens_of(queue, real=real)
    if queue.rate_per_second is not None:
        size = min(size, int(tokens))
        if size < 1:
            return Batch(policy=policy, wait_seconds=_seconds_to_some_tokens(queue.rate_per_second, tokens=tokens))
    parameters = {
        "queue": queue.name,
        "queue_id": queue.pk,
        "concurrency": queue.concurrency,
        "tokens": tokens,
        "size": size,
        "now": now,
        "real": real,
        "claim_id": uuid7(),
        "ends_at": ends_at,
        "limits": json.dumps(time_limits_seconds()),
        "default_limit": DEFAULT_TIME_LIMIT_SECONDS,
        "margin": LEASE_MARGIN_SECONDS,
        "alone_kinds": external_kind_names(),
        "is_unlimited": queue.rate_per_second is None,
    }
    if (queue.claims + 1) % CLAIMS_PER_CLAIM_BY_AGE == 0:
        return Batch(jobs=_jobs(_fetch(_CLAIM_BY_AGE, parameters)), policy=policy)
    return Batch(jobs=_claim_in_turn(parameters, rotation=rotation, size=size), policy=policy)


def tokens_of(queue: Queue, *, real: datetime) -> float:
    """What the bucket holds now: it fills at the queue's rate and holds a second's worth, one token at least."""
    if queue.rate_per_second is None:
        return 0.0
    capacity = bucket_capacity(queue.rate_per_second)
    if queue.tokens_at is None:
        return capacity
    elapsed_seconds = max(0.0, (real - queue.tokens_at).total_seconds())
    return min(capacity, queue.tokens + elapsed_seconds * queue.rate_per_second)


def bucket_capacity(rate_per_second: float) -> float:
    return max(1.0, rate_per_second)


def _seconds_to_some_tokens(rate_per_second: float, *, tokens: float) -> float:
    """Until half a bucket is there: a batch worth its queries, twice a second at most."""
    return (max(1.0, rate_per_second / 2) - tokens) / rate_per_second


def _claim_in_turn(parameters: dict[str, Any], *, rotation: Rotation, size: int) -> list[ClaimedJob]:
    pairs = rotation.next_pairs(size)
    parameters |= {
        "priorities": [pair.priority for pair in pairs],
        "clinics": [pair.clinic_id for pair in pairs],
        "quota": rotation.quota(size),
    }
    rows = _fetch(_CLAIM_IN_TURN, parameters)
    rotation.note(
        [Pair(row[7], row[2]) for row in rows],
        size=size,
        was_exhaustive=len(rows) < size and not any(is_cut for *_job, is_cut in rows),
    )
    return _jobs(rows)


def _fetch(sql: str, parameters: Mapping[str, Any]) -> list[_Row]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        rows: list[_Row] = cursor.fetchall()
    return rows


def _jobs(rows: Sequence[_Row]) -> list[ClaimedJob]:
    """All arguments are read as one text: one by one takes four times as long."""
    payloads = json.loads(f"[{','.join(args for *_job, args, _priority, _is_cut in rows)}]")
    return [ClaimedJob._make((*row[:6], payload)) for row, payload in zip(rows, payloads, strict=True)]
