"""The sender's part of each tick."""

from __future__ import annotations

from datetime import datetime

from clinicbot.ticks import Deadline, StepReport, tick_step
from messaging.usecases.accounts import resume_accounts_that_may
from messaging.usecases.leasing import rescue_lapsed_leases
from messaging.usecases.rescuing import rescue_cut_off
from messaging.usecases.rounds import send_batch


@tick_step(order=10)
def rescue_messages(*, now: datetime, real: datetime, deadline: Deadline) -> StepReport:
    """Free what a lost process held; what it was calling with is in doubt from now on."""
    return StepReport(
        counts={
            "messages_freed": rescue_lapsed_leases(real=real, now=now),
            "messages_cut_off": rescue_cut_off(real=real, now=now),
            "accounts_resumed": resume_accounts_that_may(real=real, now=now),
        }
    )


@tick_step(order=50)
def send_messages(*, now: datetime, real: datetime, deadline: Deadline) -> StepReport:
    """Send one wave."""
    return send_batch(real=real, now=now, deadline=deadline)
