"""The house's jobs: edges that call one use case."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from appointments.job_args import SendReminder
from appointments.usecases.reminding import remind
from scheduler.contracts import Claimed, Result, batch_job


@batch_job(SendReminder, queue="appointment-reminders", time_limit_seconds=30)
def send_reminders(batch: Sequence[Claimed[SendReminder]], *, now: datetime) -> list[Result]:
    """Queue the reminders that are still true.

    Idempotent by: the message's dedup key (kind, rule, visit, notice version, person, generation).
    """
    return remind(batch, now=now)
