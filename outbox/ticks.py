"""What the tick does for the outbox."""

from __future__ import annotations

from datetime import datetime

from clinicbot.ticks import Deadline, StepReport, tick_step
from outbox import conf
from outbox.usecases import dispatching


@tick_step(order=30)
def deliver_events(*, now: datetime, real: datetime, deadline: Deadline) -> StepReport:
    """Run one batch of handlers that are due, those among them whose event another has just published."""
    share = deadline.share(conf.STEP_SECONDS)
    return dispatching.deliver_with_what_follows(now=now, real=real, deadline=share, limit=conf.BATCH)
