"""Running a claimed batch: one transaction for all jobs of a kind, or, for kinds that call the outside, none at all."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from clinicbot.errors import summary_of
from clinicbot.ticks import Deadline
from scheduler.conf import UNKNOWN_KIND_DEAD_AFTER_SECONDS, UNKNOWN_KIND_RETRY_SECONDS
from scheduler.contracts import BatchRunner, Claimed, ExternalRunner, JobKind, Reason, Result, find_kind
from scheduler.errors import BadJobArgsError, WrongResultCountError
from scheduler.usecases.claiming import Batch, ClaimedJob, Policy
from scheduler.usecases.finishing import Outcome, finish_jobs, lock_held, release_jobs

logger = logging.getLogger(__name__)


def run_batch(batch: Batch, *, now: datetime, deadline: Deadline) -> Counter[str]:
    """Run what one claim took, kind by kind. What the deadline leaves no time to start goes back uncharged.

    Answers how many jobs ended how, by word.
    """
    counts: Counter[str] = Counter()
    by_kind: dict[str, list[ClaimedJob]] = {}
    for job in batch.jobs:
        by_kind.setdefault(job.kind, []).append(job)
    for kind_name, jobs in by_kind.items():
        if deadline.is_over():
            counts.update(release_jobs(jobs, policy=batch.policy))
            continue
        counts.update(_run_kind(find_kind(kind_name), jobs, policy=batch.policy, now=now, deadline=deadline))
    return counts


def _run_kind(
    kind: JobKind | None, jobs: Sequence[ClaimedJob], *, policy: Policy, now: datetime, deadline: Deadline
) -> Counter[str]:
    if kind is None:
        return Counter(_keep_unknown(jobs, policy=policy, now=now))
    counts: Counter[str] = Counter()
    readable, unreadable = _read_args(kind, jobs)
    counts.update(finish_jobs(unreadable, policy=policy, now=now))
    if kind.run_external is not None:
        for job, claimed in readable:
            if deadline.is_over():
                counts.update(release_jobs([job], policy=policy))
            else:
                counts.update(_run_external(kind.run_external, job, claimed, policy=policy, now=now))
    elif kind.run_batch is not None and readable:
        counts.update(_run_together(kind.run_batch, readable, policy=policy, now=now, deadline=deadline))
    return counts


def _keep_unknown(jobs: Sequence[ClaimedJob], *, policy: Policy, now: datetime) -> dict[str, int]:
    """A deploy may bring the kind back, so its jobs wait, loudly; a day later a person must look."""
    outcomes = []
    for job in jobs:
        since = job.unknown_since or now
        is_hopeless = (now - since).total_seconds() >= UNKNOWN_KIND_DEAD_AFTER_SECONDS
        wait = Result.snooze(Reason.UNKNOWN_KIND, after_seconds=UNKNOWN_KIND_RETRY_SECONDS)
        result = Result.dead(Reason.UNKNOWN_KIND) if is_hopeless else wait
        outcomes.append(Outcome(job=job, result=result, unknown_since=since))
    logger.error("Nobody runs jobs of this kind.", extra={"kind": jobs[0].kind, "jobs": len(jobs)})
    return {**finish_jobs(outcomes, policy=policy, now=now), Reason.UNKNOWN_KIND: len(jobs)}


def _read_args(
    kind: JobKind, jobs: Sequence[ClaimedJob]
) -> tuple[list[tuple[ClaimedJob, Claimed[Any]]], list[Outcome]]:
    readable, unreadable = [], []
    for job in jobs:
        try:
            readable.append((job, _claimed(kind, job)))
        except BadJobArgsError as error:
            unreadable.append(Outcome(job=job, result=Result.dead(Reason.BAD_ARGS), error=summary_of(error)))
    return readable, unreadable


def _claimed(kind: JobKind, job: ClaimedJob) -> Claimed[Any]:
    return Claimed(job.job_id, job.lease_no, job.clinic_id, job.attempt, kind.args_class.restore(job.payload))


def _run_together(
    run: BatchRunner,
    pairs: Sequence[tuple[ClaimedJob, Claimed[Any]]],
    *,
    policy: Policy,
    now: datetime,
    deadline: Deadline,
) -> Counter[str]:
    """All in one transaction; when it fails, each in its own, so that one job's error costs no other its work."""
    try:
        return _run_in_one_transaction(run, pairs, policy=policy, now=now)
    except Exception as error:  # Whatever a handler raises is one attempt's failure, never the tick's.
        _raise_if_connection_is_gone(error)
        if len(pairs) == 1:
            return Counter(_record_failure(pairs[0][0], error, policy=policy, now=now))
        logger.warning("A batch failed; its jobs run one by one.", exc_info=error, extra={"jobs": len(pairs)})
    counts = Counter({"batches_split": 1})
    for index, pair in enumerate(pairs):
        if deadline.is_over():
            counts.update(release_jobs([job for job, _ in pairs[index:]], policy=policy))
            break
        counts.update(_run_together(run, [pair], policy=policy, now=now, deadline=deadline))
    return counts


def _run_in_one_transaction(
    run: BatchRunner, pairs: Sequence[tuple[ClaimedJob, Claimed[Any]]], *, policy: Policy, now: datetime
) -> Counter[str]:
    with transaction.atomic(durable=True):
        held_ids = {job.job_id for job in lock_held([job for job, _ in pairs])}
        held = [(job, claimed) for job, claimed in pairs if job.job_id in held_ids]
        counts = Counter({"stale_results": len(pairs) - len(held)} if len(held) < len(pairs) else {})
        if not held:
            return counts
        results = run([claimed for _, claimed in held], now=now)
        if len(results) != len(held):
            raise WrongResultCountError
        outcomes = [Outcome(job=job, result=result) for (job, _), result in zip(held, results, strict=True)]
        counts.update(finish_jobs(outcomes, policy=policy, now=now))
    return counts


def _run_external(
    run: ExternalRunner, job: ClaimedJob, claimed: Claimed[Any], *, policy: Policy, now: datetime
) -> dict[str, int]:
    try:
        return finish_jobs([Outcome(job=job, result=run(claimed, now=now))], policy=policy, now=now)
    except Exception as error:  # noqa: BLE001  # Whatever a handler raises is one attempt's failure, never the tick's.
        _raise_if_connection_is_gone(error)
        return _record_failure(job, error, policy=policy, now=now)


def _record_failure(job: ClaimedJob, error: Exception, *, policy: Policy, now: datetime) -> dict[str, int]:
    logger.warning("A job failed.", exc_info=error, extra={"job_id": job.job_id, "kind": job.kind})
    outcome = Outcome(job=job, result=Result.retry(Reason.TRANSIENT), error=summary_of(error))
    return finish_jobs([outcome], policy=policy, now=now)


def _raise_if_connection_is_gone(error: Exception) -> None:
    """Without the database nothing can be recorded; the leases will lapse and others will go on."""
    if not connection.is_usable():
        raise error
