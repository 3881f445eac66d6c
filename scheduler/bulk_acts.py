"""What may be done to many jobs at once."""

from __future__ import annotations

from datetime import timedelta

from django.utils.translation import gettext_lazy as _

from clinicbot.batches import Chunk, bulk_act
from scheduler.usecases.operating import cancel_jobs, reschedule_jobs, retry_jobs

RETRY = "scheduler.retry_jobs"
CANCEL = "scheduler.cancel_jobs"
RESCHEDULE = "scheduler.reschedule_jobs"


@bulk_act(
    RETRY,
    title=_("Try jobs again"),
    effect=_("Dead and cancelled jobs wait again, with all their attempts. Others stay as they are."),
    permission="scheduler.retry_scheduledjob",
)
def retry(chunk: Chunk) -> int:
    """Idempotent by: a job that waits is neither dead nor cancelled."""
    return retry_jobs(chunk.ids, actor=chunk.actor, now=chunk.now).count


@bulk_act(
    CANCEL,
    title=_("Cancel jobs"),
    effect=_("Jobs that wait are not run, and dead ones are put to rest. Running ones go on."),
    permission="scheduler.cancel_scheduledjob",
)
def cancel(chunk: Chunk) -> int:
    """Idempotent by: a cancelled job neither waits nor is dead."""
    return cancel_jobs(chunk.ids, actor=chunk.actor, reason=chunk.reason, now=chunk.now)


@bulk_act(
    RESCHEDULE,
    title=_("Move jobs to another time"),
    effect=_("Jobs that wait run then, spread from then on. A reminder that is no longer true then is left out."),
    permission="scheduler.reschedule_scheduledjob",
    needs_moment=True,
    spreads_itself=True,
)
def reschedule(chunk: Chunk) -> int:
    """Idempotent by: the same jobs are moved to the same times."""
    begins, ends = (timedelta(seconds=chunk.spread_seconds * share) for share in chunk.share)
    moment = chunk.moment or chunk.now
    return reschedule_jobs(
        chunk.ids, run_at=moment + begins, until=moment + ends, actor=chunk.actor, reason=chunk.reason, now=chunk.now
    )
