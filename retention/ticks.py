"""What the tick does for retention."""

from __future__ import annotations

from datetime import datetime

from clinicbot.ticks import Deadline, StepReport, tick_step
from retention import conf
from retention.usecases.purging import purge_old_rows


@tick_step(order=90, every_seconds=conf.EVERY_SECONDS)
def purge(*, now: datetime, real: datetime, deadline: Deadline) -> StepReport:
    """Remove what is old enough. What its share of the tick did not suffice for, the next round goes on with."""
    summary = purge_old_rows(real=real, deadline=deadline.share(conf.SHARE_SECONDS))
    return StepReport(
        counts={f"purged_{what}": removed for what, removed in summary.removed.items()}, more=not summary.is_complete
    )
