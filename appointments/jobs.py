"""The house's jobs: edges that call one use case."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from appointments.job_args import BringInLines, CarryOutClosure, SendReminder
from appointments.usecases.bringing.running import bring_in_some
from appointments.usecases.carrying_out import carry_out
from appointments.usecases.reminding import remind
from scheduler.contracts import Claimed, Result, batch_job, declare_queue

IMPORTS = "imports"

declare_queue(IMPORTS, concurrency=2)


@batch_job(SendReminder, queue="appointment-reminders", time_limit_seconds=30, title=_("Reminders"))
def send_reminders(batch: Sequence[Claimed[SendReminder]], *, now: datetime) -> list[Result]:
    """Queue the reminders that are still true.

    Idempotent by: the message's dedup key (kind, rule, visit, notice version, person, generation).
    """
    return remind(batch, now=now)


@batch_job(BringInLines, queue=IMPORTS, time_limit_seconds=60, title=_("Bringing in a file"))
def bring_in_lines(batch: Sequence[Claimed[BringInLines]], *, now: datetime) -> list[Result]:
    """Bring in the next lines of each file, and queue the job for those after them.

    Idempotent by: how far the import is, which moves on in the same transaction.
    """
    done = {
        job.job_id: bring_in_some(job.clinic_id, run_id=job.args.import_id, now=now)
        for job in sorted(batch, key=lambda job: job.clinic_id)  # Clinics are locked in one order.
    }
    return [Result.done() if done[job.job_id] else Result.skipped("import_over") for job in batch]


@batch_job(
    CarryOutClosure,
    queue="appointment-reminders",
    time_limit_seconds=60,
    priority=2,
    title=_("Closures and absences"),
)
def carry_out_closures(batch: Sequence[Claimed[CarryOutClosure]], *, now: datetime) -> list[Result]:
    """Move and cancel what a closure hits, some visits at a time.

    Idempotent by: the plan's row, locked; each visit's outcome, which is written once; the notices' dedup keys.
    """
    return carry_out(batch, now=now)
