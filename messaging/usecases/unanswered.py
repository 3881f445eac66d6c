"""Nothing that a person wrote falls out: what nobody has ended in time becomes a task."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from messaging.contracts import TaskReason
from messaging.models import InboundMessage, InboundState, StaffTask

PATIENCE = timedelta(minutes=15)
BATCH = 200
LEFT_OPEN = "left_open"


@transaction.atomic
def pass_on_unanswered(*, now: datetime) -> int:
    """Give the oldest of them to staff. Says how many. Its queries do not grow with them."""
    left = list(
        # Over all clinics: each row's task is its own clinic's.
        InboundMessage.unscoped.select_for_update(no_key=True, skip_locked=True)
        .filter(state=InboundState.NEW, received_at__lt=now - PATIENCE)
        .order_by("received_at")[:BATCH]
    )
    StaffTask.objects.bulk_create(
        [
            StaffTask(
                clinic_id=inbound.clinic_id,
                reason=TaskReason.UNCLEAR_ANSWER,
                unique_key=f"inbound:{inbound.pk}",
                person_kind="contact",
                person_id=inbound.contact_id,
                contact_id=inbound.contact_id,
                message_id=inbound.answers_id,
                inbound=inbound,
                detail=LEFT_OPEN,
                opened_at=now,
            )
            for inbound in left
        ],
        ignore_conflicts=True,
    )
    pairs = [(inbound.clinic_id, inbound.pk) for inbound in left]
    InboundMessage.objects.for_pairs(pairs).update(state=InboundState.TASK, outcome=LEFT_OPEN)
    return len(left)
