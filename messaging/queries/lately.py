"""What was said a moment ago, or is about to be: so that nobody is told the same twice in a row."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db.models import Q

from messaging.contracts import QueuedMessage
from messaging.models import Message, MessageState
from messaging.queries.queued import as_queued

TO_COME = [MessageState.QUEUED, MessageState.HELD, MessageState.SENDING]
# In doubt too: whoever resolves the doubt sees to it that it is said.
OUT = [MessageState.UNKNOWN, MessageState.ACCEPTED, MessageState.SENT, MessageState.DELIVERED]


def find_said_lately(
    clinic_id: int, *, kind: str, subject_type: str, subject_ids: Iterable[str], since: datetime
) -> QueuedMessage | None:
    """The newest message of that kind about one of these that is still to come, or went out since then."""
    about = Message.objects.for_clinic(clinic_id).filter(
        kind=kind, subjects__subject_type=subject_type, subjects__subject_id__in=set(subject_ids)
    )
    lately = about.filter(Q(state__in=TO_COME) | Q(state__in=OUT, attempts__said_at__gte=since))
    message = lately.prefetch_related("subjects").order_by("-pk").first()
    return as_queued(message) if message else None
