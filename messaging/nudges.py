"""What messaging does at once after a commit."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from clinicbot import clock
from clinicbot.nudge import nudge_step
from clinicbot.ticks import Deadline
from messaging.background import background_sender
from messaging.queries.backlog import has_due_messages


@nudge_step(order=20)
def wake_the_sender(event_ids: Sequence[UUID], *, deadline: Deadline) -> None:
    """Where something is to be sent, a thread sends it; this one returns at once."""
    if has_due_messages(now=clock.now()):
        background_sender.wake()
