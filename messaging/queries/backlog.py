"""What waits to be sent, over all clinics."""

from __future__ import annotations

from datetime import datetime

from django.db.models import QuerySet

from clinicbot.contracts import Backlog
from messaging.models import Message, MessageState

COUNTED_UP_TO = 10_001


def backlog(now: datetime) -> Backlog:
    """Due messages that nobody has taken yet; what is held waits for a person or an hour, and is not counted."""
    due = _due(now)
    return Backlog(
        due=due[:COUNTED_UP_TO].count(),
        oldest_due_at=due.order_by("due_at").values_list("due_at", flat=True).first(),
    )


def has_due_messages(*, now: datetime) -> bool:
    return _due(now).exists()


def _due(now: datetime) -> QuerySet[Message]:
    return Message.unscoped.filter(state=MessageState.QUEUED, due_at__lte=now, leased_until__isnull=True)
