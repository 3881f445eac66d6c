"""A person's answer proves that our message arrived, whatever else we know of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction

from messaging.models import Attempt, AttemptState, Message
from messaging.usecases.changing import lock_entries, save
from messaging.usecases.settling import save_attempts, settle


@transaction.atomic
def note_answer(
    clinic_id: int, *, message_id: UUID, provider_message_id: str = "", action: str = "", now: datetime
) -> bool:
    """Somebody tapped or quoted it. `action` of a button or row is kept as the answer; the latest counts.

    provider_message_id: what was tapped, as the provider calls it. False: this clinic has no such message.
    """
    if not Message.objects.for_clinic(clinic_id).filter(pk=message_id).exists():
        return False
    entry = lock_entries([message_id])[message_id]
    if action:
        entry.message.answered_with, entry.message.answered_at = action[:64], now
        entry.message.save(update_fields=["answered_with", "answered_at"])
    attempt = _answered(entry.attempts, provider_message_id)
    if attempt is not None and attempt.state != AttemptState.READ:
        attempt.state = AttemptState.READ
        attempt.read_at = attempt.read_at or now
        attempt.provider_message_id = attempt.provider_message_id or provider_message_id
        save_attempts([attempt])
        if settle(entry, now=now):
            save([entry.message])
    return True


def _answered(attempts: Sequence[Attempt], provider_message_id: str) -> Attempt | None:
    """The attempt with that id; else the latest that has none yet and may have arrived; else the latest of all."""
    named = [attempt for attempt in attempts if provider_message_id == attempt.provider_message_id != ""]
    nameless = [
        attempt for attempt in attempts if not attempt.provider_message_id and attempt.state != AttemptState.FAILED
    ]
    return next(iter((*named, *reversed(nameless), *reversed(attempts))), None)
