"""Messages whose call was cut off: the process that made it is gone, and nobody can tell whether the bytes left."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from messaging.models import AttemptState, Message, MessageState
from messaging.usecases.changing import lock_entries, save
from messaging.usecases.settling import save_attempts, settle

RESCUE_BATCH = 500


@transaction.atomic
def rescue_cut_off(*, real: datetime, now: datetime) -> int:
    """An attempt still `sending` when its lease is over becomes unknown; its true outcome, should it come, still counts."""
    lapsed = (
        Message.unscoped.select_for_update(skip_locked=True, no_key=True)
        .filter(state=MessageState.SENDING, leased_until__lt=real)
        .order_by("leased_until")
        .values_list("pk", flat=True)[:RESCUE_BATCH]
    )
    entries = lock_entries(list(lapsed))
    cut_off = []
    for entry in entries.values():
        for attempt in entry.attempts:
            if attempt.state == AttemptState.SENDING:
                attempt.state = AttemptState.UNKNOWN
                attempt.failure_code = "cut_off"
                cut_off.append(attempt)
        settle(entry, now=now)
    save_attempts(cut_off)
    save([entry.message for entry in entries.values()])
    return len(entries)
