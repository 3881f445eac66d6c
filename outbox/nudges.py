"""What the outbox does at once after a commit."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from clinicbot import clock
from clinicbot.nudge import nudge_step
from clinicbot.ticks import Deadline
from outbox.usecases import dispatching


@nudge_step(order=10)
def deliver_at_once(event_ids: Sequence[UUID], *, deadline: Deadline) -> None:
    """Run the handlers of what was just published, as far as the budget goes."""
    if event_ids:
        reading = clock.read()
        dispatching.deliver_events(event_ids, now=reading.now, real=reading.real, deadline=deadline)
