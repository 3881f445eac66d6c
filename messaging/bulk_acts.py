"""What may be done to many messages at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from clinicbot.batches import Chunk, bulk_act
from clinicbot.errors import ClinicBotError
from messaging.queries.messages import clinics_of
from messaging.usecases.sending import cancel_messages, send_again

CANCEL = "messaging.cancel_messages"
RESEND = "messaging.send_again"


@bulk_act(
    CANCEL,
    title=_("Cancel messages"),
    effect=_("Messages that have not left yet are not sent. What is on its way, or arrived, stays."),
    permission="messaging.cancel_message",
)
def cancel(chunk: Chunk) -> int:
    """Idempotent by: a cancelled message no longer waits."""
    return sum(
        cancel_messages(clinic_id, message_ids=ids, actor=chunk.actor, now=chunk.now)
        for clinic_id, ids in _by_clinic(chunk).items()
    )


@bulk_act(
    RESEND,
    title=_("Send messages again"),
    effect=_("People get these messages once more, if they are still true. What is still on its way is left alone."),
    permission="messaging.resend_message",
)
def resend(chunk: Chunk) -> int:
    """Idempotent by: what was sent again has a newer generation, and is not sent again."""
    count = 0
    for clinic_id, ids in _by_clinic(chunk).items():
        for message_id in ids:
            try:
                send_again(clinic_id, message_id=message_id, reason=chunk.reason, actor=chunk.actor, now=chunk.now)
                count += 1
            except ClinicBotError:  # Each says of its own row that it cannot be; the others go on.
                continue
    return count


def _by_clinic(chunk: Chunk) -> Mapping[int, list[UUID]]:
    ids_of: defaultdict[int, list[UUID]] = defaultdict(list)
    for message_id, clinic_id in clinics_of([UUID(one) for one in chunk.ids]).items():
        ids_of[clinic_id].append(message_id)
    return ids_of
